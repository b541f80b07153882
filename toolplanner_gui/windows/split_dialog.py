"""Split a toolkit: by the selection, into k parts, into as many as suit it, or by a text.

The parts are shown with size and fit while the fields change; they get their names when the hand
rests, since naming reads some hundred texts. It stays beside the map, where the part that is chosen
is selected; parts can be renamed and their APIs moved to another part, or left in the toolkit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.grouping.splitting import (
    ProposedSplit,
    fit_of,
    propose_split,
    propose_split_by_text,
    propose_split_of,
)
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.formatting import count, counted, one_line, score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import form_of, row_of
from toolplanner_gui.widgets.buttons import popup_menu, push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialogs import EditDialog

_SIZE = (520, 640)
_REST_MS = 200
_EXAMPLES = 4
_MOST_PARTS = 30
_WAYS = (
    ("auto", "Into as many parts as suit it"),
    ("kmeans", "Into parts of similar size (k-means)"),
    ("agglomerative", "Into what lies apart (agglomerative)"),
    ("text", "By likeness to a text"),
    ("selection", "The selected APIs become a toolkit"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looks:
    """What is shown of a proposal.

    Attributes:
        titles: of all APIs, by row id.
        before, fits: the fit of the whole, and of each part.
    """

    titles: Mapping[int, str]
    before: float | None
    fits: tuple[float | None, ...]


class SplitDialog(EditDialog):
    """How, and what the parts would be."""

    def __init__(self, context: AppContext, parent: QWidget, toolkit: Toolkit) -> None:
        super().__init__(context, parent, "Split a toolkit", verb="Split")
        self.resize(*_SIZE)
        self._toolkit = toolkit
        self._selected = () if context.chosen.toolkits else context.chosen.ids
        self._proposal: ProposedSplit | None = None
        self._problem = ""
        self._looking = LatestRequest(context.tasks, self)
        self._is_looking = False
        self.paragraph(
            f"Split “{one_line(toolkit.name, 80)}” of {counted(toolkit.size, 'API')}",
            role="heading",
        )
        self.way = named(QComboBox(), "How to split")
        for key, title in _WAYS:
            if key != "selection" or self._selected:
                self.way.addItem(title, key)
        self.k = named(QSpinBox(), "Number of parts")
        self.k.setRange(2, max(2, min(_MOST_PARTS, toolkit.size)))
        self.text = named(QLineEdit(), "What the new toolkit shall do")
        self.text.setPlaceholderText(self.text.accessibleName())
        self._form = form_of(("How", self.way), ("Parts", self.k), ("Text", self.text))
        self.column.addLayout(self._form)
        self._looks = _Looks(titles={}, before=None, fits=())
        self._is_showing = False
        self._model = TableModel(("Part", "APIs", "Fit", "Most central"), self, numbers=(1, 2))
        self.parts = QuietTree("Parts of the split", is_flat=True)
        self.parts.set_model(self._model, {1: 60, 2: 64}, shares={3: 0.36})
        self.parts.keep_both_ends()
        self.column.addWidget(self.parts, 1)
        self.name = named(QLineEdit(), "Name of the chosen part")
        self.column.addLayout(form_of(("Name", self.name)))
        self.members = TableModel(("API",), self)
        self.member_list = QuietTree("APIs of the chosen part", is_flat=True)
        self.member_list.set_model(self.members, {})
        self.member_list.keep_both_ends()
        self.member_list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.column.addWidget(self.member_list, 1)
        self.move_button = push_button("Move the chosen APIs …", self._offer_parts)
        self.add(row_of(self.move_button, 1))
        self.parts.selectionModel().currentRowChanged.connect(self._on_part)
        self.member_list.selectionModel().selectionChanged.connect(self._enable)
        self.name.editingFinished.connect(self._rename)
        self.add_ending()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._propose)
        for signal in (
            self.way.currentIndexChanged,
            self.k.valueChanged,
            self.text.textChanged,
        ):
            signal.connect(self._on_changed)
        if self._selected:
            self.way.setCurrentIndex(self.way.count() - 1)
        self._on_changed()
        self.move_to_right_edge()

    def edit(self) -> Edit | None:
        return None if self._proposal is None else self._proposal.edit

    def origin(self) -> Mapping[str, Any]:
        assert self._proposal is not None
        if self.way.currentData() == "selection":
            return super().origin()
        return self._proposal.origin

    @property
    def is_coming(self) -> bool:
        return self._is_looking or self._rest.isActive()

    def hint(self) -> str:
        return self._problem or "Looking for parts …"

    def describe(self, done: Done) -> str:
        text = super().describe(done)
        fits, parts = self._looks.fits, () if self._proposal is None else self._proposal.parts
        known = [(f, len(p.rowids)) for f, p in zip(fits, parts, strict=False) if f is not None]
        if self._looks.before is not None and known:
            after = sum(f * n for f, n in known) / sum(n for _, n in known)
            text += f" Fit {score(self._looks.before)} → {score(after)} on average."
        threshold = None if self._proposal is None else self._proposal.threshold
        return text if threshold is None else f"{text} Similarity of at least {threshold:.2f}."

    def _on_changed(self) -> None:
        way = self.way.currentData()
        self._form.setRowVisible(self.k, way in ("kmeans", "agglomerative"))
        self._form.setRowVisible(self.text, way == "text")
        self._looking.forget()
        self._is_looking = False
        self._proposal, self._problem = None, ""
        if way == "text" and not self.text.text().strip():
            self._problem = "Write what the new toolkit shall do."
            self._model.set_rows([])
        else:
            self._rest.start()
        self.refresh()

    def _propose(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        way, k, text = self.way.currentData(), self.k.value(), self.text.text()
        toolkit, selected = self._toolkit.id, self._selected

        def propose() -> ProposedSplit:
            if way == "text":
                return propose_split_by_text(workspace, toolkit, text)
            if way == "selection":
                return propose_split_of(workspace, toolkit, selected)
            if way == "auto":
                return propose_split(workspace, toolkit)
            return propose_split(workspace, toolkit, k=k, method=way)

        self._look_at(workspace, propose)

    def _look_at(self, workspace: Workspace, propose: Callable[[], ProposedSplit]) -> None:
        """Show a proposal that is made in a thread, with the fit of its parts."""

        def work() -> tuple[ProposedSplit, _Looks]:
            found = propose()
            everything = [rowid for part in found.parts for rowid in part.rowids]
            apis = apis_by_rowid(workspace, everything)
            return found, _Looks(
                titles={rowid: one_line(api.title, 160) for rowid, api in apis.items()},
                before=fit_of(workspace, everything),
                fits=tuple(fit_of(workspace, part.rowids) for part in found.parts),
            )

        def refused(error: ToolPlannerError) -> None:
            self._is_looking = False
            self._problem = error.short
            self._model.set_rows([])
            self.members.set_rows([])
            self.refresh()

        self._is_looking = True
        self._looking.ask(work, lambda found: self._show(*found), refused)

    def _show(self, proposal: ProposedSplit, looks: _Looks) -> None:
        rows: list[Row] = []
        for position, part in enumerate(proposal.parts):
            central = (looks.titles[r] for r in part.rowids[:_EXAMPLES] if r in looks.titles)
            examples = ", ".join(central)
            mark, fit = "new" if position else "stays", looks.fits[position]
            name, size = f"{one_line(part.name)} ({mark})", count(len(part.rowids))
            rows.append(
                Row(
                    cells=(name, size, "–" if fit is None else score(fit), examples),
                    key=position,
                    tooltip=f"{part.name}\n{part.description}\n{examples}".strip(),
                )
            )
        self._is_looking = False
        self._proposal, self._looks = proposal, looks
        chosen = max(0, self.parts.currentIndex().row())
        self._is_showing = True
        self._model.set_rows(rows)
        self.parts.setCurrentIndex(self._model.index(min(chosen, len(rows) - 1), 0))
        self._is_showing = False
        self.refresh()

    def _on_part(self, current: QModelIndex) -> None:
        """Show the APIs of a part, and on the map if a person chose it."""
        if self._proposal is None or not current.isValid():
            return
        part, titles = self._proposal.parts[current.row()], self._looks.titles
        self.members.set_rows(
            [Row(cells=(titles.get(rowid, ""),), key=rowid) for rowid in part.rowids]
        )
        self.name.setText(part.name)
        self.name.setEnabled(current.row() > 0)
        self._enable()
        if not self._is_showing:
            self.context.selection.select_apis(part.rowids, self, made={"by": "split"})

    def _enable(self) -> None:
        self.move_button.setEnabled(bool(self.chosen_members()))

    def chosen_members(self) -> list[int]:
        """Row ids of the APIs that are chosen in the list."""
        rows = self.member_list.selectionModel().selectedRows(0)
        return [index.data(KEY_ROLE) for index in rows]

    def _offer_parts(self) -> None:
        if self._proposal is None:
            return
        menu = popup_menu(self)
        for position, part in enumerate(self._proposal.parts):
            if position != self.parts.currentIndex().row():
                title = one_line(part.name, 60).replace("&", "&&")
                title = f"To “{title}”" if position else f"Leave in “{title}”"
                menu.addAction(title).triggered.connect(
                    lambda _=False, to=position: self.move_chosen(to)
                )
        menu.popup(self.move_button.mapToGlobal(QPoint(0, self.move_button.height())))

    def move_chosen(self, to: int) -> None:
        """Put the chosen APIs into another part, 0 = they stay in the toolkit."""
        proposal, workspace, chosen = self._proposal, self.context.workspace, self.chosen_members()
        if proposal is not None and workspace is not None and chosen:
            self._look_at(workspace, lambda: proposal.moved(chosen, to))

    def _rename(self) -> None:
        proposal, workspace = self._proposal, self.context.workspace
        position, name = self.parts.currentIndex().row(), self.name.text()
        if proposal is None or workspace is None or position < 1:
            return
        if " ".join(name.split()) not in ("", proposal.parts[position].name):
            self._look_at(workspace, lambda: proposal.renamed(position, name))

    def _on_others(self, edit: object) -> None:
        super()._on_others(edit)
        self._on_changed()


def _about_chosen(context: AppContext, parent: QWidget) -> SplitDialog | None:
    toolkit = context.chosen.one_toolkit
    return None if toolkit is None else SplitDialog(context, parent, toolkit)


PLUGIN = DialogPlugin.of(dialog_commands.split_toolkit, _about_chosen, is_beside=True)
