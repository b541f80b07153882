"""Dialogs that make one edit of toolkits: exclude, merge, move, new toolkit, region.

What the dialogs of curation have in common: a preview with exact counts, and one verb. A dialog
makes an edit of what stands in its fields; each change of a field is tried on the workspace without
changing it, and what would happen, or why it cannot, is shown above the button.

Asked before a merge that would take far more than was selected: what is meant? APIs that a search
found lie in many toolkits, and a merge takes whole toolkits.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Move, NewToolkit
from toolplanner_core.curation.edits.region import (
    MergeRegions,
    MoveToRegion,
    PinRegions,
    RenameRegion,
)
from toolplanner_core.curation.edits.remembered_names import propose_name
from toolplanner_core.curation.grouping.toolkit_sums import Similar
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.words.formatting import count, counted, one_line, score
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.toolkit_actions import stage
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.plan_impact import PlanImpact
from toolplanner_gui.theme.icons import colour_swatch
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin


class EditDialog(Dialog):
    """A dialog that ends in one edit.

    Args:
        title: of the window.
        verb: on the button.

    Attributes:
        can_replan: whether such edits can change what is planned, which is said then.
    """

    can_replan: ClassVar[bool] = True

    def __init__(self, context: AppContext, parent: QWidget, title: str, *, verb: str) -> None:
        super().__init__(context, parent, title)
        self._trial = LatestRequest(context.tasks, self)
        self._previewed: Done | None = None
        self._is_refused = False
        self._is_wanted = False
        self._made = context.chosen.made
        self.preview = text_label(role="dim", is_wrapped=True)
        self.preview.setAccessibleName("What would change")
        self.plans = PlanImpact(context)
        self.confirm_button = push_button(verb, self.confirm, role="primary")
        self.confirm_button.setEnabled(False)
        # A toolkit may end under an open dialog: undone, or merged from the command line.
        context.catalogue_edited.connect(self._on_others)
        self.finished.connect(self._on_finished)

    def add_ending(self) -> None:
        """Add the preview and the buttons; the last thing a dialog adds."""
        self.add(self.preview, self.plans, self.banner)
        self.add_buttons(self.confirm_button)

    def edit(self) -> Edit | None:
        """The edit that the fields ask for; None as long as something is missing."""
        raise NotImplementedError

    def origin(self) -> Mapping[str, Any]:
        """How the set of APIs was found."""
        return self._made

    def refresh(self) -> None:
        """Try the edit anew, after a field has changed."""
        self._trial.forget()
        self._previewed, self._is_refused = None, False
        edit, workspace = self.edit(), self.context.workspace
        # Also while the preview is computed: Return counts at any time.
        self.confirm_button.setEnabled(edit is not None or self.is_coming)
        self.plans.ask(edit if self.can_replan else None)
        if edit is None or workspace is None:
            self._is_wanted = self._is_wanted and self.is_coming
            self.preview.setText(self.hint())
            return
        if self._is_wanted:
            self.confirm()
            return
        self._trial.ask(lambda: history.preview(workspace, edit), self._on_tried, self._on_refused)

    def hint(self) -> str:
        """What is missing, while there is no edit."""
        return ""

    def describe(self, done: Done) -> str:
        """What the edit would do, in sentences."""
        lines = consequences(done, name_of=self.context.catalogue.name_of)
        return f"{done.label}. {' · '.join(lines)}." if lines else f"{done.label}."

    @property
    def is_coming(self) -> bool:
        """Whether an edit is being put together, so that a yes counts once it is there."""
        return False

    def confirm(self) -> None:
        """Make the edit and close, as soon as there is one."""
        edit = self.edit()
        self._is_wanted = self.is_coming
        if edit is None or self.is_coming or self._is_refused:
            return
        self._trial.forget()
        self.context.curation.do(edit, origin=self.origin())
        self.accept()

    def _on_tried(self, done: Done) -> None:
        self._previewed = done
        self.preview.setText(self.describe(done))

    def _on_refused(self, error: ToolPlannerError) -> None:
        self._is_refused = True
        self.plans.ask(None)
        self.confirm_button.setEnabled(False)
        self.preview.setText(error.short)

    def _on_others(self, _edit: object) -> None:
        self.refresh()

    def _on_finished(self, _result: int) -> None:
        self.plans.ask(None)


_WIDTH = 420
REASONS = (
    "Does not work",
    "Duplicate of another API",
    "Only for tests",
    "Needs an account we do not have",
    "Must not be called by a program",
)


class ExcludeDialog(EditDialog):
    """A reason, chosen or written."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Exclude from planning", verb="Exclude")
        self.setMinimumWidth(_WIDTH)
        self._chosen = context.chosen
        self.paragraph(f"Exclude {self._chosen.words}", role="heading")
        self.paragraph(
            "Excluded APIs stay in their toolkit and on the map, but no plan is offered them.",
            role="dim",
        )
        self.reason = named(QComboBox(), "Reason")
        self.reason.setEditable(True)
        self.reason.addItems(REASONS)
        self.reason.setCurrentText("")
        field = self.reason.lineEdit()
        assert field is not None
        field.setPlaceholderText("Why (optional)")
        self.column.addLayout(form_of(("Reason", self.reason)))
        self.add_ending()
        self.reason.currentTextChanged.connect(lambda _text: self.refresh())
        self.refresh()

    def edit(self) -> Edit | None:
        return Exclude(rowids=self._chosen.ids, reason=self.reason.currentText().strip())


