"""The list of all shortcuts, made from the action data."""

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.keys import HINTS
from toolplanner_gui.viewmodels.table_model import Columns, Row, TableModel
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog

_ELSEWHERE = (
    *((f"Map: {what[:1].lower()}{what[1:]}", keys) for keys, what in HINTS),
    ("Search: go to the results", "Down"),
)


class ShortcutsDialog(Dialog):
    """Action and keys."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Shortcuts")
        self.resize(460, 480)
        model = TableModel(Columns(titles=("Action", "Keys")), self)
        view = QuietTree("Shortcuts", is_flat=True)
        view.set_model(model, {1: 200})
        rows = [
            Row(cells=(_plain(f"{menu.title}: {action.title}"), _keys(action.shortcut)), key=i)
            for i, (menu, action) in enumerate(all_actions())
            if action.shortcut
        ]
        model.set_rows([*rows, *(Row(cells=cells, key=cells) for cells in _ELSEWHERE)])
        self.column.addWidget(view, 1)
        self.add_buttons(None, "Close")


def _plain(title: str) -> str:
    return title.replace("&", "").replace(" …", "")


def _keys(shortcut: str) -> str:
    return QKeySequence.fromString(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
