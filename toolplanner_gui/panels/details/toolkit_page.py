"""Details of a toolkit: name, description, who wrote them, members by centrality."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.catalogue import MemberRow
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row, TableModel
from toolplanner_gui.viewmodels.texts import counted, one_line, score
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_AUTHORS = {Author.RULE: "by rule", Author.MODEL: "by a model", Author.PERSON: "by a person"}
_CENTRALITY_WIDTH = 84


class ToolkitPage(QWidget):
    """Emits `member_chosen` with an API's row id."""

    member_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._name = text_label(role="heading", is_wrapped=True)
        self._description = text_label(is_wrapped=True)
        self._authors = text_label(role="dim", is_wrapped=True)
        self.members_model = TableModel(
            Columns(titles=("Members", "Centrality"), numbers=frozenset({1})), self
        )
        self.members = QuietTree("Members, most central first", is_flat=True)
        self.members.set_model(self.members_model, {1: _CENTRALITY_WIDTH})
        self.members.keep_both_ends()
        self.members.header().setToolTip(
            "<p>Centrality: cosine of an API's vector to the mean of its toolkit</p>"
        )
        texts = QVBoxLayout()
        texts.setContentsMargins(EDGE, SPACE, EDGE, 0)
        texts.setSpacing(GAP)
        for label in (self._name, self._description, self._authors):
            texts.addWidget(label)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addLayout(texts)
        column.addWidget(self.members, 1)
        self.members.selectionModel().currentChanged.connect(self._on_current)

    def show_toolkit(self, toolkit: Toolkit) -> None:
        """Show a toolkit; its members follow by `show_members`."""
        self._name.setText(toolkit.name)
        self._description.setText(toolkit.description)
        self._description.setVisible(bool(toolkit.description))
        self._authors.setText(f"{counted(toolkit.size, 'API')} · {describe_authors(toolkit)}")
        self.members_model.set_rows([])

    def show_members(self, members: Sequence[MemberRow]) -> None:
        """List the members, most central first; toolkits made by hand have no centrality."""
        has_centrality = any(m.centrality for m in members)
        self.members.setColumnHidden(1, not has_centrality)
        self.members_model.set_rows(
            [
                Row(
                    cells=(one_line(m.title), score(m.centrality)),
                    key=m.rowid,
                    tooltip=f"{m.title}\n{m.description}".strip(),
                )
                for m in members
            ]
        )

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.member_chosen.emit(current.data(KEY_ROLE))


def describe_authors(toolkit: Toolkit) -> str:
    """Who wrote name and description: "named and described by rule"."""
    name, text = _AUTHORS[toolkit.name_author], _AUTHORS[toolkit.description_author]
    if name == text:
        return f"named and described {name}"
    return f"named {name}, described {text}"