_MERGE_REACH_WIDTH = 520


class MergeScopeDialog(Dialog):
    """Says how far the merge reaches; offers what takes the selected APIs alone."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Merge")
        self.setMinimumWidth(_MERGE_REACH_WIDTH)
        self._chosen = chosen = context.chosen
        apis, toolkits = count(len(chosen.rowids)), counted(len(chosen.shares), "toolkit")
        self._most, n_most = chosen.shares[0]
        self.paragraph(
            f"{apis} selected APIs lie in {toolkits} of {count(chosen.reach)} APIs", role="heading"
        )
        self.paragraph(
            "A merge takes whole toolkits: all of those APIs would come into one.", role="dim"
        )
        name = one_line(self._most.name, 50).replace("&", "&&")
        self.new_button = self._offer(
            f"New toolkit of the {apis} APIs …",
            lambda: context.shell.open(dialog_commands.new_toolkit),
            role="primary",
        )
        self.move_button = self._offer(
            f"Move them to “{name}”, which has most of them: {count(n_most)}", self._move
        )
        self.stage_button = self._offer(
            f"Merge the {toolkits} with all {count(chosen.reach)} APIs …",
            lambda: stage(context, is_whole=True),
        )
        self.add_buttons(None)

    def _offer(self, title: str, run: Callable[[], object], *, role: str = "") -> QPushButton:
        def take() -> None:
            self.accept()
            run()

        button = push_button(title, take, role=role)
        button.setDefault(role == "primary")
        self.add(button)
        return button

    def _move(self) -> None:
        edit = Move(rowids=self._chosen.ids, to=self._most.id)
        self.context.curation.do(edit, origin=self._chosen.made)


def _about_chosen(context: AppContext, parent: QWidget) -> MergeScopeDialog | None:
    return MergeScopeDialog(context, parent) if context.chosen.shares else None


_SIZE = (460, 460)
_LIMIT = 60
_WIDTHS = {1: 64, 2: 84}


class MoveDialog(EditDialog):
    """A search field, toolkits by similarity, and whether the APIs leave all toolkits."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Move to a toolkit", verb="Move")
        self.resize(*_SIZE)
        self._chosen = context.chosen
        self._ranked: Sequence[Similar] = ()
        shares = self._chosen.shares
        whole = shares[0][0].id if len(shares) == 1 else None
        self._without = () if whole is None else (whole,)
        self.paragraph(f"Move {self._chosen.words}", role="heading")
        self.field = SearchField("Type the name of a toolkit")
        self.column.addWidget(self.field)
        self._model = TableModel(("Toolkit", "APIs", "Similarity"), self, numbers=(1, 2))
        self.list = QuietTree("Toolkits, most similar first", is_flat=True)
        self.list.set_model(self._model, _WIDTHS)
        self.column.addWidget(self.list, 1)
        self.homeless = QCheckBox("Take them out of all toolkits (no home yet)")
        self.column.addWidget(self.homeless)
        self.add_ending()
        self.field.textChanged.connect(self._fill)
        self.field.left_down.connect(self._on_left_down)
        self.field.returnPressed.connect(self.confirm)
        self.list.selectionModel().currentChanged.connect(lambda *_: self.refresh())
        self.list.activated.connect(lambda _index: self.confirm())
        self.homeless.toggled.connect(self._on_homeless)
        self._fill()
        context.tasks.spawn(self._rank(), owner=self)

    def edit(self) -> Edit | None:
        if self.homeless.isChecked():
            return Move(rowids=self._chosen.ids, to=None)
        toolkit = self.toolkit
        return None if toolkit is None else Move(rowids=self._chosen.ids, to=toolkit)

    def hint(self) -> str:
        return "No toolkit has such a name." if self.field.text() else "Choose a toolkit."

    @property
    def toolkit(self) -> ToolkitId | None:
        """The toolkit chosen in the list."""
        index = self.list.currentIndex()
        return index.data(KEY_ROLE) if index.isValid() else None

    def _on_others(self, edit: object) -> None:
        self._fill()
        super()._on_others(edit)

    async def _rank(self) -> None:
        n = len(self.context.catalogue.toolkits)
        self._ranked = await self.context.figures.rank_for(self._chosen.ids, n)
        self._fill()

    def _fill(self) -> None:
        cosine = {similar.toolkit: similar.cosine for similar in self._ranked}
        start = self.field.text().casefold().strip()

        def rank(toolkit: Toolkit) -> tuple[bool, float, str]:
            name = toolkit.name.casefold()
            return not (start and name.startswith(start)), -cosine.get(toolkit.id, -1.0), name

        found = sorted(self.context.catalogue.named(start), key=rank)
        rows = [self._row(t, cosine.get(t.id)) for t in found if t.id not in self._without]
        self._model.set_rows(rows[:_LIMIT])
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.refresh()

    def _row(self, toolkit: Toolkit, cosine: float | None) -> Row:
        colour = self.context.colours.get(toolkit.id)
        similarity = "" if cosine is None else score(cosine)
        return Row(
            cells=(one_line(toolkit.name), count(toolkit.size), similarity),
            key=toolkit.id,
            icon=None if colour is None else lambda: colour_swatch(colour),
            tooltip=f"{toolkit.name}\n{toolkit.description}".strip(),
        )

    def _on_left_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_homeless(self, is_homeless: bool) -> None:
        self.list.setEnabled(not is_homeless)
        self.field.setEnabled(not is_homeless)
        self.refresh()


