"""APIs that could be called instead of another one: those of its toolkit first, or any by search.

Scores are those of the search over the whole catalogue for the goal of the step, so that both lists
mean the same. Off the GUI thread; the newest question wins.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import ScoredApi
from toolplanner_core.words.formatting import one_line, score
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.item_models import Row, TableModel

if TYPE_CHECKING:
    from toolplanner_core.retrieval.hybrid import HybridIndex

_LIMIT = 40
_GOAL = 60
"""Characters of a goal in the line above the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    apis: Sequence[ScoredApi]
    note: str


class ApiCandidates(QObject):
    """The list and who fills it."""

    changed = Signal()
    """Other APIs are offered."""

    def __init__(self, tasks: Tasks, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._index: HybridIndex | None = None
        self._apis: dict[ApiId, Api] = {}
        self._newest = LatestRequest(tasks, self)
        self._first: Callable[[], _Answer] | None = None
        self._failed: Callable[[], Set[ApiId]] = frozenset
        self._marked: Set[ApiId] = frozenset()
        self._found_apis: Sequence[ScoredApi] = ()
        self.note = ""
        self.model = TableModel(("API", "Score"), self, numbers=(1,))

    @property
    def is_idle(self) -> bool:
        """Whether the newest question was answered."""
        return self._newest.is_idle

    def api(self, api: ApiId) -> Api | None:
        """One of those that are offered."""
        return self._apis.get(api)

    def set_failed(self, failed: Callable[[], Set[ApiId]]) -> None:
        """Which APIs were tried for the step and failed: offered last, and marked."""
        self._failed = failed

    def look_for_failed(self) -> None:
        """Mark anew if other APIs have failed: failures are heard of a moment after the stop."""
        if self._failed() != self._marked:
            self._show()

    def offer_toolkit_of(self, api: Api, *, goal: str) -> None:
        """Offer the APIs of the toolkit of `api`, best for `goal` first."""
        self._first = lambda: self._members(api, goal)
        self._ask(self._first)

    def offer(self, rows: Sequence[tuple[ApiId, float]]) -> None:
        """Offer these with their scores, in their order."""
        self._first = lambda: self._given(rows)
        self._ask(self._first)

    def offer_any(self, *, goal: str) -> None:
        """Offer what fits a goal best in the whole catalogue."""
        what = f"Best for “{one_line(goal, _GOAL)}”" if goal else "Any"
        note = f"{what} in all APIs; type to search"
        self._first = lambda: _Answer(apis=self._found(goal).apis, note=note)
        self._ask(self._first)

    def search(self, text: str) -> None:
        """Offer what fits a text best in the whole catalogue; "" = what was offered first."""
        if text:
            self._ask(lambda: self._found(text))
        elif self._first is not None:
            self._ask(self._first)

    def forget(self) -> None:
        """Offer nothing."""
        self._newest.forget()
        self._first = None
        self._apis, self._found_apis, self.note = {}, (), ""
        self.model.set_rows([])
        self.changed.emit()

    def _ask(self, work: Callable[[], _Answer]) -> None:
        self._newest.ask(work, self._take)

    def _take(self, answer: _Answer) -> None:
        self._apis = {item.api.id: item.api for item in answer.apis}
        self.note = answer.note
        self._found_apis = answer.apis
        self._show()

    def _show(self) -> None:
        self._marked = failed = self._failed()
        best_first = sorted(self._found_apis, key=lambda item: item.api.id in failed)
        self.model.set_rows([_row(i, has_failed=i.api.id in failed) for i in best_first])
        self.changed.emit()

    def _members(self, api: Api, goal: str) -> _Answer:
        from toolplanner_core.workspace.catalogue import apis_by_rowid
        from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids, toolkit_of

        toolkit = toolkit_of(self._workspace, api.id)
        if toolkit is None:
            return self._found(goal or api.description)
        rowids = member_rowids(self._workspace, ToolkitId(toolkit))
        scores = self._scores(goal or api.description)
        apis = apis_by_rowid(self._workspace, rowids)
        items = [ScoredApi(api=apis[r], score=scores.get(r, 0.0)) for r in rowids if r in apis]
        items.sort(key=lambda item: -item.score)
        name = get_toolkit(self._workspace, toolkit).name
        return _Answer(apis=items, note=f"In the toolkit {name}; type to search in all APIs")

    def _given(self, rows: Sequence[tuple[ApiId, float]]) -> _Answer:
        from toolplanner_core.errors import NotFound
        from toolplanner_core.workspace.catalogue import get_api

        items: list[ScoredApi] = []
        for api, points in rows:
            try:
                items.append(ScoredApi(api=get_api(self._workspace, api), score=points))
            except NotFound:
                continue  # it was taken out of the catalogue since
        return _Answer(apis=items, note="Best first; type to search in all APIs")

    def _found(self, text: str) -> _Answer:
        return _Answer(apis=self._hybrid().search(text, _LIMIT), note="In all APIs")

    def _scores(self, text: str) -> dict[int, float]:
        """Row id -> score of every API."""
        found = self._hybrid().score_all(text)
        if found is None:
            return {}
        return dict(zip(found.catalogue.rowids.tolist(), found.total.tolist(), strict=True))

    def _hybrid(self) -> "HybridIndex":
        from toolplanner_core.retrieval.hybrid import HybridIndex

        self._index = self._index or HybridIndex(self._workspace)
        return self._index


def _row(item: ScoredApi, *, has_failed: bool) -> Row:
    api = item.api
    about = " ".join(api.description.split())
    mark = "✗ failed here · " if has_failed else ""
    return Row(
        cells=(one_line(f"{mark}{api.title}", 120), score(item.score)),
        key=api.id,
        tooltip=f"{api.title}\n{about}".strip(),
    )
