"""LSA of a catalogue: the terms it counts, the fit (vocabulary, idf, truncated SVD), and what of it
the workspace stores. The fit runs in a worker process.

Terms are words and pairs of neighbouring words. Chinese, Japanese and Korean are written without
spaces: there each letter is a word, so that pairs of letters count.

Source: Halko, Martinsson, Tropp 2011, Finding Structure with Randomness (arXiv 0909.4061),
algorithm 4.4: randomised subspace iteration.
"""

import hashlib
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.words.places import MAKE_VECTORS_ANEW
from toolplanner_core.words.stems import singular
from toolplanner_core.words.stop_words import STOP_WORDS
from toolplanner_core.workspace.vectors import EmbedderState

if TYPE_CHECKING:
    from scipy import sparse


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
                todo=MAKE_VECTORS_ANEW,
            ) from error


_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_READ = 4_000
"""Characters of a text that are looked at; functionality texts have 400."""


def terms_of(text: str) -> list[str]:
    """All terms of a text, in order, repeated as they occur."""
    text = text[:_READ].lower()
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize(
            "NFC", "".join(c for c in decomposed if c < "\u0300" or c > "\u036f")
        )
    words = [singular(word) for word in _WORD.findall(text) if word not in STOP_WORDS]
    return words + [f"{first} {second}" for first, second in pairwise(words)]


VERSION = 1
"""Part of the state's id: changes whenever the same texts would give other vectors."""
DIMENSIONS = 192
MAX_TERMS = 40_000
_OVERSAMPLING = 16
_POWER_ITERATIONS = 2
_SEED = 20_240_606
_REPORT_EVERY = 512


def fit_in_worker(texts: Sequence[str], progress: Progress) -> EmbedderState:
    """Fit on distinct texts; the same set of texts gives the same id, in any order.

    Raises:
        Cancelled: and nothing is left behind.
        WorkerDied: the worker ran out of memory.
    """
    ordered = sorted(texts)
    digest = hashlib.sha256(f"lsa {VERSION} {DIMENSIONS} {MAX_TERMS}".encode())
    for text in ordered:
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    state, dim = run_in_worker(_fit, ordered, progress=progress, what="embedding")
    return EmbedderState(id=f"lsa@{digest.hexdigest()[:12]}", kind="lsa", dim=dim, state=state)


def _fit(texts: list[str], *, report: Report) -> tuple[bytes, int]:
    model = fit(texts, report=report)
    return model.to_bytes(), model.weights.shape[1] + 1


def fit(texts: Sequence[str], *, report: Report) -> LsaModel:
    """Fit in this process.

    Args:
        texts: (n,) distinct texts, n >= 1.
    """
    from scipy import sparse

    counted: list[Counter[str]] = []
    frequency: Counter[str] = Counter()
    for i, text in enumerate(texts):
        counts = Counter(terms_of(text))
        counted.append(counts)
        frequency.update(counts.keys())
        if (i + 1) % _REPORT_EVERY == 0:
            report("Reading words", i + 1, len(texts), "texts")
    report("Reading words", len(texts), len(texts), "texts")
    terms = _vocabulary(frequency, len(texts))
    index = {term: i for i, term in enumerate(terms)}
    idf = np.log((1 + len(texts)) / (1 + np.array([frequency[t] for t in terms]))) + 1

    columns: list[int] = []
    values: list[int] = []
    starts = [0]
    for counts in counted:
        for term, count in counts.items():
            column = index.get(term)
            if column is not None:
                columns.append(column)
                values.append(count)
        starts.append(len(columns))
    weighted = (1 + np.log(np.array(values, dtype=np.float32))) * idf.astype(np.float32)[columns]
    rows = np.repeat(np.arange(len(texts)), np.diff(starts))
    squares = np.bincount(rows, weights=weighted**2, minlength=len(texts))
    matrix = sparse.csr_matrix(
        (weighted / np.sqrt(squares[rows]).astype(np.float32), columns, starts),
        shape=(len(texts), len(terms)),
        dtype=np.float32,
    )
    components = _right_singular_vectors(matrix, report)
    weights = (components * idf[:, None]).astype(np.float32)
    return LsaModel(terms=terms, weights=weights, fitted_on=len(texts))


def _vocabulary(frequency: Counter[str], n_texts: int) -> list[str]:
    # A term of one text tells nothing about similarity, one of every second text as little. In a
    # handful of texts both rules would leave nothing.
    at_least = 2 if n_texts > 50 else 1
    at_most = max(n_texts // 2, 50)
    kept = [(-n, term) for term, n in frequency.items() if at_least <= n <= at_most]
    kept.sort()
    return sorted(term for _, term in kept[:MAX_TERMS])


def _right_singular_vectors(matrix: "sparse.csr_matrix", report: Report) -> NDArray[np.float32]:
    """The first right singular vectors of an (n, v) matrix: (v, dimensions) float32."""
    n, v = cast(tuple[int, int], matrix.shape)
    dimensions = min(DIMENSIONS, n, v)
    if dimensions == 0:
        return np.zeros((v, 1), dtype=np.float32)
    width = min(dimensions + _OVERSAMPLING, n, v)
    random = np.random.default_rng(_SEED)
    basis = random.standard_normal((v, width), dtype=np.float32)
    transposed = matrix.T.tocsr()
    rounds = _POWER_ITERATIONS + 1
    for i in range(rounds):
        report("Finding topics", i, rounds + 1, "rounds")
        left, _ = np.linalg.qr(matrix @ basis)
        basis, _ = np.linalg.qr(transposed @ left)
    report("Finding topics", rounds, rounds + 1, "rounds")
    projected = matrix @ basis
    _, vectors = np.linalg.eigh((projected.T @ projected).astype(np.float64))
    report("Finding topics", rounds + 1, rounds + 1, "rounds")
    return basis @ vectors[:, ::-1][:, :dimensions].astype(np.float32)
