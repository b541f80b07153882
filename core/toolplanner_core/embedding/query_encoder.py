"""Encode short texts with the workspace's active embedder: queries, goals of steps, needs.

Loads the embedder once and takes notice when another becomes active. Vectors are kept for the next
question: a run asks for the same needs and toolkit texts again and again. Thread-safe.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import Embedder
from toolplanner_core.embedding.opening import RemoteEmbedder, open_state
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import embedder_state

KEPT_TEXTS = 4096
"""Texts whose vectors are kept, the least recently used go first: 6 MB at 384 dimensions."""
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
            vectors = embedder.encode(new)
            if not texts:
                return vectors
            found.update(zip(new, vectors, strict=True))
            self._keep(embedder, {text: found[text] for text in new})
        return np.stack([found[text] for text in texts])

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
            raise NotFound(
                "This workspace has no vectors yet", todo="Make them with: toolplanner embed"
            )
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
