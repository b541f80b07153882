"""Encode short texts with the workspace's active embedder: queries, goals of steps, needs.

Loads the embedder once and takes notice when another becomes active. Callers: `retrieval`, the
offline planner, shortlists of runs. Thread-safe.
"""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import Embedder
from toolplanner_core.embedding.opening import RemoteEmbedder, open_state
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import embedder_state


class QueryEncoder:
    """The active embedder of a workspace, ready for short texts. A few milliseconds per call."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None

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
        return self._active().encode(texts)

    def close(self) -> None:
        """Let go of the embedder, and of its process if it has one."""
        with self._lock:
            self._let_go()

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
