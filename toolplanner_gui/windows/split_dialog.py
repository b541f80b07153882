"""Split a toolkit: by the selection, into k parts, into as many as suit it, or by a text.

The parts are shown with their sizes while the fields change; they get their names when the hand
rests, since naming reads some hundred texts.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.grouping.splitting import (
    ProposedSplit,
    propose_split,
    propose_split_by_text,
    propose_split_of,
)
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.table_model import Row, TableModel
from toolplanner_gui.widgets.boxes import form_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialog import EditDialog

_SIZE = (560, 480)
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


class SplitDialog(EditDialog):
    """How, and what the parts would be."""

    def __init__(self, context: AppContext, parent: QWidget, toolkit: Toolkit) -> None:
        super().__init__(context, parent, "Split a toolkit", verb="Split")
        self.resize(*_SIZE)
        self._toolkit = toolkit
        self._selected = () if context.chosen.toolkits else context.chosen.ids
        self._proposal: ProposedSplit | None = None
        self._problem = ""
        self._looking = Newest(context.tasks, self)
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
        self._model = TableModel(("Part", "APIs", "Most central"), self, numbers=(1,))
        self.parts = QuietTree("Parts of the split", is_flat=True)
        self.parts.set_model(self._model, {1: 52}, shares={2: 0.42})
        self.column.addWidget(self.parts, 1)
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

    def edit(self) -> Edit | None:
        return None if self._proposal is None else self._proposal.edit

    def origin(self) -> Mapping[str, Any]:
        assert self._proposal is not None
        if self.way.currentData() == "selection":
            return super().origin()
        return self._proposal.origin

    def hint(self) -> str:
        return self._problem or "Looking for parts …"

    def describe(self, done: Done) -> str:
        text = super().describe(done)
        threshold = None if self._proposal is None else self._proposal.threshold
        return text if threshold is None else f"{text} Similarity of at least {threshold:.2f}."

    def _on_changed(self) -> None:
        way = self.way.currentData()
        self._form.setRowVisible(self.k, way in ("kmeans", "agglomerative"))
        self._form.setRowVisible(self.text, way == "text")
        self._looking.forget()
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

        def work() -> tuple[ProposedSplit, dict[int, str]]:
            if way == "text":
                found = propose_split_by_text(workspace, toolkit, text)
            elif way == "selection":
                found = propose_split_of(workspace, toolkit, selected)
            elif way == "auto":
                found = propose_split(workspace, toolkit)
            else:
                found = propose_split(workspace, toolkit, k=k, method=way)
            shown = [rowid for part in found.parts for rowid in part.rowids[:_EXAMPLES]]
            apis = apis_by_rowid(workspace, shown)
            return found, {rowid: api.name for rowid, api in apis.items()}

        def refused(error: ToolPlannerError) -> None:
            self._problem = error.short
            self._model.set_rows([])
            self.refresh()

        self._looking.ask(work, lambda found: self._show(*found), refused)

    def _show(self, proposal: ProposedSplit, names: Mapping[int, str]) -> None:
        rows: list[Row] = []
        for position, part in enumerate(proposal.parts):
            examples = ", ".join(names[r] for r in part.rowids[:_EXAMPLES] if r in names)
            mark = "stays" if position == 0 else "new"
            rows.append(
                Row(
                    cells=(f"{one_line(part.name)} ({mark})", count(len(part.rowids)), examples),
                    key=position,
                    tooltip=f"{part.name}\n{part.description}\n{examples}".strip(),
                )
            )
        self._model.set_rows(rows)
        self._proposal = proposal
        self.refresh()

    def _on_others(self, edit: object) -> None:
        super()._on_others(edit)
        self._on_changed()


def _about_chosen(context: AppContext, parent: QWidget) -> SplitDialog | None:
    toolkit = context.chosen.one_toolkit
    return None if toolkit is None else SplitDialog(context, parent, toolkit)


PLUGIN = DialogPlugin(id="split", make=_about_chosen)
