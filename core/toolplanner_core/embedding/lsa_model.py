"""What a fit of LSA leaves: its vocabulary and weights, as the workspace stores them."""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LsaModel:
    """A fitted state.

    Attributes:
        terms: (v,) the vocabulary, sorted.
        weights: (v, dim - 1) float32, idf times the right singular vectors.
        fitted_on: number of distinct texts it was fitted on.
    """

    terms: list[str]
    weights: NDArray[np.float32]
    fitted_on: int

    def to_bytes(self) -> bytes:
        """As npz without pickle; weights as float16, far finer than what they mean."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            terms=np.frombuffer("\n".join(self.terms).encode(), dtype=np.uint8),
            weights=self.weights.astype(np.float16),
            fitted_on=np.array(self.fitted_on),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, state: bytes) -> "LsaModel":
        """Read what `to_bytes` wrote.

        Raises:
            BadInput: it was not written by us.
        """
        try:
            with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
                raw = arrays["terms"].tobytes().decode()
                return cls(
                    terms=raw.split("\n") if raw else [],
                    weights=arrays["weights"].astype(np.float32),
                    fitted_on=int(arrays["fitted_on"]),
                )
        except (ValueError, KeyError, OSError, EOFError) as error:
            raise BadInput(
                "The stored state of the embedder lsa cannot be read",
                why=str(error),
                todo="Make it anew with: toolplanner embed --embedder lsa",
            ) from error
