"""One part of a proposal: name and description to be changed, APIs to be ticked, fits before and
after.

Used by the dialog of proposals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QTabWidget, QWidget

from toolplanner_core.curation.grouping.accepting import API_TEXT
from toolplanner_core.curation.grouping.changing_parts import (
    FitChange,
    can_be_described,
    can_be_named,
    fit_changes,
)
from toolplanner_core.words.wording import count, one_line, score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.proposals import ProposedItem
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of, form_of
from toolplanner_gui.widgets.editable_text import EditableText
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree

_SAID = 3
"""Toolkits whose fit is said above the lists."""
_MOST = 1_000
"""APIs that are listed; what is beyond cannot be left out one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLooks:
    """What is shown of a part: titles and texts of its APIs by row id, and the fits."""

    apis: Mapping[int, tuple[str, str]]
    changes: Sequence[FitChange]


def read_looks(workspace: Workspace, item: ProposedItem) -> PartLooks:
    """Read what is shown of a part; not on the GUI thread."""
    found = apis_by_rowid(workspace, [*item.rowids, *item.left_out][:_MOST])
    return PartLooks(
        apis={rowid: (api.title, api.description) for rowid, api in found.items()},
        changes=fit_changes(workspace, item),
    )


class ProposedPart(QWidget):
    """A part that is looked at.

    Signals:
        named: another name was written.
        described: another description was written.
        members_chosen: row ids of the APIs that it shall move.
        apis_looked_at: row ids of the APIs that are chosen in the list.
    """

    named = Signal(str)
    described = Signal(str)
    members_chosen = Signal(object)
    apis_looked_at = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._item: ProposedItem | None = None
        self.name = named(QLineEdit(), "Name of the toolkit")
        self.description = EditableText(
            "Description", placeholder="Click to describe it", is_long=True
        )
        self._form = form_of(("Name", self.name), ("Description", self.description))
        self.fit = text_label(role="dim", is_wrapped=True)
        self.fit.setAccessibleName("Fit before and after")
        self.fits_model = TableModel(("Toolkit", "APIs", "Fit"), self, numbers=(1, 2))
        self.fits = QuietTree("Toolkits before and after", is_flat=True)
        self.fits.set_model(self.fits_model, {1: 92, 2: 104})
        self.members_model = TableModel(("API",), self)
        self.members = QuietTree("APIs of the part", is_flat=True)
        self.members.set_model(self.members_model, {})
        self.members.keep_both_ends()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.members, "APIs: untick what shall stay")
        self.tabs.addTab(self.fits, "Fit before and after")
        column_of(self._form, self.fit, (self.tabs, 1), of=self, gap=GAP)
        self.name.editingFinished.connect(self._on_name)
        self.description.edited.connect(self.described)
        self.members_model.switched.connect(self._on_switched)
        self.members.selectionModel().selectionChanged.connect(self._on_looked_at)

    def show_part(self, item: ProposedItem | None, looks: PartLooks | None = None) -> None:
        """Show a part; none hides it all. What is read is shown when it is there."""
        is_other = item is None or self._item is None or item.position != self._item.position
        self._item = item
        self.setVisible(item is not None)
        if is_other:
            self.description.give_up()
        if item is None:
            return
        self._form.setRowVisible(self.name, can_be_named(item))
        self._form.setRowVisible(self.description, can_be_described(item))
        self.description.set_text(item.description)
        if is_other or not self.name.hasFocus():
            self.name.setText(item.name)
        has_lists = bool(item.rowids) and item.kind != API_TEXT
        self.tabs.setVisible(has_lists)
        policy = self.sizePolicy()
        policy.setVerticalPolicy(  # a text alone takes no room that the list of parts could have
            QSizePolicy.Policy.Preferred if has_lists else QSizePolicy.Policy.Maximum
        )
        self.setSizePolicy(policy)
        if looks is None:
            if is_other:
                self.members_model.set_rows([])
                self.fits_model.set_rows([])
                self.fit.hide()
            return
        kept = set(item.rowids)
        self.members_model.update_rows(
            [
                Row(
                    cells=(one_line(looks.apis[rowid][0]),),
                    key=rowid,
                    is_on=rowid in kept,
                    tooltip="\n".join(looks.apis[rowid]).strip(),
                )
                for rowid in sorted((*item.rowids, *item.left_out))
                if rowid in looks.apis
            ]
        )
        self.fits_model.set_rows([_fit_row(change) for change in looks.changes])
        said = [f"{one_line(each.name, 40)} {_fits(each)}" for each in looks.changes[:_SAID]]
        self.fit.setText(f"Fit: {' · '.join(said)}")
        self.fit.setVisible(bool(said))

    def _on_name(self) -> None:
        name = " ".join(self.name.text().split())
        if self._item is not None and name not in ("", self._item.name):
            self.named.emit(name)

    def _on_switched(self, key: str, is_on: bool) -> None:
        if self._item is not None:
            others = [rowid for rowid in self._item.rowids if rowid != int(key)]
            self.members_chosen.emit([*others, int(key)] if is_on else others)

    def _on_looked_at(self) -> None:
        chosen = self.members.selectionModel().selectedRows(0)
        if chosen:
            self.apis_looked_at.emit([index.data(KEY_ROLE) for index in chosen])


def _fit_row(change: FitChange) -> Row:
    sizes = " → ".join(count(n) for n in change.apis)
    name = one_line(change.name) + (" (new)" if change.toolkit is None else "")
    ended = " (ends)" if change.toolkit is not None and not change.apis[1] else ""
    return Row(cells=(f"{name}{ended}", sizes, _fits(change)), tooltip=change.name)


def _fits(change: FitChange) -> str:
    before, after = ("–" if fit is None else score(fit) for fit in change.fits)
    return f"{before} → {after}"
