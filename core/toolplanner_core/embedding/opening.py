"""Open an embedder: in this process, or behind a worker when its library must stay out of it."""

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import Embedder, embedders, silent
from toolplanner_core.errors import WorkerDied
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import Worker
from toolplanner_core.workspace.vectors import EmbedderState


def open_state(state: EmbedderState) -> Embedder:
    """The embedder of a stored state.

    Raises:
        EmbedderUnavailable: its weights or packages are missing on this machine.
    """
    plugin = embedders.get(state.kind)
    return plugin.open(state) if plugin.in_process else RemoteEmbedder(state)


def encode_pieces(
    state: EmbedderState,
    texts: Sequence[str],
    *,
    report: Report,
    emit: Callable[[tuple[int, NDArray[np.float32]]], None],
) -> None:
    """Encode many texts in a worker process; emits (position of the first, vectors) per piece."""
    plugin = embedders.get(state.kind)
    embedder = _opened(state)

    def report_all(stage: str, done: int, total: int | None = None, unit: str = "texts") -> None:  # noqa: ARG001
        report("Embedding", begin + done, len(texts), "texts")

    for begin in range(0, len(texts), plugin.chunk):
        vectors = embedder.encode(texts[begin : begin + plugin.chunk], report=report_all)
        emit((begin, vectors))


def encode_remotely(
    state: EmbedderState, texts: Sequence[str], *, report: Report
) -> NDArray[np.float32]:
    """Encode in a worker process that keeps the embedder for the next call."""
    return _opened(state).encode(texts, report=report)


_kept: dict[str, Embedder] = {}
"""Embedders of this worker process."""


def _opened(state: EmbedderState) -> Embedder:
    if state.id not in _kept:
        _kept[state.id] = embedders.get(state.kind).open(state)
    return _kept[state.id]


class RemoteEmbedder:
    """An embedder that lives in a worker process of its own; started at the first call."""

    def __init__(self, state: EmbedderState) -> None:
        self.id = state.id
        self.dim = state.dim
        self._state = state
        self._lock = threading.Lock()
        self._worker: Worker | None = None

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`.

        Raises:
            EmbedderUnavailable: weights or packages are missing.
            WorkerDied: the process was killed; the next call starts another.
        """
        progress = Progress(lambda r: report(r.stage, r.done, r.total, r.unit))
        with self._lock:
            if self._worker is None:
                self._worker = Worker("embedding")
            try:
                return self._worker.call(
                    encode_remotely, self._state, list(texts), progress=progress
                )
            except WorkerDied:
                self._worker = None
                raise

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None
