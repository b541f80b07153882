"""Probe: which APIs, how often, with which budget, what it will take; then a run like any other.

Nothing is called before the button is pressed; what is found counts once a person accepts it.
"""

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from toolplanner_core.errors import ToolPlannerError, UserError
from toolplanner_core.llm.default_model import default_model, language_model
from toolplanner_core.llm.model import models
from toolplanner_core.probing.stored_protocols import list_protocols
from toolplanner_core.runs.preview.probe_plan import ProbeChoices, ProbePlan, probe_plan
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.toolkits import member_rowids
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.option_form import OptionForm, form_label, form_rows
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (600, 600)
_TOOLKITS = 20
"""Toolkits of the selection that are offered, those with most chosen APIs first."""
_ABOUT = (
    "A language model writes small programs that call the APIs, to learn how they reply. You get"
    " what was learnt beside the documentation, with an example, to accept or reject. It is a run:"
    " you can watch it, stop it and replay it."
)
_NOTHING = "Nothing is selected"
_SELECT = "Select toolkits or APIs first, in the list or on the map."
_NEEDS_MODEL = (
    "Probing needs a language model: it writes the programs. Name one here, or save the usual one"
    " in Preferences."
)


class ProbeDialog(Dialog):
    """What shall be probed; the estimate follows every choice."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Probe")
        self.resize(*_SIZE)
        self._newest = LatestRequest(context.tasks, self)
        self._rowids = context.chosen.ids
        self.plan: ProbePlan | None = None
        self.paragraph(_ABOUT, role="dim")
        self.which = named(QComboBox(), "Which")
        self._fill_which()
        self.model = named(QLineEdit(default_model().removeprefix("openai:")), "Model")
        self.model.setPlaceholderText("Such as gpt-4o-mini; the usual one is set in Preferences")
        self.choices = OptionForm(ProbeChoices, of="probing")
        head = QWidget()
        form = form_rows(head)
        for title, field in {"Which": self.which, "Model": self.model}.items():
            form.addRow(form_label(title, field), field)
        self.takes = text_label(is_wrapped=True, name="What it will take")
        self.apis_model = TableModel(("API", "Call", "Called by"), self)
        self.apis = QuietTree("APIs that would be probed", is_flat=True)
        self.apis.set_model(self.apis_model, {1: 190, 2: 80})
        self.add(head, self.choices, self.takes, (self.apis, 1), self.banner)
        self.start_button = push_button("Probe", self._on_start, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        self.which.currentIndexChanged.connect(self._on_edited)
        self.model.textChanged.connect(self._on_edited)
        self.choices.edited.connect(self._on_edited)
        self._on_edited()

    @property
    def spec(self) -> str:
        """The model as runs name it.

        Raises:
            BadInput: none is named, or it cannot write programs.
        """
        name = self.model.text().strip()
        is_spec = name.partition(":")[0] in models.plugins
        return language_model(name if is_spec else f"openai:{name}" if name else None, "Probing")

    def _fill_which(self) -> None:
        chosen = self.context.chosen
        if chosen.toolkits:
            self.which.addItem(f"The selection: {chosen.words}")
            return
        if len(self._rowids):
            self.which.addItem(f"The selection: {chosen.words}")
        for toolkit, _ in chosen.shares[:_TOOLKITS]:
            self.which.addItem(f"Toolkit: {one_line(toolkit.name, 60)}", toolkit.id)
        if not self.which.count():
            self.which.addItem(_NOTHING)
            self.which.setEnabled(False)

    def _on_edited(self) -> None:
        self.start_button.setEnabled(False)
        self.plan, workspace = None, self.context.workspace
        self._newest.forget()
        if workspace is None:
            return
        if self.context.chosen.is_empty:
            self.takes.setText(_SELECT)
            return
        if self.choices.problem:
            self.takes.setText(self.choices.problem)
            return
        choices, toolkit, rowids = self.choices.instance, self.which.currentData(), self._rowids

        def work() -> ProbePlan:
            wanted = rowids if toolkit is None else member_rowids(workspace, toolkit)
            return probe_plan(workspace, [int(each) for each in wanted], choices)

        def refused(error: ToolPlannerError) -> None:
            self.takes.clear()
            self.show_error(error)

        self._newest.ask(work, self._show, refused)

    def _show(self, plan: ProbePlan) -> None:
        self.plan = plan
        self.apis_model.set_rows(
            [
                Row(
                    cells=(one_line(api.title), one_line(api.call_in_words), plan.called_by(api)),
                    key=api.id,
                    tooltip=f"{api.title}\n{api.call_in_words}",
                )
                for api in plan.apis
            ]
        )
        try:
            self.spec  # noqa: B018 - asks whether there is one
        except UserError:
            self.takes.setText(f"{plan.words} {_NEEDS_MODEL}")
            return
        live = self.context.run_view.is_live
        self.takes.setText(f"{plan.words} A run goes on: wait for its end." if live else plan.words)
        self.start_button.setEnabled(bool(plan.apis) and not live)

    def _on_start(self) -> None:
        if self.plan is None or self.context.run_view.is_live:
            return
        try:
            spec = self.plan.spec(self.spec)
        except UserError as error:
            self.show_error(error)
            return
        context, view = self.context, self.context.run_view
        context.shell.show_layout("debug")
        view.start(spec)
        # The dialog is gone by then: the waiting ends with the view of the runs.
        context.tasks.spawn(_show_learnt(context, self.plan), owner=view)
        self.accept()


async def _show_learnt(context: AppContext, plan: ProbePlan) -> None:
    """Wait for the end of the run, then show what waits for a decision."""
    view, workspace = context.run_view, context.file
    ended = context.tasks.loop.create_future()

    def look() -> None:
        if not view.is_live and not ended.done():
            ended.set_result(None)

    view.live_changed.connect(look)
    try:
        look()
        await ended
    finally:
        view.live_changed.disconnect(look)
    kept = await context.tasks.in_thread(lambda: list_protocols(workspace))
    asked = {api.id for api in plan.apis}
    if any(each.protocol.status == "new" and each.protocol.api in asked for each in kept):
        context.shell.open(dialog_commands.probing_results)
    else:
        context.show_message("Nothing was learnt: the run says why")


PLUGIN = DialogPlugin.of(dialog_commands.probe_apis, ProbeDialog)
