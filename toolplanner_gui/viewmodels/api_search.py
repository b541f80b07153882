"""Hybrid search over the APIs of a workspace, for the search field: the newest question wins.

A thread cannot be stopped, so searches stand in line, and one that was typed over meanwhile is left
out: letters that come faster than answers cost no search each, nor each its own vectors at first.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.search_index import rowids_with_words
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.bridge.tasks import Tasks

if TYPE_CHECKING:
    from toolplanner_core.domain.toolkit import ScoredApi
    from toolplanner_core.retrieval.hybrid import HybridIndex

LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An API that was found; `parts` are the signals its score was made of, and `by_meaning` says
    that it holds no word of the search."""

    rowid: int
    title: str
    description: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    by_meaning: bool = False


class ApiSearch(QObject):
    """Searches off the GUI thread."""

    found = Signal(str, object, str)
    """The text, list[Hit] of the best ones, and why vectors took no part, "" if they did."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace: Workspace | None = None
        self._index: HybridIndex | None = None
        self._newest = LatestRequest(tasks, self)
        self._line = threading.Lock()
        self._asked = ""
        self.matching = np.empty(0, np.int64)
        """Row ids (m,) int64 of all APIs that hold every word of the text found last."""

    @property
    def is_idle(self) -> bool:
        """Whether the newest question was answered."""
        return self._newest.is_idle

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Search another workspace, or the same after its catalogue changed."""
        self._workspace = workspace
        self._index = None

    def search(self, text: str) -> None:
        """Search; `found` follows unless another search comes first. "" finds nothing."""
        self._newest.forget()
        self._asked = text
        workspace = self._workspace
        if workspace is not None and text:
            self._newest.ask(
                lambda: self._find(workspace, text), lambda answer: self._tell(text, *answer)
            )

    def _tell(self, text: str, hits: list[Hit], note: str, matching: np.ndarray) -> None:
        self.matching = matching
        self.found.emit(text, hits, note)

    def _find(self, workspace: Workspace, text: str) -> tuple[list[Hit], str, np.ndarray]:
        with self._line:
            if text != self._asked:
                return [], "", np.empty(0, np.int64)  # nobody is told
            return self._find_now(workspace, text)

    def _find_now(self, workspace: Workspace, text: str) -> tuple[list[Hit], str, np.ndarray]:
        from toolplanner_core.retrieval.hybrid import HybridIndex

        index = self._index or HybridIndex(workspace)
        if workspace is self._workspace:
            self._index = index
        matching = rowids_with_words(workspace, text.split())
        holding, words = _holding_one(workspace, text), search_terms(text)
        scored = index.search(text, LIMIT)
        rowids = rowids_of(workspace, [s.api.id for s in scored])
        hits = [
            Hit(
                rowid=rowids[s.api.id],
                title=s.api.title,
                description=s.api.description,
                score=s.score,
                parts=s.parts,
                by_meaning=rowids[s.api.id] not in holding and not _shows_one(s, words),
            )
            for s in scored
            if s.api.id in rowids
        ]
        return hits, index.vector_problem, matching


def _holding_one(workspace: Workspace, text: str) -> frozenset[int]:
    """The APIs that hold one of the words, or a word that begins like it: the last one may be half
    typed."""
    found = [rowids_with_words(workspace, [word]) for word in search_terms(text)]
    return frozenset(np.concatenate(found).tolist()) if found else frozenset()


def _shows_one(found: "ScoredApi", words: Sequence[str]) -> bool:
    """Whether it holds one of the words, also inside of others, where it is marked in the list."""
    shown = f"{found.api.title} {found.api.description}".casefold()
    return found.holds_words or any(word in shown for word in words)
