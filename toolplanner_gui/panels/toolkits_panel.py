"""The toolkit list: a tree of toolkits and their APIs, and a search over all of them."""

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QToolButton

from toolplanner_core.curation.looking.details import ToolkitMember, read_members
from toolplanner_core.curation.looking.patching import CatalogueEdit
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.curation.looking.toolkit_rows import Grouping
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.retrieval.search_methods import (
    BY_WORDS,
    ONLY_WORDS,
    SearchMethods,
    search_methods,
)
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.drag_and_drop import SelectionDrag
from toolplanner_gui.panels.panel import READING, Panel
from toolplanner_gui.panels.toolkit_search import ToolkitSearch
from toolplanner_gui.panels.toolkit_tree import ExpandedRows, ToolkitTree
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.toolkit_model import ROWID_ROLE, TOOLKIT_ROLE, ToolkitModel
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, pages_of
from toolplanner_gui.widgets.buttons import icon_button, on_menu
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField

_UNPLACED = (
    "They came in since the map was made: no plan over toolkits is offered them, and no search"
    " finds them by meaning. Prepare puts them into toolkits and on the map; nothing else moves."
)
_LOOSE = "Select the APIs that no toolkit holds: no plan over toolkits is offered them"


class UngroupedApisRow(QPushButton):
    """Says how many there are, and places or selects them; hidden where each API has a toolkit."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.clicked.connect(lambda _=False: self._go_on())
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edited)
        self._show()

    @property
    def _loose(self) -> np.ndarray:
        catalogue = self._context.catalogue
        return catalogue.rowids[catalogue.labels < 0]

    def _on_edited(self, _edit: object) -> None:
        self._show()

    def _show(self) -> None:
        n, n_unplaced = len(self._loose), self._context.catalogue.n_unplaced
        if n_unplaced:
            self.setText(f"{counted(n_unplaced, 'new API')} without a place · Prepare …")
        else:
            self.setText(f"Without a toolkit · {count(n)}")
        self.setToolTip(plain_tooltip(_UNPLACED if n_unplaced else _LOOSE))
        self.setVisible(n + n_unplaced > 0 and bool(self._context.catalogue.toolkits))

    def _go_on(self) -> None:
        if self._context.catalogue.n_unplaced:
            self._context.shell.open(dialog_commands.prepare)
            return
        made = {"by": "without a toolkit"}
        self._context.selection.select_apis(self._loose.tolist(), self, made=made)


_PROPOSED = (
    "Other members came, or members left: the rule would call these toolkits otherwise. They keep"
    " their names until you take another"
)
_WHY = "Neither planned with nor called until you accept what an import changed of them"


class ChangedDocumentationRow(QPushButton):
    """Says how many there are and leads to what changed; hidden where none waits."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.setToolTip(plain_tooltip(_WHY))
        self.clicked.connect(self._look)
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edited)
        self._show()

    def _on_edited(self, _edit: object) -> None:
        self._show()

    def _look(self) -> None:
        self._context.shell.open(dialog_commands.changed_documentation)

    def _show(self) -> None:
        n = int(self._context.catalogue.waiting.sum())
        self.setText(f"{counted(n, 'API')} with changed documentation · Look …")
        self.setVisible(n > 0)


