"""The first map of a workspace is shown at once, and what is computed better comes in its place,
but never under the hand of somebody who works.

Final places are shown by themselves only where nothing is selected, nothing was edited and the map
was not moved since the first places came. Else they wait until they are asked for.
"""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.viewmodels.curate.selection import Selection

MAP_VIEW = "map"
"""Under this name the view state keeps where the map is looked at; nothing while it is whole."""


class FirstMap(QObject):
    """Whether first places are shown, and whether final ones wait. GUI thread.

    Args:
        selection, view: what tells whether somebody works on the map.

    Signals:
        waiting_changed: `is_waiting` is another one.
    """

    waiting_changed = Signal()

    def __init__(self, selection: Selection, view: ViewState, parent: QObject) -> None:
        super().__init__(parent)
        self._selection, self._view = selection, view
        self._is_shown = False
        self._is_edited = False
        self.is_waiting = False
        """Whether there are final places that are not shown yet."""

    def begin(self) -> None:
        """First places are there."""
        self._is_shown, self._is_edited = True, False

    def note_edit(self) -> None:
        """Somebody has edited toolkits."""
        self._is_edited = True

    def finish(self) -> None:
        """Final places are there: they wait if somebody works on the first ones."""
        if self._is_shown and self._is_worked_on:
            self._set_waiting(True)
        self._is_shown = False

    def show_final(self) -> None:
        """Let final places be shown, the next time that the catalogue is read."""
        self._set_waiting(False)

    def places_for(self, read: CuratedCatalogue, shown: CuratedCatalogue) -> CuratedCatalogue:
        """A catalogue that was read, in the places that are shown while others wait."""
        is_same = len(read.rowids) == len(shown.rowids)
        if not (self.is_waiting and is_same and np.array_equal(read.rowids, shown.rowids)):
            self._set_waiting(False)
            return read
        return replace(read, xy=shown.xy, note=shown.note)

    @property
    def _is_worked_on(self) -> bool:
        is_moved = bool(self._view.values(MAP_VIEW))
        is_held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return self._is_edited or is_moved or is_held or not self._selection.is_empty

    def _set_waiting(self, is_waiting: bool) -> None:
        if is_waiting != self.is_waiting:
            self.is_waiting = is_waiting
            self.waiting_changed.emit()
