"""Details of several selected APIs: which they are, what can be done with them, their toolkits.

What a lasso has caught is listed here and stays while some of it are chosen in the list; what is
done is done with those.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QMenu,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QWidget,
)

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.theme.icons import colour_swatch
from toolplanner_gui.theme.tokens import EDGE, GAP, ICON_SIZE, ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.buttons import on_menu
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

MOST_LISTED = 500
"""APIs that are listed; the table of APIs has no end."""
_NUMBER_WIDTH = 84
_BESIDE = 2


class SeveralApisPage(QWidget):
    """Several APIs.

    Args:
        fill: adds what can be done with the selection to a menu.

    Signals:
        toolkit_chosen: id of a toolkit whose row was activated.
        apis_chosen: row ids of the APIs that were chosen in the list.
        api_wanted: row id of an API that was activated.
        menu_wanted: a place of the screen.
    """

    toolkit_chosen = Signal(object)
    apis_chosen = Signal(object)
    api_wanted = Signal(int)
    menu_wanted = Signal(QPoint)

    def __init__(self, fill: Callable[[QMenu], None]) -> None:
        super().__init__()
        self._fill = fill
        self._n_apis = 0
        self.title = text_label(role="heading")
        self._text = text_label(role="dim", is_wrapped=True)
        self._offered = QMenu(self)
        self._actions = QGridLayout()
        self._actions.setSpacing(SPACE)
        self.buttons: list[QToolButton] = []
        self.apis_model = TableModel(("API", "Toolkit"), self)
        self.apis = QuietTree("Selected APIs", is_flat=True)
        self.apis.set_model(self.apis_model, {}, shares={1: 0.4})
        self.apis.keep_both_ends()
        self.apis.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._model = TableModel(("Toolkits", "Selected"), self, numbers=(1,))
        self._view = QuietTree("Toolkits of the selected APIs", is_flat=True)
        self._view.set_model(self._model, {1: _NUMBER_WIDTH})
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.setMinimumHeight(1)  # in a low panel the lists give way, not the buttons
        self.pages.addTab(self.apis, "APIs")
        self.pages.addTab(self._view, "Toolkits")
        edges = (EDGE, SPACE, EDGE, 0)
        texts = column_of(self.title, self._text, self._actions, margins=edges, gap=GAP)
        column_of(texts, (self.pages, 1), of=self, gap=GAP)
        self._view.activated.connect(self._on_activated)
        self.apis.activated.connect(lambda index: self.api_wanted.emit(index.data(KEY_ROLE)))
        self.apis.selectionModel().selectionChanged.connect(self._on_chosen)
        on_menu(self.apis, lambda _place, at: self.menu_wanted.emit(at))

    def show_group(
        self,
        n_apis: int,
        shares: Sequence[tuple[Toolkit | None, int]],
        colours: Mapping[ToolkitId, str],
    ) -> None:
        """Show how many of the selected APIs belong to which toolkit, most first."""
        self._n_apis = n_apis
        known = [t for t, _ in shares if t is not None]
        more = (
            f" The first {MOST_LISTED} are listed; the table has all."
            if (n_apis > MOST_LISTED)
            else ""
        )
        self._text.setText(f"From {counted(len(known), 'toolkit')}.{more}")
        rows: list[Row] = []
        for toolkit, n in shares:
            colour = None if toolkit is None else colours.get(toolkit.id)
            rows.append(
                Row(
                    cells=(one_line(toolkit.name) if toolkit else "No toolkit", count(n)),
                    key=None if toolkit is None else toolkit.id,
                    icon=None if colour is None else lambda c=colour: colour_swatch(c),
                    tooltip="" if toolkit is None else f"{toolkit.name}\n{toolkit.description}",
                )
            )
        self._model.set_rows(rows)
        self.apis_model.set_rows([])
        self.show_actions()

    def show_apis(self, rows: Sequence[Row]) -> None:
        """List the APIs; the key of a row is its row id."""
        self.apis_model.set_rows(rows)

    def show_actions(self) -> None:
        """Offer as buttons what can be done with what is selected now."""
        chosen = len(self.apis.selectionModel().selectedRows(0))
        whole = f"{counted(self._n_apis, 'API')} selected"
        self.title.setText(f"{count(chosen)} of {whole}" if chosen else whole)
        self._offered.clear()
        self._fill(self._offered)
        for button in self.buttons:
            self._actions.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for action in self._offered.actions():
            if keys := action.shortcut().toString():
                action.setToolTip(f"{action.toolTip()} ({keys})")
            # The entry of the menu has the keys: of two that share them Qt obeys neither.
            action.setShortcuts([])
            button = QToolButton(self)
            button.setDefaultAction(action)
            button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
            button.setMinimumHeight(ROW_HEIGHT)
            button.setProperty("role", "field")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self.buttons.append(button)
        self._lay_out_actions()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out_actions()

    def _lay_out_actions(self) -> None:
        """Two beside each other with their words, or all in a row of icons where words would be
        cut."""
        style = Qt.ToolButtonStyle
        for button in self.buttons:
            button.setToolButtonStyle(style.ToolButtonTextBesideIcon)
        needed = _BESIDE * max((b.sizeHint().width() for b in self.buttons), default=0) + SPACE
        has_room = needed <= self.width() - 2 * EDGE
        beside = _BESIDE if has_room else max(1, len(self.buttons))
        for place, button in enumerate(self.buttons):
            if not has_room:
                button.setToolButtonStyle(style.ToolButtonIconOnly)
            self._actions.removeWidget(button)
            self._actions.addWidget(button, place // beside, place % beside)

    def _on_chosen(self) -> None:
        rowids = [index.data(KEY_ROLE) for index in self.apis.selectionModel().selectedRows(0)]
        if rowids:
            self.apis_chosen.emit(rowids)
            self.show_actions()

    def _on_activated(self, index: QModelIndex) -> None:
        toolkit = index.data(KEY_ROLE)
        if toolkit is not None:
            self.toolkit_chosen.emit(toolkit)


def several_apis_rows(
    workspace: Workspace, catalogue: CuratedCatalogue, rowids: np.ndarray
) -> list[Row]:
    """The first of some APIs with their toolkits, as the list shows them; not on the GUI thread."""
    listed = rowids[:MOST_LISTED]
    apis = apis_by_rowid(workspace, listed.tolist())
    places = catalogue.places_of(listed).tolist()
    rows: list[Row] = []
    for rowid, place in zip(listed.tolist(), places, strict=True):
        toolkit = catalogue.toolkit_of_point(place) if place >= 0 else None
        if (api := apis.get(rowid)) is None:
            continue
        name = "No toolkit" if toolkit is None else one_line(toolkit.name)
        tooltip = f"{api.title}\n{api.description}".strip()
        rows.append(Row(cells=(one_line(api.title), name), key=rowid, tooltip=tooltip))
    return rows
