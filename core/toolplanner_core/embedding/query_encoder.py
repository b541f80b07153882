"""Vectors of texts as they are asked for: the embedder in use, opened once, and its last texts.

An embedder is opened in this process, or behind a worker when its library must stay out of it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import Embedder, HasParts, HasQueries, embedders, silent
from toolplanner_core.errors import NotFound, WorkerDied
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import Worker
from toolplanner_core.words.window_places import MAKE_VECTORS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import EmbedderState, embedder_state

KEPT_TEXTS = 4096
"""Texts whose vectors are kept, the least recently used go first: 6 MB at 384 dimensions."""
KEPT_QUERIES = 512
"""Queries whose vectors are kept with those of their clauses, the oldest go first."""
LONGEST_KEPT = 2000
"""Characters; longer texts are pasted pages, asked for once."""


class QueryEncoder:
    """The active embedder of a workspace, ready for short texts. A few milliseconds per new text,
    nothing for one that was encoded lately."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._kept_queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def embedder_id(self) -> str | None:
        """Storage id of the active embedder, None before `embed` was run."""
        return get_setting(self._workspace, "active_embedder")

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of `texts` in order: (n, dim) float32, rows of length 1.

        Raises:
            NotFound: no embedder is active: `embed` was never run.
            EmbedderUnavailable: its weights or packages are missing on this machine.
        """
        embedder = self._active()
        found = self._known(embedder, texts)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new or not texts:
            # Outside the lock: a search must not wait until another thread's page is encoded.
            vectors = as_queries(embedder, new)
            if not texts:
                return vectors
            found.update(zip(new, vectors, strict=True))
            self._keep(embedder, {text: found[text] for text in new})
        return np.stack([found[text] for text in texts])

    def encode_query(self, text: str, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """Vectors of `text` and of its clauses, as `as_query` gives them. Raises as `encode`."""
        embedder = self._active()
        if not isinstance(embedder, HasParts):
            return self.encode([text, *_clauses(text, sentences)])
        with self._lock:
            kept = self._kept_queries.get(text) if self._embedder is embedder else None
        if kept is None:
            kept = as_query(embedder, text, sentences)
            with self._lock:
                if self._embedder is embedder and len(text) <= LONGEST_KEPT:
                    self._kept_queries[text] = kept
                    while len(self._kept_queries) > KEPT_QUERIES:
                        self._kept_queries.popitem(last=False)
        return kept.copy()

    def close(self) -> None:
        """Let go of the embedder, and of its process if it has one."""
        with self._lock:
            self._let_go()

    def _known(self, embedder: Embedder, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with self._lock:
            if self._embedder is not embedder:
                return {}
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
            return found

    def _keep(self, embedder: Embedder, vectors: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            if self._embedder is not embedder:
                return  # another became active meanwhile: its vectors are of another space
            for text, vector in vectors.items():
                if len(text) <= LONGEST_KEPT:
                    # A copy, so that one kept row does not keep the whole batch alive.
                    self._kept[text] = vector.copy()
            while len(self._kept) > KEPT_TEXTS:
                self._kept.popitem(last=False)

    def _active(self) -> Embedder:
        active_id = self.embedder_id
        if active_id is None:
            raise NotFound("This workspace has no vectors yet", todo=MAKE_VECTORS)
        with self._lock:
            if self._embedder is None or self._embedder.id != active_id:
                self._let_go()
                self._embedder = open_state(embedder_state(self._workspace, active_id))
            return self._embedder

    def _let_go(self) -> None:
        if isinstance(self._embedder, RemoteEmbedder):
            self._embedder.close()
        self._embedder = None
        self._kept.clear()
        self._kept_queries.clear()


def as_queries(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of texts that ask for something: from the encoder of queries where an embedder
    has one of its own (TPTU-v2's two encoders), else from the one that it has."""
    return (
        embedder.encode_queries(texts)
        if isinstance(embedder, HasQueries)
        else embedder.encode(texts)
    )


def as_query(
    embedder: Embedder, text: str, sentences: Sequence[Sequence[str]]
) -> NDArray[np.float32]:
    """Vectors of a query and of its clauses: (1 + clauses, dim) float32.

    In one pass over the query where the embedder can, else of each text by itself.

    Args:
        sentences: as `retrieval.hybrid.split_sentences` gives them; the clauses are all of their
            texts but the query itself.
    """
    clauses = _clauses(text, sentences)
    if not isinstance(embedder, HasParts) or not sentences:
        return as_queries(embedder, [text, *clauses])
    found = embedder.encode_parts(sentences)
    # Of one sentence, which is the query, there are two equal rows.
    return found if len(found) == 1 + len(clauses) else np.delete(found, 1, axis=0)


def _clauses(text: str, sentences: Sequence[Sequence[str]]) -> list[str]:
    whole = text.strip()
    return [each for sentence in sentences for each in sentence if each != whole]


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
    """Encode many texts, mostly in a worker process; emits (position of the first, vectors) per
    piece."""
    plugin = embedders.get(state.kind)
    embedder = _opened(state) if plugin.in_worker else plugin.open(state)

    def report_all(stage: str, done: int, total: int | None = None, unit: str = "texts") -> None:  # noqa: ARG001
        report("Embedding", begin + done, len(texts), "texts")

    for begin in range(0, len(texts), plugin.chunk):
        vectors = embedder.encode(texts[begin : begin + plugin.chunk], report=report_all)
        emit((begin, vectors))


def encode_in_worker(
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
                    encode_in_worker, self._state, list(texts), progress=progress
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
