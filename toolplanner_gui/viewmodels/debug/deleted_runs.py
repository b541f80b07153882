"""Runs that were deleted in this window since the last edit of toolkits: what undo brings back."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.formatting import counted


class DeletedRuns(QObject):
    """Deletions, the newest last. GUI thread."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._deletions: list[tuple[RunId, ...]] = []

    @property
    def label(self) -> str:
        """What undo would take back, such as "Delete run 14"; "" = nothing."""
        if not self._deletions:
            return ""
        newest = self._deletions[-1]
        return f"Delete {f'run {newest[0]}' if len(newest) == 1 else counted(len(newest), 'run')}"

    def note(self, runs: Sequence[RunId]) -> None:
        """These have just been deleted."""
        self._deletions.append(tuple(runs))
        self.changed.emit()

    def take_newest(self) -> tuple[RunId, ...]:
        """The runs deleted last, which are to be brought back now."""
        newest = self._deletions.pop()
        self.changed.emit()
        return newest

    def forget(self) -> None:
        """Something else was done since, or all are back."""
        if self._deletions:
            self._deletions.clear()
            self.changed.emit()