class ProposedNamesRow(QPushButton):
    """Says for how many toolkits another name is proposed; hidden where none is."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "link")
        self.setToolTip(plain_tooltip(_PROPOSED))
        self.clicked.connect(lambda: context.shell.open(dialog_commands.proposed_names))
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edit)
        self._show()

    def _on_edit(self, _edit: object) -> None:
        self._show()

    def _show(self) -> None:
        n = sum(bool(one.proposed_name) for one in self._context.catalogue.toolkits)
        self.setText(f"{counted(n, 'proposed name')} · Look …")
        self.setVisible(n > 0)


_ROOM_FOR_FIT = 300
"""Width from which the fit is shown beside the names, pixels."""
_ROOM_FOR_MARKS = 240


class ToolkitsPanel(Panel):
    """Search field above; below the tree, the results of a search, or what to do first."""

    least = QSize(200, 260)

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.field = SearchField("Search toolkits and APIs (Ctrl+F)")
        self.model = ToolkitModel(self._read_members, self, figures=context.figures)
        self.tree = ToolkitTree(self.model)
        self.tree.not_found.connect(self._on_not_found)
        self._rows = ExpandedRows(self.tree, self.model, context.view)
        self.regions_button = icon_button(
            "file-tree-outline", "Group the toolkits by region", self._on_regions_clicked
        )
        self.regions_button.setCheckable(True)
        self.regions_button.setChecked(context.choices.lists_regions)
        self.search = ToolkitSearch(context, self.field, self)
        self._ways = ONLY_WORDS
        self._empty = EmptyState("hexagon-multiple-outline")
        self.pages = pages_of(self._empty, self.tree, self.search)
        top = column_of(self.field, margins=(EDGE, 0, EDGE, 0))
        self.loose = UngroupedApisRow(context)
        self.waiting = ChangedDocumentationRow(context)
        self.proposed = ProposedNamesRow(context)
        below = column_of(self.proposed, self.waiting, self.loose, margins=(EDGE, 0, EDGE, 0))
        column_of(top, (self.pages, 1), below, of=self, gap=GAP)

        self.field.searched.connect(self._on_searched)
        self.field.left_down.connect(self._on_left_down)
        self.tree.selectionModel().selectionChanged.connect(self._on_tree_selection)
        # A row that is marked already, as the home of selected APIs, is not selected anew.
        self.tree.pressed.connect(self._on_tree_selection)
        on_menu(self.tree, lambda _place, at: self._open_menu(at))
        for view in (self.tree, self.search.view):
            SelectionDrag(context, view, self)
        self.search.menu_wanted.connect(self._open_menu)
        context.catalogue_changed.connect(self._on_catalogue_changed)
        context.catalogue_edited.connect(self._on_edited)
        context.jobs.started.connect(self._say_what_is_missing)
        context.jobs.ended.connect(self._say_what_is_missing)
        context.colours_changed.connect(self._on_colours_changed)
        context.figures.changed.connect(self._on_figures)
        context.map_look.known.connect(self._show_regions)
        context.selection.changed.connect(self._on_selection_changed)
        self.model.set_colours(context.colours)
        self._on_catalogue_changed()
        self._on_figures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_ways(self._ways)
        # Names before figures, where there is no room for both.
        self.tree.setColumnHidden(ToolkitColumn.COHESION, not self._has_room)
        self.tree.setColumnHidden(ToolkitColumn.MARKS, self.width() < _ROOM_FOR_MARKS)

    def buttons(self) -> Sequence[QToolButton]:
        return (self.regions_button,)

    @property
    def is_idle(self) -> bool:
        return self.search.is_idle

    def toolkit_at(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit of the row at a global place, which is marked."""
        if self.pages.currentWidget() is self.search:
            return self.search.toolkit_at(place)
        return self.tree.row_at(place).data(TOOLKIT_ROLE)

    def find(self) -> None:
        """Put the cursor into the search field."""
        self.field.find()

    def _read_members(self, toolkit: ToolkitId, begin: int, n: int) -> Sequence[ToolkitMember]:
        workspace = self.context.workspace
        return [] if workspace is None else read_members(workspace, toolkit, begin, n)

    def _on_colours_changed(self) -> None:
        self.model.set_colours(self.context.colours)

    def _on_catalogue_changed(self) -> None:
        catalogue = self.context.catalogue
        self.model.set_unused(catalogue.unused_toolkits())
        self.model.set_regions(self._grouping(), catalogue.toolkits)
        self._rows.expand()
        self.field.setEnabled(catalogue.n_apis > 0)
        self._say_what_is_missing()
        self.search.set_catalogue()
        self._read_ways()
        self._show_page()
        self._on_selection_changed(None)

    def _say_what_is_missing(self) -> None:
        catalogue = self.context.catalogue
        if self.context.jobs.running:
            self._empty.say("The list appears here when the work below has finished.")
        elif self.context.is_catalogue_loading:
            self._empty.say(READING)
        elif catalogue.n_apis:
            prepare = partial(self.context.shell.open, dialog_commands.prepare)
            self._empty.say("No toolkits yet.", button="Prepare …", run=prepare)
        else:
            to_import = partial(self.context.shell.open, dialog_commands.import_tools)
            self._empty.say("No APIs yet.", button="Import tools …", run=to_import)

    def _on_edited(self, edit: CatalogueEdit) -> None:
        """Only what the edit touched changes: order, scroll place and what is open stay."""
        bar, chosen = self.tree.verticalScrollBar(), self.tree.selectionModel()
        place = bar.value()
        was_blocked = chosen.blockSignals(True)
        try:
            self.model.set_unused(self.context.catalogue.unused_toolkits())
            self.model.follow(self.context.catalogue.toolkits, edit.touched)
            self._rows.expand()
            self.tree.doItemsLayout()  # else it paints itself now and once more after that
        finally:
            chosen.blockSignals(was_blocked)
        self._show_page()
        self._mark_selection(is_scrolled=False)
        bar.setValue(place)

    def _on_figures(self, toolkits: Collection[ToolkitId] | None = None) -> None:
        self.model.figures_changed(toolkits)
        self.tree.setColumnHidden(ToolkitColumn.HEALTH, not self.context.figures.has_health)

    def _on_regions_clicked(self) -> None:
        self.context.choices.lists_regions = self.regions_button.isChecked()
        self._show_regions()

    def _grouping(self) -> Grouping | None:
        look = self.context.map_look
        self.regions_button.setVisible(bool(look.regions))
        is_wanted = self.regions_button.isChecked() and look.regions
        return Grouping(look.regions, look.region_of) if is_wanted else None

    def _show_regions(self) -> None:
        """Toolkits in the regions of the map, where there are many and nobody wants one list."""
        grouping = self._grouping()
        if self.model.follow_regions(grouping):
            return
        self.model.set_regions(grouping)
        self._rows.expand()
        self._mark_selection(is_scrolled=bool(self.context.chosen.toolkits))

    def _show_page(self) -> None:
        before = self.pages.currentWidget()
        if self.field.text().strip() and self.context.catalogue.n_apis:
            self.pages.setCurrentWidget(self.search)
        elif self.context.catalogue.toolkits:
            self.pages.setCurrentWidget(self.tree)
        else:
            self.pages.setCurrentWidget(self._empty)
        if self.pages.currentWidget() is not before:
            # What was selected in the one list is not marked in the other.
            self._on_selection_changed(None)

    def _read_ways(self) -> None:
        """Find out by what is searched here."""
        self._show_ways(ONLY_WORDS)
        if (workspace := self.context.workspace) is not None:
            self.newest.ask(lambda: search_methods(workspace), self._show_ways)

    @property
    def _has_room(self) -> bool:
        return self.width() >= _ROOM_FOR_FIT

    def _show_ways(self, ways: SearchMethods) -> None:
        """Name in the field by what it searches."""
        self._ways = ways
        n_apis, problem = self.context.catalogue.n_apis, self.search.problem
        words = "words only" if problem else ways.words
        said = f"Search by {words} (Ctrl+F)" if self._has_room else words.capitalize()
        self.field.setPlaceholderText(said if n_apis else "Search")
        explained = f"{BY_WORDS}\n{problem}" if problem else ways.explained
        said = f"Search {counted(n_apis, 'API')} and their toolkits.\n{explained}"
        self.field.setToolTip(plain_tooltip(said if n_apis else ""))

    def _on_searched(self, text: str) -> None:
        self._show_page()
        self._show_ways(self._ways)
        self.search.search(text)

    def _on_not_found(self, text: str) -> None:
        said = f"No toolkit begins with “{one_line(text, 40)}”"
        self.context.show_message(f"{said}; Ctrl+F finds words anywhere")

    def _on_left_down(self) -> None:
        is_search = self.pages.currentWidget() is self.search
        view = self.search.view if is_search else self.tree
        # Before the focus comes: it makes the first row current without choosing it.
        if not view.currentIndex().isValid():
            view.setCurrentIndex(view.model().index(0, 0))
        view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_tree_selection(self) -> None:
        rows = self.tree.selectionModel().selectedRows(0)
        apis = [i.data(ROWID_ROLE) for i in rows if i.data(ROWID_ROLE) is not None]
        toolkits = [t.id for i in rows for t in self.model.toolkits_of(i)]
        toolkits += [
            toolkit
            for i in rows
            if i.data(ROWID_ROLE) is None and (toolkit := i.data(TOOLKIT_ROLE)) is not None
        ]
        self.context.selection.select_rows(toolkits, apis, self)

    def _open_menu(self, place: QPoint) -> None:
        if not self.context.selection.is_empty:
            self.open_selection_menu(place)

    def _on_selection_changed(self, origin: object) -> None:
        if origin is not self:
            self._mark_selection(is_scrolled=True)
            self.search.mark_selection()

    def _mark_selection(self, *, is_scrolled: bool) -> None:
        """Mark the rows of what is selected elsewhere."""
        chosen = self.context.chosen
        indexes = [self.model.index_of(toolkit.id) for toolkit in chosen.toolkits]
        if not indexes and len(chosen.shares) == 1:
            owner = chosen.shares[0][0].id
            members = [self.model.index_of_member(owner, rowid) for rowid in chosen.ids[:200]]
            indexes = [index for index in members if index.isValid()]
            indexes = indexes or [self.model.index_of(owner)]
        model = self.tree.selectionModel()
        flag = QItemSelectionModel.SelectionFlag
        was_blocked = model.blockSignals(True)
        try:
            model.clear()
            for position, index in enumerate(i for i in indexes if i.isValid()):
                if position == 0:
                    model.setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
                else:
                    model.select(index, flag.Select | flag.Rows)
        finally:
            model.blockSignals(was_blocked)
        if indexes and indexes[0].isValid() and is_scrolled:
            self.tree.scrollTo(indexes[0])
        self.tree.viewport().update()
