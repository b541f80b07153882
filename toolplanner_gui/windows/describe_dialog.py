"""Describe by a model: whose texts, by which model, what it will take; then a job and proposals.

Nothing is asked before the button is pressed, and nothing changes before a person accepts.
"""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from toolplanner_core.describing.estimate import (
    DescribeEstimate,
    DescribeScope,
    DescribeWhat,
    estimate,
)
from toolplanner_core.describing.job import (
    DescribeFailure,
    DescribeLimits,
    DescribeReport,
    ask_model,
    describing_model,
    last_failures,
)
from toolplanner_core.describing.proposing import propose_texts
from toolplanner_core.errors import ToolPlannerError, UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.default_model import default_model
from toolplanner_core.llm.model import models
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.words.formatting import count, counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.option_form import OptionForm, form_label, form_rows
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (600, 620)
_ABOUT = (
    "A language model reads the documentation and writes short texts: what each API does, and what"
    " a toolkit is called and for. You get proposals to accept or reject. What a person wrote, and"
    " pinned toolkits, stay as they are."
)
_WHAT = {
    "Toolkits: names and descriptions": frozenset({DescribeWhat.TOOLKITS}),
    "APIs: what each of them does": frozenset({DescribeWhat.APIS}),
    "Both": frozenset(DescribeWhat),
}


