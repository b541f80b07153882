"""A search field over a short list with scores, from which one row is taken."""

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import ROW_HEIGHT, SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_ROWS = 6
_SCORE_WIDTH = 76


class ChoiceList(QWidget):
    """Emits `searched` while it is typed, and `chosen` with the key of the row taken.

    Args:
        name: what is listed, for screen readers and as the text of the empty field.
        key_role: the role of the model that holds the key.
    """

    searched = Signal(str)
    chosen = Signal(object)

    def __init__(self, name: str, model: QAbstractItemModel, *, key_role: int) -> None:
        super().__init__()
        self._key_role = key_role
        self._model = model
        self.field = SearchField(name)
        self.view = QuietTree(name, is_flat=True)
        self.view.keep_both_ends()
        self.view.set_model(model, {1: _SCORE_WIDTH})
        self.view.setFixedHeight((_ROWS + 1) * ROW_HEIGHT + SPACE)
        self._note = text_label(role="dim", is_wrapped=True)
        self._note.hide()
        column_of(self.field, self._note, self.view, of=self, gap=SPACE)
        self.field.searched.connect(self.searched)
        self.field.left_down.connect(self._on_left_down)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.setFocusProxy(self.field)

    @property
    def key(self) -> Any:
        """The key of the row taken, None without one."""
        index = self.view.currentIndex()
        return index.data(self._key_role) if index.isValid() else None

    def take(self, key: object) -> None:
        """Mark the row with this key, without telling anybody."""
        selection = self.view.selectionModel()
        was_blocked = selection.blockSignals(True)
        for row in range(self._model.rowCount()):
            index = self._model.index(row, 0)
            if index.data(self._key_role) == key:
                self.view.setCurrentIndex(index)
                self.view.scrollTo(index)
        selection.blockSignals(was_blocked)
        self.view.viewport().update()

    def say(self, note: str) -> None:
        """What the list holds, in a line; "" = nothing."""
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def _on_left_down(self) -> None:
        self.view.setFocus(Qt.FocusReason.TabFocusReason)
        if self._model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self._model.index(0, 0))

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.data(self._key_role))
