"""The list of all shortcuts, made from the action data; a few letters narrow it."""

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.action import Action, all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.keyboard import HINTS
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (680, 560)
_ELSEWHERE = (
    *((f"Map: {what[:1].lower()}{what[1:]}", keys) for keys, what in HINTS),
    ("Search: go to the results", "Down"),
    ("Details: edit the text that has the focus", "Return"),
    ("Details: keep a text of several lines", "Ctrl+Return"),
    ("Staging tray: merge", "Return"),
    ("Staging tray: take a toolkit out", "Delete"),
    ("History: go to a point", "Return"),
    ("Runs: delete those that are selected", "Delete"),
    ("Review: details of the toolkit", "Return"),
)


class ShortcutsDialog(Dialog):
    """Action and keys."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Shortcuts")
        self.resize(*_SIZE)
        self._rows = _rows()
        self.field = SearchField("Type an action or a key")
        self.model = TableModel(("Action", "Keys"), self)
        self.view = QuietTree("Shortcuts", is_flat=True)
        self.view.ensurePolished()  # else another font measures the keys
        advance = self.view.fontMetrics().horizontalAdvance
        widest = max(advance(row.cells[1]) for row in self._rows)
        self.view.set_model(self.model, {1: widest + 4 * GAP})
        self._delegate = HighlightDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.add(self.field, (self.view, 1))
        self.add_buttons(None, "Close")
        self.field.textChanged.connect(self._fill)
        self._fill("")

    def _fill(self, text: str) -> None:
        words = text.casefold().split()
        self._delegate.set_words(words)
        self.model.set_rows(
            [
                row
                for row in self._rows
                if all(word in " ".join(row.cells).casefold() for word in words)
            ]
        )


def plain_title(title: str) -> str:
    """A title without the mark of its letter and without dots."""
    return title.replace("&&", "\0").replace("&", "").replace("\0", "&").replace(" …", "")


def keys_in_words(shortcut: str) -> str:
    """A shortcut as this system writes it."""
    return QKeySequence.fromString(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


def _rows() -> list[Row]:
    found = [
        Row(
            cells=(
                plain_title(f"{menu.title}: {action.title}"),
                _keys_of(action),
            ),
            key=place,
        )
        for place, (menu, action) in enumerate(all_actions())
        if action.keys
    ]
    return [*found, *(Row(cells=cells, key=cells[0]) for cells in _ELSEWHERE)]


def _keys_of(action: Action) -> str:
    """The keys, each once with the places where it works: "Ctrl+D (in Curate and Review)"."""
    places: dict[str, list[str]] = {}
    for keys, place in action.shortcuts:
        places.setdefault(keys, []).extend([place.capitalize()] if place else [])
    return ", ".join(
        keys_in_words(keys) + (f" (in {' and '.join(where)})" if where else "")
        for keys, where in places.items()
    )


PLUGIN = DialogPlugin.of(dialog_commands.shortcuts, ShortcutsDialog)
