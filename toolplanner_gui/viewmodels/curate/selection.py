"""What is selected, shared by map, lists and details, and what can be done to a selection.

What is selected, shared by map, list, details and run tree; never part of any history. One bit mask
over all points of the catalogue, so that adding, inverting and growing are single vector operations
at a million points, plus the few APIs that have no point yet (imported after the last layout). How
a selection was made is kept beside it: an edit stores it. Panels, menu entries and the map read and
change it here.

What can be done to a selection: find, grow, shrink, invert, save, copy; off the GUI thread. Only
what the filter shows is ever taken. Menu entries, the map's keys and its search field call
`context.selecting`, and each way is remembered in `Selection.made`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.chosen import Chosen, Made, choose
from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.curation.looking.map_finding import (
    find_pattern,
    find_similar,
    find_words,
    grown,
    shrunk,
)
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.saved_selections import (
    SavedSelection,
    remove_selection,
    save_selection,
    saved_selections,
)
from toolplanner_gui.bridge.latest_request import LatestRequest, LatestState
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.filters import CHOSEN, ApiFilter
from toolplanner_gui.viewmodels.curate.map_view_state import MapViewState

_MOST_STEPS = 20


class Selection(QObject):
    """A toolkit, or some APIs, or nothing.

    A panel passes itself as `origin` of a change and ignores the changes it made.

    Signals:
        changed: origin of the change, such as a panel; None if it does not matter.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = EMPTY
        self.toolkit: ToolkitId | None = None
        """The selected toolkit, None when APIs or nothing is selected."""
        self._mask = np.zeros(0, dtype=bool)
        self._others = np.empty(0, np.int64)
        self.made: Made = {}
        """How the selection came about; empty when nothing is selected."""

    @property
    def apis(self) -> np.ndarray:
        """Row ids of the selected APIs, (m,) int64; empty when a toolkit is selected."""
        return np.empty(0, np.int64) if self.toolkit is not None else self.rowids()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected."""
        return self.toolkit is None and not len(self._others) and not self._mask.any()

    @property
    def mask(self) -> np.ndarray:
        """(n,) bool over the points of the catalogue, read only; the members of a selected
        toolkit."""
        view = self._mask.view()
        view.flags.writeable = False
        return view

    @property
    def points(self) -> np.ndarray:
        """Positions of the selected points, rising, (m,) int64."""
        return np.flatnonzero(self._mask)

    @property
    def count(self) -> int:
        """How many APIs are selected, members of a selected toolkit included."""
        return int(np.count_nonzero(self._mask)) + len(self._others)

    def rowids(self) -> np.ndarray:
        """Row ids of all selected APIs, (m,) int64, members of a selected toolkit included."""
        return np.concatenate([self._catalogue.rowids[self._mask], self._others])

    def chosen(self) -> Chosen:
        """The selection as an edit needs it."""
        return choose(
            self._catalogue, self._mask, self.rowids(), toolkit=self.toolkit, made=self.made
        )

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Go over to other points, keeping the same APIs selected.

        A selected toolkit that is no more is deselected; only that emits `changed`.
        """
        if self.toolkit is not None:
            self._catalogue = catalogue
            self._mask = catalogue.mask_of_toolkit(self.toolkit)
            if catalogue.toolkit(self.toolkit) is None:
                self._take(None, self._mask, self._others, {}, None)
            return
        rowids = self.rowids()
        self._catalogue = catalogue
        self._mask, self._others = self._split(rowids)

    def select_toolkit(self, toolkit: ToolkitId, origin: object = None) -> None:
        """Select a toolkit."""
        if self.toolkit == toolkit:
            return
        mask = self._catalogue.mask_of_toolkit(toolkit)
        nothing = np.empty(0, np.int64)
        self._take(toolkit, mask, nothing, {"by": "toolkit", "toolkit": int(toolkit)}, origin)

    def select_toolkits(
        self, toolkits: Sequence[ToolkitId], origin: object = None, *, made: Made | None = None
    ) -> None:
        """Select the members of several toolkits.

        Args:
            made: as in `select_apis`; which toolkits they are if none.
        """
        mask = self._catalogue.mask_of_toolkits(toolkits)
        made = made or {"by": "toolkits", "toolkits": [int(toolkit) for toolkit in toolkits]}
        self.select_apis(self._catalogue.rowids_of(mask, toolkits), origin, made=made)

    def select_apis(
        self,
        rowids: Iterable[int] | np.ndarray,
        origin: object = None,
        *,
        made: Made | None = None,
    ) -> None:
        """Select APIs by row id."""
        wanted = np.asarray(
            rowids if isinstance(rowids, np.ndarray) else list(rowids), np.int64
        ).ravel()
        mask, others = self._split(wanted)
        self._change(mask, others, made or {"by": "list"}, origin)

    def select_rows(
        self,
        toolkits: Sequence[ToolkitId],
        apis: Sequence[int],
        origin: object = None,
        *,
        made: Made | None = None,
    ) -> None:
        """Select what the rows of a list stand for, toolkits and APIs together; no rows change
        nothing.

        Args:
            apis: row ids.
            made: as in `select_apis`, where there are APIs among them.
        """
        if apis:
            members = self._catalogue.rowids_of(
                self._catalogue.mask_of_toolkits(toolkits), toolkits
            )
            both = np.union1d(np.array(apis, np.int64), members)
            self.select_apis(both, origin, made=made)
        elif len(toolkits) == 1:
            self.select_toolkit(toolkits[0], origin)
        elif toolkits:
            self.select_toolkits(toolkits, origin)

    def set_mask(self, mask: np.ndarray, made: Made, origin: object = None) -> None:
        """Select the points of a mask (n,) bool and nothing else.

        Raises:
            ValueError: the mask has another length than the catalogue.
        """
        self._change(self._fitting(mask), np.empty(0, np.int64), made, origin)

    def add(self, mask: np.ndarray, made: Made, origin: object = None) -> None:
        """Select the points of a mask (n,) bool, too."""
        self._change(self._mask | self._fitting(mask), self._others, self._with(made), origin)

    def subtract(self, mask: np.ndarray, made: Made, origin: object = None) -> None:
        """Deselect the points of a mask (n,) bool."""
        how = self._with({**made, "mode": "remove"})
        self._change(self._mask & ~self._fitting(mask), self._others, how, origin)

    def toggle(self, mask: np.ndarray, made: Made, origin: object = None) -> None:
        """Select what is not selected of a mask (n,) bool, and deselect what is."""
        how = self._with({**made, "mode": "toggle"})
        self._change(self._mask ^ self._fitting(mask), self._others, how, origin)

    def invert(self, within: np.ndarray | None = None, origin: object = None) -> None:
        """Select all other points; only those of a mask (n,) bool, if one is given."""
        mask = ~self._mask if within is None else ~self._mask & self._fitting(within)
        self._change(mask, np.empty(0, np.int64), self._with({"by": "invert"}), origin)

    def clear(self, origin: object = None) -> None:
        """Select nothing."""
        nothing = np.empty(0, np.int64)
        if not self.is_empty:
            self._take(None, np.zeros(len(self._mask), dtype=bool), nothing, {}, origin)

    def _fitting(self, mask: np.ndarray) -> np.ndarray:
        given = np.asarray(mask, dtype=bool)
        if given.shape != self._mask.shape:
            raise ValueError(f"a mask of {given.shape} for {len(self._mask)} points")
        return given

    def _with(self, made: Made) -> Made:
        """The steps so far and one more: what a combined selection was made of."""
        if not self.made or self.is_empty:
            return made
        before = self.made["steps"] if self.made.get("by") == "steps" else [self.made]
        return {"by": "steps", "steps": [*before, made][-_MOST_STEPS:]}

    def _split(self, rowids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mask = np.zeros(len(self._catalogue.rowids), dtype=bool)
        if not len(rowids):
            return mask, np.empty(0, np.int64)
        points = self._catalogue.points_of(rowids)
        mask[points] = True
        there = len(points) == len(rowids)
        others = rowids[:0] if there else np.setdiff1d(rowids, self._catalogue.rowids[points])
        return mask, others.astype(np.int64)

    def _change(self, mask: np.ndarray, others: np.ndarray, made: Made, origin: object) -> None:
        is_same = np.array_equal(mask, self._mask) and np.array_equal(others, self._others)
        if self.toolkit is None and is_same:
            return
        # A copy: the caller may go on writing to its mask.
        mask = mask.copy()
        is_empty = not len(others) and not mask.any()
        self._take(None, mask, others, {} if is_empty else made, origin)

    def _take(
        self,
        toolkit: ToolkitId | None,
        mask: np.ndarray,
        others: np.ndarray,
        made: Made,
        origin: object,
    ) -> None:
        self.toolkit, self._mask, self._others, self.made = toolkit, mask, others, made
        self.changed.emit(origin)


How = Literal["words", "regex"]
_BY = {"words": "search", "regex": "regex"}


class SelectionActions(QObject):
    """Operations on the shared selection. GUI thread.

    Args:
        selection: what is changed.
        look: knows neighbours and filter.
        tell: says in the status bar that something was done.
        report: shows an error to the person.

    Signals:
        found: answer to `search`: text, how, mask (n,) bool, and why there is none ("" if there
            is).
        saved_changed: the saved selections are others.
    """

    found = Signal(str, str, object, str)
    saved_changed = Signal()

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        selection: Selection,
        look: MapViewState,
        *,
        tell: Callable[[str], None],
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._selection = selection
        self._look = look
        self._tell = tell
        self._report = report
        self._workspace = workspace
        self._catalogue: CuratedCatalogue = EMPTY
        self.saved: list[SavedSelection] = []
        """The saved selections, by name."""
        self._searching = LatestRequest(tasks, self)
        self._saved_reader = LatestState(
            tasks, self, lambda: saved_selections(workspace), self._on_saved
        )
        self._saved_reader.refresh()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being worked out."""
        return self._searching.is_idle and not self._tasks.runs_for(self)

    @property
    def can_grow(self) -> bool:
        """Whether the neighbours of all points are known."""
        return self._look.neighbours is not None

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Find points of another catalogue."""
        self._catalogue = catalogue
        self._searching.forget()

    def select_all(self) -> None:
        """Select all points that are shown."""
        self._selection.set_mask(self._shown(), {"by": "all"})

    def show_only(self) -> None:
        """Show the selected APIs alone, in map and table, until the filter is taken away."""
        rowids = self._selection.rowids()
        words = counted(len(rowids), "selected API")
        if len(rowids):
            self._look.filters.put(ApiFilter(id=CHOSEN, words=words, rowids=rowids))

    def invert(self) -> None:
        """Select what is shown and not selected."""
        self._selection.invert(self._shown())

    def take_toolkits(self) -> None:
        """Select all shown APIs of the toolkits of the selected ones."""
        labels = self._catalogue.labels
        own = np.unique(labels[self._selection.mask])
        mask = np.isin(labels, own[own >= 0]) & self._shown()
        ids = [int(self._catalogue.toolkits[i].id) for i in own.tolist() if i >= 0]
        self._selection.set_mask(mask, {"by": "toolkit", "toolkits": ids})

    def grow(self) -> None:
        """Add the nearest neighbours of the selected APIs."""
        self._by_neighbours(grown, "grow")

    def shrink(self) -> None:
        """Take away the selected APIs most of whose nearest neighbours are not selected."""
        self._by_neighbours(shrunk, "shrink")

    def take_similar(self) -> None:
        """Select the APIs most like the selected ones, in place of them."""
        workspace, catalogue = self._workspace, self._catalogue
        mask, shown = self._selection.mask.copy(), self._shown()
        if not mask.any():
            return
        made: Made = {"by": "similar", "of": self._selection.rowids()[:100].tolist()}

        async def flow() -> None:
            found = await self._tasks.in_thread(lambda: find_similar(workspace, catalogue, mask))
            if catalogue is self._catalogue:
                self._selection.set_mask(found & shown, made)
                self._tell(f"{counted(self._selection.count, 'similar API')} selected")

        self._tasks.spawn(flow(), owner=self)

    def search(self, text: str, how: How) -> None:
        """Look for points; `found` follows unless another search comes first."""
        self._searching.forget()
        workspace, catalogue = self._workspace, self._catalogue
        nothing = np.zeros(len(catalogue.rowids), dtype=bool)
        if not text:
            self.found.emit(text, how, nothing, "")
            return
        find = find_pattern if how == "regex" else find_words

        self._searching.ask(
            lambda: find(workspace, catalogue, text),
            lambda mask: self.found.emit(text, how, mask, ""),
            lambda error: self.found.emit(text, how, nothing, f"{error.what}: {error.why}"),
        )

    def take_found(self, mask: np.ndarray, text: str, how: How) -> None:
        """Select the shown ones of what a search found."""
        self._selection.set_mask(mask & self._shown(), {"by": _BY[how], "text": text})

    def save(self, name: str) -> None:
        """Keep the selection under a name."""
        rowids, made = self._selection.rowids(), self._selection.made
        self._write(
            lambda: save_selection(self._workspace, name, rowids, made),
            f"Saved {counted(len(rowids), 'API')} as “{name}”",
        )

    def forget(self, name: str) -> None:
        """Remove a saved selection."""
        self._write(
            lambda: remove_selection(self._workspace, name), f"Removed the saved selection “{name}”"
        )

    def take_saved(self, name: str) -> None:
        """Select what was saved under a name."""
        for one in self.saved:
            if one.name == name:
                made = {"by": "saved", "name": name}
                self._selection.select_apis(one.rowids.astype(np.int64), made=made)

    def copy_ids(self, put: Callable[[str], None]) -> None:
        """Hand the permanent ids of the selected APIs to `put`, one a line."""
        workspace, rowids = self._workspace, self._selection.rowids().tolist()
        if not rowids:
            return

        async def flow() -> None:
            apis = await self._tasks.in_thread(lambda: apis_by_rowid(workspace, rowids))
            put("\n".join(str(apis[rowid].id) for rowid in rowids if rowid in apis))
            self._tell(f"Copied {counted(len(apis), 'id')}")

        self._tasks.spawn(flow(), owner=self)

    def _shown(self) -> np.ndarray:
        visible = self._look.visible
        return np.ones(len(self._catalogue.rowids), bool) if visible is None else visible

    def _by_neighbours(
        self, change: Callable[[np.ndarray, np.ndarray], np.ndarray], how: str
    ) -> None:
        near, before = self._look.neighbours, self._selection.mask
        if near is None or len(near) != len(before):
            return
        # Gathering a few neighbours of a few thousand points takes milliseconds.
        after = change(near, before) & (self._shown() | before)
        words = self._selection.made
        steps = words["steps"] if words.get("by") == "steps" else [words]
        self._selection.set_mask(
            after, {"by": "steps", "steps": [*steps, {"by": "neighbours", "do": how}]}
        )
        self._tell(f"{counted(self._selection.count, 'API')} selected")

    def _write(self, work: Callable[[], None], words: str) -> None:
        async def flow() -> None:
            try:
                await self._tasks.in_thread(work)
            except ToolPlannerError as error:
                self._report(error)
                return
            self._tell(words)
            await self._saved_reader.refresh()

        self._tasks.spawn(flow(), owner=self)

    def _on_saved(self, saved: list[SavedSelection]) -> None:
        self.saved = saved
        self.saved_changed.emit()