class DescribeDialog(Dialog):
    """What shall be described; the estimate follows every choice."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Describe by a model")
        self.resize(*_SIZE)
        self._newest = LatestRequest(context.tasks, self)
        self._chosen = context.chosen
        self.found: DescribeEstimate | None = None
        self.paragraph(_ABOUT, role="dim")
        self.which = named(QComboBox(), "Which")
        if not self._chosen.is_empty:
            self.which.addItem(f"The selection: {self._chosen.words}", "selection")
        self.which.addItem("All", "all")
        self.what = named(QComboBox(), "Whose texts")
        self.what.addItems([*_WHAT])
        self.only_by_rule = QCheckBox("Only what no model has described yet")
        self.model = named(QLineEdit(default_model().removeprefix("openai:")), "Model")
        self.model.setPlaceholderText("Such as gpt-4o-mini; the usual one is set in Preferences")
        self.limits = OptionForm(DescribeLimits, of="describing")
        rows = {
            "Which": self.which,
            "Texts of": self.what,
            "": self.only_by_rule,
            "Model": self.model,
        }
        head = QWidget()
        form = form_rows(head)
        for title, field in rows.items():
            form.addRow(form_label(title, field), field)
        self.add(head, self.limits)
        self.takes = text_label(is_wrapped=True, name="What it will take")
        self.failed_model = TableModel(("Failed last time", "Why"), self)
        self.failed = QuietTree("What the model failed at last time", is_flat=True)
        self.failed.set_model(self.failed_model, {0: 220})
        self.failed.hide()
        self.preferences_button = push_button(
            "Preferences …", lambda: context.shell.open(dialog_commands.preferences), role="link"
        )
        self.preferences_button.setToolTip("Say there which endpoint and model you usually ask")
        context.preferences_changed.connect(self._on_preferences_changed)
        self.add(
            self.takes,
            (self.preferences_button, 0, Qt.AlignmentFlag.AlignLeft),
            self.banner,
            (self.failed, 1),
            1,
        )
        self.start_button = push_button("Ask the model", self._on_start, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        for combo in (self.which, self.what):
            combo.currentIndexChanged.connect(self._on_edited)
        self.only_by_rule.toggled.connect(self._on_edited)
        self.model.textChanged.connect(self._on_edited)
        self.limits.edited.connect(self._on_edited)
        self._on_edited()

    @property
    def scope(self) -> DescribeScope:
        """What is chosen."""
        is_selection = self.which.currentData() == "selection"
        toolkits = frozenset(kit.id for kit in self._chosen.toolkits) if is_selection else None
        rowids = frozenset(self._chosen.ids) if is_selection and not toolkits else frozenset[int]()
        return DescribeScope(
            what=_WHAT[self.what.currentText()],
            toolkits=toolkits or frozenset(),
            rowids=rowids,
            only_by_rule=self.only_by_rule.isChecked(),
        )

    @property
    def spec(self) -> str:
        """The model as runs name it.

        Raises:
            BadInput: none is named, or it cannot describe.
        """
        name = self.model.text().strip()
        is_spec = name.partition(":")[0] in models.plugins
        return describing_model(name if is_spec else f"openai:{name}" if name else None)

    def _on_edited(self) -> None:
        self.start_button.setEnabled(False)
        self.found, workspace = None, self.context.workspace
        self._newest.forget()
        if workspace is None:
            return
        try:
            spec, scope = self.spec, self.scope
        except UserError:
            self.takes.setText("Name a language model first.")
            self.preferences_button.show()
            return
        self.preferences_button.hide()
        self.takes.setText("Reading the documentation …")

        def work() -> tuple[DescribeEstimate, list[DescribeFailure]]:
            return estimate(workspace, spec, scope=scope), last_failures(workspace)

        def refused(error: ToolPlannerError) -> None:
            self.takes.clear()
            self.show_error(error)

        self._newest.ask(work, lambda found: self._show(*found), refused)

    def _on_preferences_changed(self) -> None:
        if not self.model.text().strip():
            self.model.setText(default_model().removeprefix("openai:"))

    def _show(self, found: DescribeEstimate, failures: list[DescribeFailure]) -> None:
        self.found = found
        self.failed.setVisible(bool(failures))
        self.failed_model.set_rows(
            [
                Row(cells=(one.name, one.reason), key=number, tooltip=f"{one.name}\n{one.reason}")
                for number, one in enumerate(failures)
            ]
        )
        problem = self.limits.problem
        self.takes.setText(problem or _in_words(found, self._at_once))
        self.start_button.setText("Ask the model" if found.wanted else "Show what is known")
        self.start_button.setEnabled(bool(found.subjects) and not problem)

    @property
    def _at_once(self) -> int:
        return 1 if self.limits.problem else self.limits.instance.at_once

    def _on_start(self) -> None:
        workspace, found = self.context.workspace, self.found
        if workspace is None or found is None:
            return
        try:
            spec, limits = self.spec, self.limits.instance
            limits.check(found.cost)
        except UserError as error:
            self.show_error(error)
            return
        start_describing(self.context, workspace, found, spec, limits)
        self.accept()


def start_describing(
    context: AppContext,
    workspace: Workspace,
    found: DescribeEstimate,
    spec: str,
    limits: DescribeLimits,
) -> None:
    """Ask as a job; its proposals are shown. A cancelled job proposes what it has come to."""

    def work(progress: Progress) -> tuple[DescribeReport, list[int]]:
        report = asyncio.run(ask_model(workspace, found, spec, limits=limits, progress=progress))
        return report, propose_texts(workspace, found, model=spec)

    def done(result: tuple[DescribeReport, list[int]]) -> None:
        report, proposals = result
        context.show_message(_came_to(report, is_proposed=bool(proposals)))
        if proposals:
            context.shell.open(dialog_commands.proposals)

    job = context.jobs.start("Describing by a model", work)
    job.succeeded.connect(done)
    job.failed.connect(lambda error: context.job_failed(job, error))
    kept = "What was answered is kept: describe again to go on."
    job.cancelled.connect(lambda: context.show_message(kept))


def _in_words(found: DescribeEstimate, at_once: int) -> str:
    left_out = f" {counted(found.left_out, 'text')} of a person or pinned stay."
    left_out = left_out if found.left_out else ""
    if not found.subjects:
        return f"Nothing is to be described here.{left_out}"
    known = f" {count(found.n_known)} are known from before." if found.n_known else ""
    if not found.wanted:
        return f"All answers are known already; nothing is asked.{left_out}"
    tokens = found.input_tokens + found.output_tokens
    cost = f"{cost_words(found.cost)}" if found.cost is not None else "at an unknown price"
    return (
        f"{counted(found.to_ask, 'text')} by {counted(len(found.wanted), 'question')}: about"
        f" {counted(tokens, 'token')}, {cost}, {duration(found.seconds / at_once)}."
        f"{known}{left_out}"
    )


def _came_to(report: DescribeReport, *, is_proposed: bool) -> str:
    failed = ""
    if report.failures:
        first = report.failures[0]
        failed = f", {count(len(report.failures))} failed, first {first.name}: {first.reason}"
    stopped = f" Stopped: {report.stopped}. Describe again to go on." if report.stopped else ""
    nothing = "" if is_proposed else " No text would change."
    return f"{counted(report.asked, 'text')} written{failed}.{stopped}{nothing}"


PLUGIN = DialogPlugin.of(dialog_commands.describe, DescribeDialog)
