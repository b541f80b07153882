"""Cohesion, similarity and health of toolkits, kept for the open workspace and renewed by edits.

Lists, details, the staging tray and dialogs ask here at any time, without waiting: figures that are
not known yet are None, and `changed` tells when they are. Computed off the GUI thread; an edit
renews the toolkits that it touched, the end of a run the health.
"""

from collections.abc import Collection, Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.grouping.toolkit_sums import (
    NO_SUMS,
    Similar,
    ToolkitSums,
    sum_of_apis,
    toolkit_sums,
)
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.patching import CatalogueEdit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures
from toolplanner_gui.bridge.latest_request import LatestState
from toolplanner_gui.bridge.tasks import Tasks


class ToolkitMetrics(QObject):
    """Figures of the toolkits. GUI thread.

    Signals:
        changed: figures of these toolkits, or of all (None), are others now.
        called: a run has called APIs, and health is as of it.
    """

    changed = Signal(object)
    called = Signal()

    def __init__(self, workspace: Workspace, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._workspace = workspace
        self.sums = NO_SUMS
        """How similar toolkits are, alone and together."""
        self._calls: Mapping[int, CallFigures] = {}
        self._health: dict[ToolkitId, CallFigures] = {}
        self._catalogue: CuratedCatalogue | None = None
        self._outdated: frozenset[ToolkitId] | None = frozenset()
        """Toolkits whose sums are from before an edit; None = all."""
        self._sums_reader = LatestState(tasks, self, self._read_sums, self._on_sums)
        self._calls_reader = LatestState(
            tasks, self, lambda: call_figures(workspace), self._on_calls
        )

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Compute everything for a catalogue that was read anew."""
        self._catalogue = catalogue
        if catalogue.toolkits:
            self._outdated = None
            self._sums_reader.refresh()
            self._calls_reader.refresh()

    def follow(self, edit: CatalogueEdit, catalogue: CuratedCatalogue) -> None:
        """Renew what an edit touched."""
        self._catalogue = catalogue
        changes = edit.done.changes
        if changes.members or changes.begun or changes.ended:
            if self._outdated is not None:
                self._outdated |= frozenset(edit.touched)
            self._sums_reader.refresh()

    def refresh_health(self) -> None:
        """Read the calls of all runs anew, after one has ended."""
        self._calls_reader.refresh()

    def cohesion(self, toolkit: ToolkitId) -> float | None:
        """Mean cosine of the members to their centroid, 0 to 1; None if it is not known."""
        return self.sums.cohesion(toolkit)

    async def rank_for(self, rowids: Collection[int], n: int) -> list[Similar]:
        """The toolkits most similar to some APIs, the best first."""
        chosen = list(rowids)
        total, known = await self._tasks.in_thread(lambda: sum_of_apis(self._workspace, chosen))
        return self.sums.nearest_to(total, n) if known else []

    def health(self, toolkit: ToolkitId) -> CallFigures | None:
        """How the calls of a toolkit's APIs ended; None if there were none."""
        return self._health.get(toolkit)

    def health_of_api(self, rowid: int) -> CallFigures | None:
        """How the calls of an API ended; None if there were none."""
        return self._calls.get(rowid)

    @property
    def has_health(self) -> bool:
        """Whether any call tells the health of an API."""
        return any(each.n for each in self._calls.values())

    def _read_sums(self) -> tuple[frozenset[ToolkitId] | None, ToolkitSums | None]:
        touched = self._outdated
        return touched, toolkit_sums(self._workspace, touched)

    def _on_sums(self, found: tuple[frozenset[ToolkitId] | None, ToolkitSums | None]) -> None:
        touched, sums = found
        if not self._sums_reader.is_outdated:
            self._outdated = frozenset()
        if touched is None or self.sums is NO_SUMS:
            self.sums = sums or NO_SUMS
        elif sums is not None:
            self.sums.renew(sums)
        self._fold_health()
        self.changed.emit(touched)

    def _on_calls(self, calls: Mapping[int, CallFigures]) -> None:
        are_new, self._calls = calls != self._calls, calls
        self._fold_health()
        self.changed.emit(None)
        if are_new:
            self.called.emit()

    def _fold_health(self) -> None:
        catalogue = self._catalogue
        self._health = {}
        if catalogue is None or not self._calls:
            return
        rowids = np.fromiter(self._calls, np.int64, len(self._calls))
        for rowid, point in zip(rowids.tolist(), catalogue.places_of(rowids).tolist(), strict=True):
            toolkit = catalogue.toolkit_of_point(point) if point >= 0 else None
            if toolkit is not None:
                old = self._health.get(toolkit.id, CallFigures(n_ok=0, n_failed=0))
                self._health[toolkit.id] = old.plus(self._calls[rowid])
