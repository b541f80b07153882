"""Details of a toolkit: name, description and note to edit in place; members, similar, history."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QTabWidget,
    QWidget,
)

from toolplanner_core.curation.looking.details import (
    AUTHOR_ICONS,
    AUTHOR_WORDS,
    ToolkitDetails,
)
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.words.formatting import one_line, score, when
from toolplanner_gui.panels.details.run_uses import RunUseList
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, ICON_SIZE, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import on_menu, push_button
from toolplanner_gui.widgets.draggable_tree import DraggableTree
from toolplanner_gui.widgets.editable_text import EditableText
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

if TYPE_CHECKING:
    from toolplanner_core.runs.searching.usage import RunUse

_OLD_TEXT = "The description may be out of date: APIs came or left since it was written."
_NUMBER_WIDTH = 84
_WHEN_WIDTH = 64


class ToolkitPage(QWidget):
    """One toolkit.

    Args:

    Signals:
        members_chosen: row ids of the members that were chosen, list of int.
        members_taken: row ids of those that a hand begins to carry.
        members_let_go: it carries them no more.
        toolkit_chosen: id of a similar toolkit.
        renamed, described, noted: a new text that a person wrote.
        menu_wanted: a place of the screen.
    """

    members_chosen = Signal(object)
    members_taken = Signal(object)
    members_let_go = Signal()
    toolkit_chosen = Signal(object)
    renamed = Signal(str)
    described = Signal(str)
    noted = Signal(str)
    menu_wanted = Signal(QPoint)

    def __init__(self) -> None:
        super().__init__()
        self._toolkit: ToolkitId | None = None
        self._is_carrying = False
        self.name = EditableText("Name of the toolkit (F2)", role="heading")
        self.description = EditableText(
            "Description: what a planner reads (Shift+F2)",
            placeholder="No description. Click to write one.",
            is_long=True,
        )
        self.note = EditableText(
            "Note for people; no planner reads it", placeholder="Add a note …", is_long=True
        )
        self.still_true = push_button(
            "Still true", self._on_still_true, role="link", tip="The description stays as it is"
        )
        old_text = text_label(_OLD_TEXT, role="dim", is_wrapped=True)
        self.old_text = QWidget()
        row_of((old_text, 1), self.still_true, of=self.old_text, gap=SPACE)
        self._facts = text_label(role="dim", is_wrapped=True)
        self._authors = _AuthorLine()
        self.members_model = TableModel(("Members", "Centrality"), self, numbers=(1,))
        self.members = DraggableTree("Members, most central first", lambda _row: True, is_flat=True)
        self.members.set_model(self.members_model, {1: _NUMBER_WIDTH})
        self.members.keep_both_ends()
        self.members.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.members.header().setToolTip(
            "<p>Centrality: how near an API is to the middle of its toolkit in meaning, up to 1</p>"
        )
        self.similar_model = TableModel(("Toolkit", "Similarity"), self, numbers=(1,))
        self.similar = QuietTree("Similar toolkits", is_flat=True)
        self.similar.set_model(self.similar_model, {1: _NUMBER_WIDTH})
        self.history_model = TableModel(("What changed", "When"), self)
        self.history = QuietTree("What changed, newest first", is_flat=True)
        self.history.set_model(self.history_model, {1: _WHEN_WIDTH})
        self.runs = RunUseList("Runs that used the toolkit")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.members, "Members")
        self.tabs.addTab(self.similar, "Similar")
        self.tabs.addTab(self.history, "History")
        self.tabs.addTab(self.runs, "Runs")
        parts = (self.name, self._authors, self.description, self.old_text, self._facts, self.note)
        texts = column_of(*parts, margins=(EDGE, SPACE, EDGE, 0), gap=GAP)
        column_of(texts, (self.tabs, 1), of=self, gap=GAP)
        self.name.edited.connect(self.renamed)
        self.description.edited.connect(self.described)
        self.note.edited.connect(self.noted)
        # Not the current row: a click on the row that is current already must select it, too.
        self.members.selectionModel().selectionChanged.connect(self._on_members)
        self.members.clicked_through.connect(self._on_members)
        self.members.carried.connect(self._on_carried)
        on_menu(self.members, lambda _place, at: self.menu_wanted.emit(at))
        self.similar.activated.connect(self._on_similar)
        self.similar.clicked.connect(self._on_similar)

    def show_toolkit(self, toolkit: Toolkit, facts: str) -> None:
        """Show a toolkit and a line of figures; the rest follows by `show_facts`.

        The same toolkit again, after an edit, keeps lists and what is being written.
        """
        if toolkit.id != self._toolkit:
            self._toolkit = toolkit.id
            for editor in (self.name, self.description, self.note):
                editor.give_up()
            self.note.set_text("")
            self.runs.show_uses([])
            for model in (self.members_model, self.similar_model, self.history_model):
                model.set_rows([])
        self.name.set_text(toolkit.name)
        self.description.set_text(toolkit.description)
        self._authors.show_authors(toolkit)
        self.old_text.setVisible(toolkit.is_description_old)
        self._facts.setText(facts)

    def show_facts(
        self,
        facts: ToolkitDetails,
        *,
        marks: Callable[[int], str],
        similar: Sequence[Row],
    ) -> None:
        """Fill the lists.

        Args:
            marks: the icon of a member by row id: "pin", "cancel" or "".
            similar: rows of the similar toolkits.
        """
        has_centrality = any(m.centrality for m in facts.members)
        self.members.setColumnHidden(1, not has_centrality)
        chosen = self.members.selectionModel()
        was_blocked = chosen.blockSignals(True)
        self.members_model.update_rows(
            [
                Row(
                    cells=(one_line(m.title), score(m.centrality)),
                    key=m.rowid,
                    icon=self._maker(marks(m.rowid)),
                    tooltip=f"{m.title}\n{m.description}\n{_MARKS[marks(m.rowid)]}".strip(),
                )
                for m in facts.members
            ]
        )
        chosen.blockSignals(was_blocked)
        self.note.set_text(facts.note)
        self.similar_model.set_rows(similar)
        rows: list[Row] = []
        for edit in facts.edits:
            names = facts.origins.get(edit.id, ())
            origins = f"\nFrom: {', '.join(names)}" if names else ""
            rows.append(
                Row(
                    cells=(one_line(edit.label), when(edit.made_us / 1e6, is_short=True)),
                    key=edit.id,
                    tooltip=f"{edit.label}\n{edit.who}, {when(edit.made_us / 1e6)}{origins}",
                )
            )
        self.history_model.set_rows(rows)
        self.tabs.setTabText(2, f"History ({len(rows)})" if rows else "History")

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """The runs that called its APIs are known now."""
        self.runs.show_uses(uses)
        self.tabs.setTabText(3, f"Runs ({len(uses):,})" if uses else "Runs")

    def show_similar(self, similar: Sequence[Row]) -> None:
        """Other figures are known now."""
        self.similar_model.update_rows(similar)

    def _on_still_true(self) -> None:
        self.described.emit(self.description.text())

    def _maker(self, name: str) -> Callable[[], QIcon] | None:
        return (lambda: make_icon(name, "dim")) if name else None

    def _on_members(self) -> None:
        # Not at the press: the list would go away below a hand that is about to carry a row.
        if self._marked and not self.members.is_held:
            self.members_chosen.emit(self._marked)

    def _on_carried(self, place: QPoint | None) -> None:
        if place is None:
            self._is_carrying = False
            self.members_let_go.emit()
        elif not self._is_carrying:
            self._is_carrying = True
            self.members_taken.emit(self._marked)

    @property
    def _marked(self) -> list[int]:
        rows = self.members.selectionModel().selectedRows(0)
        return [index.data(KEY_ROLE) for index in rows]

    def _on_similar(self, index: QModelIndex) -> None:
        self.toolkit_chosen.emit(index.data(KEY_ROLE))


_MARKS = {
    "": "",
    "pin": "Pinned in this toolkit",
    "cancel": "Excluded from planning",
    "file-alert-outline": "Its documentation changed: not planned with until you accept it",
}


class _AuthorLine(QWidget):
    """Who wrote name and description: icon and word each."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures = (QLabel(), QLabel())
        self._words = (text_label(role="dim"), text_label(role="dim"))
        row = row_of(of=self, gap=SPACE)
        for picture, word in zip(self._pictures, self._words, strict=True):
            row.addWidget(picture)
            row.addWidget(word)
        row.addStretch(1)

    def show_authors(self, toolkit: Toolkit) -> None:
        """Name first; the description only where somebody else wrote it."""
        authors: list[tuple[str, Author]] = [("Named", toolkit.name_author)]
        if toolkit.description_author is toolkit.name_author:
            authors = [("Written", toolkit.name_author)]
        else:
            authors.append(("described", toolkit.description_author))
        for place, (picture, word) in enumerate(zip(self._pictures, self._words, strict=True)):
            is_used = place < len(authors)
            picture.setVisible(is_used)
            word.setVisible(is_used)
            if is_used:
                verb, author = authors[place]
                icon = make_icon(AUTHOR_ICONS[author], "dim")
                picture.setPixmap(icon.pixmap(ICON_SIZE, ICON_SIZE))
                word.setText(f"{verb} {AUTHOR_WORDS[author]}")
