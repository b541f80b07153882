"""What can be done to a selection: find, grow, shrink, invert, save, copy; off the GUI thread.

Only what the filter shows is ever taken. Menu entries, the map's keys and its search field call
`context.selecting`, and each way is remembered in `Selection.made`.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.chosen import Made
from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.curation.looking.map_finding import (
    find_pattern,
    find_similar,
    find_words,
    grown,
    shrunk,
)
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.saved_selections import (
    SavedSelection,
    remove_selection,
    save_selection,
    saved_selections,
)
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.filters import CHOSEN, ApiFilter
from toolplanner_gui.viewmodels.curate.map_look import MapLook
from toolplanner_gui.viewmodels.curate.selection import Selection

How = Literal["words", "regex"]
_BY = {"words": "search", "regex": "regex"}


class Selecting(QObject):
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
        look: MapLook,
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
        self._searching = Newest(tasks, self)
        tasks.spawn(self._read_saved(), owner=self)

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
            await self._read_saved()

        self._tasks.spawn(flow(), owner=self)

    async def _read_saved(self) -> None:
        self.saved = await self._tasks.in_thread(lambda: saved_selections(self._workspace))
        self.saved_changed.emit()
