"""The results of the toolkit list's search: toolkits by name, APIs by words and meaning.

The best are listed; a button selects everything that holds the words, with its exact number, for
an edit of them all. Part of the toolkits panel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.wording import count, counted, one_line, score
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.api_search import ApiSearch, Hit
from toolplanner_gui.viewmodels.columns import plain_tooltip
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.carried_tree import CarriedTree
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.menus import on_menu
from toolplanner_gui.widgets.search_field import SearchField

_SCORE_WIDTH = 78
_TOOLKITS = 20


@dataclass(frozen=True, slots=True)
class FoundToolkit:
    """Key of a row that stands for a toolkit; rows of APIs have their row id as key."""

    id: ToolkitId


class ToolkitSearch(QWidget):
    """Follows a search field; emits `menu_wanted` with a place of the screen."""

    menu_wanted = Signal(QPoint)

    def __init__(self, context: AppContext, field: SearchField, panel: QWidget) -> None:
        super().__init__(panel)
        self._context = context
        self._field = field
        self._panel = panel
        self._search = ApiSearch(context.tasks, self)
        self._toolkits: list[Toolkit] = []
        self.note = text_label(role="dim", is_wrapped=True)
        self.all_button = push_button("", self._select_all, role="link")
        self.model = TableModel(("Found", "Score"), self, numbers=(1,))
        self.view = CarriedTree("Toolkits and APIs found", lambda _row: True, is_flat=True)
        self.view.keep_both_ends()
        self.view.set_model(self.model, {1: _SCORE_WIDTH})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._delegate = HighlightDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        line = row_of((self.note, 1), self.all_button, margins=(EDGE, 0, EDGE, 0))
        column_of(line, (self.view, 1), of=self, gap=SPACE)
        self._search.found.connect(self._on_found)
        self.view.selectionModel().selectionChanged.connect(self._on_selection)
        on_menu(self.view, lambda _place, at: self.menu_wanted.emit(at))

    @property
    def is_idle(self) -> bool:
        """Whether the newest search was answered."""
        return self._search.is_idle

    def set_catalogue(self) -> None:
        """Search another catalogue."""
        self._search.set_workspace(self._context.workspace)

    def toolkit_at(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit found at a global place, which is marked."""
        key = self.view.row_at(place).data(KEY_ROLE)
        return key.id if isinstance(key, FoundToolkit) else None

    def search(self, text: str) -> None:
        """Search for a text; "" finds nothing."""
        self._delegate.set_words(text.split())
        self._search.search(text)

    def _on_found(self, text: str, hits: Sequence[Hit], note: str) -> None:
        if text != self._field.text().strip():
            return
        self._toolkits = self._context.catalogue.named(text)
        rows = [self._toolkit_row(toolkit) for toolkit in self._toolkits[:_TOOLKITS]]
        self.model.set_rows([*rows, *(self._api_row(hit) for hit in hits)])
        self.view.scrollToTop()
        n_all = len(self._search.matching)
        total = self._context.catalogue.n_apis
        parts = [f"{count(n_all)} of {counted(total, 'API')}"]
        if self._toolkits:
            parts.append(counted(len(self._toolkits), "toolkit"))
        said = " · ".join(parts)
        if not n_all:
            said = "No API holds these words" if hits else f"Nothing fits “{one_line(text, 40)}”."
        self.note.setText(f"{said}. Found by words only." if note and hits else said)
        self.note.setToolTip(plain_tooltip(note))
        self.all_button.setText(f"Select all {count(n_all)}")
        self.all_button.setToolTip(
            plain_tooltip(f"Select the {counted(n_all, 'API')} that hold every word of the search")
        )
        self.all_button.setVisible(n_all > 0)

    def _toolkit_row(self, toolkit: Toolkit) -> Row:
        return Row(
            cells=(one_line(toolkit.name), counted(toolkit.size, "API")),
            key=FoundToolkit(toolkit.id),
            icon=lambda: make_icon("hexagon-multiple-outline"),
            tooltip=f"{toolkit.name} · {counted(toolkit.size, 'API')}\n{toolkit.description}",
        )

    def _api_row(self, hit: Hit) -> Row:
        colours = self._context.colours
        colour = colours.get(hit.toolkit) if hit.toolkit is not None else None
        parts = " · ".join(f"{name} {score(value)}" for name, value in hit.parts.items())
        return Row(
            cells=(one_line(hit.title), score(hit.score)),
            key=hit.rowid,
            icon=None if colour is None else lambda: swatch(colour),
            tooltip=f"{hit.title}\n{hit.description}\n{parts}".strip(),
        )

    def _on_selection(self) -> None:
        keys = [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)]
        toolkits = [key.id for key in keys if isinstance(key, FoundToolkit)]
        apis = [key for key in keys if not isinstance(key, FoundToolkit)]
        selection = self._context.selection
        if apis:
            made = {"by": "search", "text": self._field.text().strip()}
            selection.select_apis(apis, self._panel, made=made)
        elif len(toolkits) == 1:
            selection.select_toolkit(toolkits[0], self._panel)
        elif toolkits:
            selection.select_toolkits(toolkits, self._panel)

    def _select_all(self) -> None:
        made = {"by": "search", "text": self._field.text().strip()}
        self._context.selection.select_apis(self._search.matching, self._panel, made=made)
