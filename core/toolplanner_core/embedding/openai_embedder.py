"""Embedder `openai:NAME`: a model behind an OpenAI-compatible endpoint, here or far away.

The storage id holds a mark of the address and of the length: vectors of the same name from another
endpoint are of another space. Texts go to a far endpoint only after this person has said so on this
machine, whatever the workspace says: one that somebody sends must not make a search tell its
queries to a stranger. The key is found for the origin, as for language models.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.embedding.endpoint_requests import EndpointRequests
from toolplanner_core.endpoints import (
    OPENAI_URL,
    allow_texts,
    endpoint_key,
    is_local,
    may_send_texts,
    usual_address,
)
from toolplanner_core.errors import BadInput, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import option
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState, embedder_state

_KIND = "openai"
_PROBE = "Weather forecast of a city."


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiEmbedderOptions:
    """Where the vectors come from."""

    send_texts: bool = option(
        False,
        "Allow that the texts of all APIs, and later all queries, are sent to the endpoint. It is"
        " remembered on this machine; an endpoint on this machine needs no leave.",
        title="Texts may leave this machine",
    )
    address: str = option(
        "", "Address of the endpoint, such as http://127.0.0.1:8080/v1; empty as in Preferences."
    )
    dimensions: int | None = option(
        None,
        "How long vectors shall be, for models that can choose.",
        minimum=8,
        maximum=16_384,
        none_means="as the model makes them",
    )


class OpenAiEmbedder:
    """The opened model. Thread-safe."""

    def __init__(self, state: EmbedderState) -> None:
        told: dict[str, Any] = json.loads(state.state or b"{}")
        self.id, self.dim = state.id, state.dim
        self._address = str(told["address"])
        _refuse_without_leave(self._address)
        self._requests = EndpointRequests(
            base_url=self._address,
            key=endpoint_key(self._address),
            model=str(told["model"]),
            dimensions=told.get("dimensions"),
        )

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`.

        Raises:
            EmbedderUnavailable: see `EndpointRequests.vectors`; or its vectors are of another
                length than those that are stored.
        """
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = self._requests.vectors([tokenizable(t) for t in texts], report=report)
        if vectors.shape[1] != self.dim:
            raise EmbedderUnavailable(
                f"{self._address} sent vectors of {vectors.shape[1]} numbers",
                why=f"Those that are stored have {self.dim}: it serves another model by this name",
                todo="Prepare the toolkits again",
            )
        return vectors


def _prepare(
    workspace: Workspace, name: str, options: OpenAiEmbedderOptions, progress: Progress
) -> EmbedderState:
    if not name:
        raise BadInput(
            "The embedder openai needs the name of a model",
            todo="Write, for example, openai:text-embedding-3-small",
        )
    if "@" in name:
        return embedder_state(workspace, f"{_KIND}:{name}")
    address = (options.address or usual_address() or OPENAI_URL).rstrip("/")
    if options.send_texts and not is_local(address):
        allow_texts(address)
    _refuse_without_leave(address)
    progress.report("Asking for the length of vectors", 0, None, "models")
    requests = EndpointRequests(
        base_url=address,
        key=endpoint_key(address),
        model=name,
        dimensions=options.dimensions,
    )

    def still_wanted(stage: str, done: int, total: int | None = None, unit: str = "") -> None:
        del stage, done, total, unit
        progress.check()

    dim = requests.vectors([_PROBE], report=still_wanted).shape[1]
    if options.dimensions not in (None, dim):
        raise BadInput(
            f"{name} makes vectors of {dim} numbers, not of {options.dimensions}",
            todo="Leave the length of vectors to the model",
        )
    told = {"address": address, "model": name, "dimensions": options.dimensions}
    mark = hashlib.sha256(f"{address} {dim}".encode()).hexdigest()[:8]
    return EmbedderState(
        id=f"{_KIND}:{name}@{mark}", kind=_KIND, dim=dim, state=json.dumps(told).encode()
    )


def _refuse_without_leave(address: str) -> None:
    """Check that texts may go there.

    Raises:
        BadInput: this person has not allowed it on this machine, or it is no address.
    """
    if not may_send_texts(address):
        raise BadInput(
            f"The texts of all APIs, and all queries, would be sent to {address}",
            why="Nobody has allowed that on this machine",
            todo="Allow it in the options of the embedder (Texts may leave this machine,"
            " send_texts), name an endpoint on this machine, or choose words or minilm",
        )


def _open(state: EmbedderState) -> OpenAiEmbedder:
    return OpenAiEmbedder(state)


PLUGIN = EmbedderPlugin(
    id=_KIND,
    title="OpenAI-compatible endpoint",
    description="openai:NAME asks an endpoint for vectors. Texts of APIs and queries leave this"
    " machine unless the endpoint is on it.",
    finds="near is what its model takes for near; the words of each search are sent to it.",
    prepare=_prepare,
    open=_open,
    options=OpenAiEmbedderOptions,
    named="Name of the model, such as text-embedding-3-small",
    in_worker=False,
    texts_per_s=120,
)
