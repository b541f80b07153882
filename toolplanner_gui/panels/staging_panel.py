"""The staging tray: toolkits that are about to be merged, and what would come of it.

Filled with *Merge* from list or map; Return confirms. Members without a tick stay where they are.
"""

from asyncio import Future
from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.looking.details import ToolkitMember, read_members
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.formatting import counted, one_line, score
from toolplanner_core.words.glossary import explain_concept
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.plan_impact import PlanImpact
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.staging import StagedModel
from toolplanner_gui.viewmodels.curate.toolkit_model import TOOLKIT_ROLE, WIDE_ROLE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import on_menu, popup_menu, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.input_fields import ElidingCombo, TextLine
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree, scrolled

_SIMILAR = 4
_SIDE_WIDTH = 360
_ROOM_FOR_FIT = 680
"""Width from which the fit is shown beside the names, pixels."""
_FIGURES = (
    "Fit: how near the APIs of one toolkit are to its middle. Similarity: how near the middles of"
    " two toolkits are to each other. Both are of meaning, up to 1."
)


class StagingPanel(Panel):
    """Candidates at the left, the result at the right."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._ready: Merge | None = None
        self._asked: Merge | None = None
        self._problem = ""
        self._is_typing = False
        self._lines: Sequence[str] = ()
        self._n_moved = 0
        self.model = StagedModel(context.staging, self._read_members, self, figures=context.figures)
        self.tree = QuietTree("Toolkits to merge")
        self.tree.set_model(
            self.model,
            {
                ToolkitColumn.SIZE: 48,
                ToolkitColumn.COHESION: 44,
                ToolkitColumn.MARKS: 28,
            },
        )
        self._delegate = HighlightDelegate(
            self.tree, wide_role=WIDE_ROLE, wide_to=ToolkitColumn.MARKS
        )
        self.tree.setItemDelegate(self._delegate)
        self.tree.setColumnHidden(ToolkitColumn.HEALTH, True)
        self.into = named(ElidingCombo(), "Toolkit that keeps its id and name")
        self.into.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.name = named(TextLine(), "Name of the result")
        self.preview = text_label(is_wrapped=True, name="What would change")
        self.preview.setToolTip(f"<p>Fit: {explain_concept('fit')}</p>")
        self.plans = PlanImpact(context)
        tip = "<p>Merge them now (Return)</p>"
        self.confirm_button = push_button("Merge", self.confirm, role="primary", tip=tip)
        self.similar_button = push_button("Add similar …", self._on_similar)
        self.clear_button = push_button("Clear", context.staging.clear)
        self._empty = EmptyState(
            "call-merge", "Select toolkits, or APIs of them, and press Ctrl+G to merge."
        )
        self._pages = pages_of(self._empty, self._content(), of=self)
        context.staging.changed.connect(self._refresh)
        context.figures.changed.connect(self._on_figures)
        context.colours_changed.connect(self._on_colours_changed)
        self.into.activated.connect(self._on_into)
        self.name.textEdited.connect(self._on_typed)
        on_menu(self.tree, self._on_menu)
        self._refresh()

    @property
    def is_idle(self) -> bool:
        return super().is_idle and self.plans.is_idle

    def focus_list(self) -> None:
        """Go to the candidates."""
        if not self.tree.currentIndex().isValid():
            self.tree.setCurrentIndex(self.model.index(0, 0))
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def confirm(self) -> None:
        """Merge what is in the tray, also while what would change is computed, and select the
        result; where a toolkit ends that a person named, after a second yes."""
        context, staging = self.context, self.context.staging
        edit = staging.edit()
        if edit is None or self._problem:
            return
        if staging.ends_named and edit != self._asked:
            self._asked = edit
            self._show_preview()
            return
        staged, made = staging.staged, staging.origin
        staging.clear()
        answer = context.curation.do(edit, origin={"by": "staging tray", "set": dict(made)})

        def ended(done: "Future[Done | None]") -> None:
            if done.result() is not None:
                context.selection.select_toolkit(edit.into)
            elif not staging.staged.toolkits:
                staging.put_back(staged, made)

        answer.add_done_callback(ended)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names before figures, where there is no room for both."""
        super().resizeEvent(event)
        self.tree.setColumnHidden(ToolkitColumn.COHESION, self.width() < _ROOM_FOR_FIT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.confirm()
        elif event.key() == Qt.Key.Key_Delete and self.tree.hasFocus():
            self._remove_current()
        else:
            super().keyPressEvent(event)

    def _content(self) -> QWidget:
        page = QWidget()
        # In one row: a low tray has room for what would change.
        form = row_of(text_label("Into"), (self.into, 1), text_label("as"), (self.name, 1), gap=GAP)
        buttons = row_of(self.similar_button, self.clear_button, 1, self.confirm_button, gap=GAP)
        said = scrolled(page_of(self.preview, self.plans, 1, gap=GAP, role="page"))
        right = page_of(form, (said, 1), buttons, margins=(EDGE, 0, EDGE, GAP), gap=GAP)
        right.setMaximumWidth(_SIDE_WIDTH)
        row_of((self.tree, 1), (right, 1), of=page, gap=0)
        return page

    def _read_members(self, toolkit: ToolkitId, begin: int, n: int) -> Sequence[ToolkitMember]:
        workspace = self.context.workspace
        return [] if workspace is None else read_members(workspace, toolkit, begin, n)

    def _refresh(self) -> None:
        staging = self.context.staging
        toolkits = staging.toolkits
        if [t.id for t in self.model.toolkits] != [t.id for t in toolkits] or any(
            a != b for a, b in zip(self.model.toolkits, toolkits, strict=False)
        ):
            self.model.set_toolkits(toolkits, self.context.colours)
        self.into.clear()
        for toolkit in toolkits:
            self.into.addItem(one_line(toolkit.name, 60), toolkit.id)
        self.into.setCurrentIndex(self.into.findData(staging.staged.into))
        into = self.context.catalogue.toolkit(staging.staged.into or ToolkitId(0))
        own = into.name if into is not None else ""
        self.name.setPlaceholderText(own)
        if not self._is_typing:
            self.name.setText(staging.staged.name or own)
            self.name.setCursorPosition(0)  # the first words say most
        self._pages.setCurrentIndex(1 if toolkits else 0)
        self._try()

    def _on_typed(self, name: str) -> None:
        """Each letter counts; what is written stays as it is written."""
        self._is_typing = True
        self.context.staging.rename(name)
        self._is_typing = False

    def _on_colours_changed(self) -> None:
        self.model.set_colours(self.context.colours)
        self.tree.viewport().update()

    def _on_figures(self) -> None:
        """After a start they are known only when the tray stands there already."""
        self.tree.viewport().update()
        self._show_preview()

    def _try(self) -> None:
        self.newest.forget()
        self._ready, self._problem = None, ""
        edit, workspace = self.context.staging.edit(), self.context.workspace
        self.confirm_button.setEnabled(edit is not None)
        self._say_verb()
        self.plans.ask(edit)
        if edit is None or workspace is None:
            self.preview.setText("Add another toolkit: a merge needs two.")
            return
        self.newest.ask(
            lambda: history.preview(workspace, edit),
            lambda done: self._on_tried(edit, done),
            self._on_refused,
        )
        self._show_preview()

    def _on_refused(self, error: ToolPlannerError) -> None:
        self._problem = error.short
        self.preview.setText(error.short)
        self.confirm_button.setEnabled(False)

    def _on_tried(self, edit: Merge, done: Done) -> None:
        self._ready = edit
        self._lines = consequences(done, name_of=self.context.catalogue.name_of)
        self._n_moved = len(done.changes.members)
        self._show_preview()

    def _say_verb(self) -> None:
        is_asked = self._asked is not None and self._asked == self.context.staging.edit()
        self.confirm_button.setText("Merge all the same" if is_asked else "Merge")

    def _show_preview(self) -> None:
        edit = self.context.staging.edit()
        if edit is None or self._problem:
            return
        figures, catalogue = self.context.figures, self.context.catalogue
        into = catalogue.toolkit(edit.into)
        if into is None:
            return
        self._say_verb()
        parts = [f"It is called “{one_line(edit.name or into.name, 60)}”"]
        for curated in self.context.staging.ends_named:
            why = "which is pinned" if curated.pinned else "which a person named"
            parts.insert(0, f"“{one_line(curated.name, 60)}”, {why}, ends")
        if edit != self._ready:
            self.preview.setText(" · ".join([*parts, "looking what else changes …"]))
            return
        parts += [f"{counted(into.size + self._n_moved, 'API')} afterwards", *self._lines]
        after = figures.sums.cohesion_of_all(edit.toolkits)
        before = figures.cohesion(edit.into)
        if after is not None and before is not None:
            note = " with all members" if edit.left_out else ""
            parts.append(f"fit {score(before)} → {score(after)}{note}")
        likeness = [
            value
            for toolkit in edit.toolkits
            if toolkit != edit.into
            and (value := figures.sums.similarity(toolkit, edit.into)) is not None
        ]
        if likeness:
            parts.append(f"the least like its target: similarity {score(min(likeness))}")
        self.preview.setText(" · ".join(parts))
        self.preview.setToolTip(plain_tooltip(_FIGURES))

    def _on_into(self, position: int) -> None:
        self.context.staging.merge_into(self.into.itemData(position))

    def _remove_current(self) -> None:
        toolkit = self.tree.currentIndex().data(TOOLKIT_ROLE)
        if toolkit is not None:
            self.context.staging.remove(toolkit)

    def _on_menu(self, place: QPoint, at: QPoint) -> None:
        index = self.tree.indexAt(place)
        if not index.isValid():
            return
        toolkit = index.data(TOOLKIT_ROLE)
        menu = popup_menu(self)
        staging, selection = self.context.staging, self.context.selection
        menu.addAction("Merge into this one").triggered.connect(lambda: staging.merge_into(toolkit))
        menu.addAction("Take out of the tray (Delete)").triggered.connect(
            lambda: staging.remove(toolkit)
        )
        menu.addAction("Select").triggered.connect(lambda: selection.select_toolkit(toolkit))
        menu.popup(at)

    def _on_similar(self) -> None:
        into = self.context.staging.staged.into
        if into is None:
            return
        there = self.context.staging.staged.toolkits
        menu = popup_menu(self)
        similar = self.context.figures.sums.nearest(into, _SIMILAR + len(there))
        for found in [s for s in similar if s.toolkit not in there][:_SIMILAR]:
            toolkit = self.context.catalogue.toolkit(found.toolkit)
            if toolkit is not None:
                title = f"{one_line(toolkit.name, 50)}  {score(found.cosine)}".replace("&", "&&")
                menu.addAction(title).triggered.connect(
                    lambda _=False, t=toolkit.id: self.context.staging.add([t])
                )
        menu.popup(self.similar_button.mapToGlobal(QPoint(0, self.similar_button.height())))