_NEW_TOOLKIT_WIDTH = 460
_TEXT_HEIGHT = 64


class NewToolkitDialog(EditDialog):
    """Name and description; both may be left as the rule wrote them."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "New toolkit", verb="Make toolkit")
        self.setMinimumWidth(_NEW_TOOLKIT_WIDTH)
        self._chosen = context.chosen
        self.paragraph(f"New toolkit of {self._chosen.words}", role="heading")
        self.name = named(QLineEdit(), "Name of the new toolkit")
        self.name.setPlaceholderText("Thinking of a name …")
        self.description = named(QPlainTextEdit(), "What a planner reads about it")
        self.description.setProperty("role", "field")
        self.description.setFixedHeight(_TEXT_HEIGHT)
        self.description.setTabChangesFocus(True)
        self.column.addLayout(form_of(("Name", self.name), ("Description", self.description)))
        self.add_ending()
        self.name.textChanged.connect(self.refresh)
        self.refresh()
        context.tasks.spawn(self._propose(), owner=self)

    def edit(self) -> Edit | None:
        name = " ".join(self.name.text().split())
        if not name:
            return None
        return NewToolkit(
            rowids=self._chosen.ids,
            name=name,
            description=self.description.toPlainText().strip(),
        )

    def hint(self) -> str:
        return "Give it a name."

    async def _propose(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        ids = self._chosen.ids
        text = await self.context.tasks.in_thread(lambda: propose_name(workspace, ids))
        self.name.setPlaceholderText("Name")
        if not self.name.text():
            self.name.setText(text.name)
            self.name.selectAll()
        if not self.description.toPlainText():
            self.description.setPlainText(text.description)


_RENAME, _MERGE, _PIN, _FILL = "rename", "merge", "pin", "fill"


class RegionDialog(EditDialog):
    """One thing done to one region; at first the one of the selection."""

    can_replan = False

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Region", verb="Change")
        self.setMinimumWidth(_WIDTH)
        toolkits = context.chosen.toolkits or tuple(t for t, _ in context.chosen.shares)
        self._toolkits = tuple(toolkit.id for toolkit in toolkits)
        self.region, self.other = (named(QComboBox(), "Region"), named(QComboBox(), "Into"))
        for region, fields in context.catalogue.regions.items():
            self.region.addItem(fields.name, region)
            self.other.addItem(fields.name, region)
        self.what = named(QComboBox(), "Do")
        self.name = named(QLineEdit(), "Name")
        self._form = form_of(
            ("Region", self.region), ("Do", self.what), ("Name", self.name), ("Into", self.other)
        )
        self.column.addLayout(self._form)
        self.add_ending()
        self.region.setCurrentIndex(max(0, self.region.findData(self._most_chosen())))
        self._on_region()
        self.region.currentIndexChanged.connect(lambda _i: self._on_region())
        for field in (self.what, self.other):
            field.currentIndexChanged.connect(lambda _i: self._on_what())
        self.name.textChanged.connect(lambda _text: self.refresh())

    def edit(self) -> Edit | None:
        """What is asked for."""
        region: RegionId | None = self.region.currentData()
        what: str | None = self.what.currentData()
        if region is None or what is None:
            return None
        if what == _RENAME and self._is_same_name:
            return None
        pinned = self.context.catalogue.regions[region].is_pinned
        make = {
            _RENAME: partial(RenameRegion, region=region, name=self.name.text()),
            _MERGE: partial(MergeRegions, regions=(region,), into=self.other.currentData()),
            _PIN: partial(PinRegions, regions=(region,), is_pinned=not pinned),
            _FILL: partial(MoveToRegion, toolkits=self._toolkits, region=region),
        }
        return make[what]()

    def hint(self) -> str:
        """Why there is nothing to do."""
        if self.region.currentData() is not None:
            return "Nothing changes: it has this name."
        return "There are no regions: they are for workspaces with many toolkits."

    @property
    def _is_same_name(self) -> bool:
        fields = self.context.catalogue.regions[self.region.currentData()]
        return " ".join(self.name.text().split()) == fields.name

    def _most_chosen(self) -> RegionId | None:
        region_of = self.context.catalogue.region_of
        counts = Counter(region_of[t] for t in self._toolkits if t in region_of)
        return max(counts, key=lambda region: counts[region], default=None)

    def _on_region(self) -> None:
        fields = self.context.catalogue.regions.get(self.region.currentData())
        self.name.setText("" if fields is None else fields.name)
        was = self.what.currentData()
        pin = "Unpin" if fields is not None and fields.is_pinned else "Pin"
        self.what.clear()
        for title, what in (("Rename", _RENAME), ("Merge into another", _MERGE), (pin, _PIN)):
            self.what.addItem(title, what)
        if self._toolkits:
            chosen = counted(len(self._toolkits), "chosen toolkit")
            self.what.addItem(f"Put {chosen} here", _FILL)
        self.what.setCurrentIndex(max(0, self.what.findData(was)))
        self._on_what()

    def _on_what(self) -> None:
        for field, what in ((self.name, _RENAME), (self.other, _MERGE)):
            self._form.setRowVisible(field, self.what.currentData() == what)
        self.refresh()


PLUGINS = (
    DialogPlugin.of(dialog_commands.exclude, ExcludeDialog),
    DialogPlugin.of(dialog_commands.merge_reach, _about_chosen),
    DialogPlugin.of(dialog_commands.move, MoveDialog),
    DialogPlugin.of(dialog_commands.new_toolkit, NewToolkitDialog),
    DialogPlugin.of(dialog_commands.edit_region, RegionDialog),
)
