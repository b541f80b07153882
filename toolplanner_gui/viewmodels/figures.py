"""Cohesion, similarity and health of toolkits, kept for the open workspace and renewed by edits.

Lists, details, the staging tray and dialogs ask here at any time, without waiting: figures that are
not known yet are None, and `changed` tells when they are. Computed off the GUI thread; an edit
renews the toolkits that it touched, the end of a run the health.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.figures import ToolkitSums, sum_of_apis, toolkit_sums
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_figures import CallFigures, call_figures
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.catalogue import Catalogue
from toolplanner_gui.viewmodels.catalogue_patch import CatalogueEdit


class Similar(NamedTuple):
    """A toolkit and the cosine of its centroid to what was asked about."""

    toolkit: ToolkitId
    cosine: float


class Figures(QObject):
    """Figures of the toolkits. GUI thread.

    Signals:
        changed: some figures are others now.
    """

    changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._workspace: Workspace | None = None
        self._row: dict[ToolkitId, int] = {}
        self._ids: list[ToolkitId] = []
        self._sums = np.zeros((0, 0), np.float32)
        self._counts = np.zeros(0, np.int64)
        self._calls: Mapping[int, CallFigures] = {}
        self._health: dict[ToolkitId, CallFigures] = {}
        self._catalogue: Catalogue | None = None
        self._is_reading_all = False

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Forget all figures; those of the new workspace follow with its catalogue."""
        self._workspace = workspace
        self._set(None)
        self._calls, self._health, self._catalogue = {}, {}, None
        self.changed.emit()

    def set_catalogue(self, catalogue: Catalogue) -> None:
        """Compute everything for a catalogue that was read anew."""
        self._catalogue = catalogue
        workspace = self._workspace
        if workspace is not None and catalogue.toolkits:
            self._tasks.cancel_all(self)
            self._tasks.spawn(self._read_all(workspace), owner=self)

    def follow(self, edit: CatalogueEdit, catalogue: Catalogue) -> None:
        """Renew what an edit touched."""
        self._catalogue = catalogue
        if self._is_reading_all:
            # What is being read may be from before the edit.
            self.set_catalogue(catalogue)
            return
        workspace = self._workspace
        is_of_members = bool(edit.done.changes.members) or any(
            "is_living" in fields for fields in edit.done.changes.toolkits.values()
        )
        if workspace is not None and is_of_members:
            self._tasks.spawn(self._renew(workspace, edit.touched), owner=self)

    def refresh_health(self) -> None:
        """Read the calls of all runs anew, after one has ended."""
        if self._workspace is not None:
            self._tasks.spawn(self._read_calls(self._workspace), owner=self)

    def cohesion(self, toolkit: ToolkitId) -> float | None:
        """Mean cosine of the members to their centroid, 0 to 1; None if it is not known."""
        row = self._row.get(toolkit)
        return None if row is None else _cohesion(self._sums[row], int(self._counts[row]))

    def cohesion_of_all(self, toolkits: Iterable[ToolkitId]) -> float | None:
        """The cohesion that these toolkits would have as one."""
        rows = [self._row[toolkit] for toolkit in toolkits if toolkit in self._row]
        if not rows:
            return None
        return _cohesion(self._sums[rows].sum(axis=0), int(self._counts[rows].sum()))

    def similarity(self, one: ToolkitId, other: ToolkitId) -> float | None:
        """Cosine of the centroids of two toolkits."""
        if one not in self._row or other not in self._row:
            return None
        a, b = self._sums[self._row[one]], self._sums[self._row[other]]
        return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9))

    def nearest(self, toolkit: ToolkitId, n: int) -> list[Similar]:
        """The toolkits most similar to one, itself left out."""
        row = self._row.get(toolkit)
        if row is None:
            return []
        return [s for s in self._rank(self._sums[row], n + 1) if s.toolkit != toolkit][:n]

    async def rank_for(self, rowids: Collection[int], n: int) -> list[Similar]:
        """The toolkits most similar to some APIs, the best first."""
        workspace = self._workspace
        if workspace is None or not len(self._ids):
            return []
        chosen = list(rowids)
        total, known = await self._tasks.in_thread(lambda: sum_of_apis(workspace, chosen))
        return self._rank(total, n) if known and len(total) == self._sums.shape[1] else []

    def health(self, toolkit: ToolkitId) -> CallFigures | None:
        """How the calls of a toolkit's APIs ended; None if there were none."""
        return self._health.get(toolkit)

    def health_of_api(self, rowid: int) -> CallFigures | None:
        """How the calls of an API ended; None if there were none."""
        return self._calls.get(rowid)

    @property
    def has_health(self) -> bool:
        """Whether any API was ever called."""
        return bool(self._calls)

    def _rank(self, vector: np.ndarray, n: int) -> list[Similar]:
        lengths = np.linalg.norm(self._sums, axis=1) * max(float(np.linalg.norm(vector)), 1e-9)
        cosines = self._sums @ vector / np.maximum(lengths, 1e-9)
        cosines[self._counts == 0] = -1
        best = np.argsort(-cosines, kind="stable")[:n]
        return [Similar(self._ids[i], float(cosines[i])) for i in best.tolist() if cosines[i] > -1]

    async def _read_all(self, workspace: Workspace) -> None:
        self._is_reading_all = True
        sums = await self._tasks.in_thread(lambda: toolkit_sums(workspace))
        self._is_reading_all = False
        if workspace is self._workspace:
            self._set(sums)
            self.changed.emit()
            await self._read_calls(workspace)

    async def _renew(self, workspace: Workspace, touched: Collection[ToolkitId]) -> None:
        sums = await self._tasks.in_thread(lambda: toolkit_sums(workspace, touched))
        if workspace is not self._workspace or sums is None:
            return
        new = [toolkit for toolkit in sums.toolkits if toolkit not in self._row]
        for toolkit in new:
            self._row[toolkit] = len(self._ids)
            self._ids.append(toolkit)
        if new:
            width = sums.sums.shape[1]
            blank = np.zeros((len(new), width), np.float32)
            self._sums = np.concatenate([self._sums.reshape(-1, width), blank])
            self._counts = np.concatenate([self._counts, np.zeros(len(new), np.int64)])
        rows = [self._row[toolkit] for toolkit in sums.toolkits]
        self._sums[rows] = sums.sums
        self._counts[rows] = sums.counts
        self._fold_health()
        self.changed.emit()

    async def _read_calls(self, workspace: Workspace) -> None:
        calls = await self._tasks.in_thread(lambda: call_figures(workspace))
        if workspace is self._workspace:
            self._calls = calls
            self._fold_health()
            self.changed.emit()

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

    def _set(self, sums: ToolkitSums | None) -> None:
        self._ids = [] if sums is None else list(sums.toolkits)
        self._row = {toolkit: i for i, toolkit in enumerate(self._ids)}
        self._sums = np.zeros((0, 0), np.float32) if sums is None else sums.sums
        self._counts = np.zeros(0, np.int64) if sums is None else sums.counts


def _cohesion(total: np.ndarray, count: int) -> float | None:
    # The mean cosine to the centroid is the length of the mean vector.
    return float(np.linalg.norm(total)) / count if count else None
