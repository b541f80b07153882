"""Fork a run at a node: what shall be different from there on, and what it will cost."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QTabWidget, QWidget

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.errors import UserError
from toolplanner_core.llm.model import OFFLINE
from toolplanner_core.runs.config.spec import ForkEdit
from toolplanner_core.runs.debugging.faults import HOW_TO_WRITE, parse_fault
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.presentation.debug_words import describe_faults
from toolplanner_core.runs.presentation.run_again import (
    ForkBasis,
    changed_arguments,
    describe_estimate,
    read_fork_basis,
)
from toolplanner_core.runs.presentation.stop_choices import UNREAD, carried_over, goal_of
from toolplanner_core.runs.replay.fork import ForkChanges, changes_between, fork, question_misfit
from toolplanner_core.words.formatting import one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.run_form import RunForm, load_run_plugins
from toolplanner_gui.panels.inspector.decision_pages import AnswerPage, DecisionPage, MessagesPage
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.api_candidates import ApiCandidates
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.box_layouts import column_of, page_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.choice_list import ChoiceList
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.tab_order import follow_layout
from toolplanner_gui.widgets.views import scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin


class ForkCallPage(QWidget):
    """Shows the call as it was; nothing is changed until a person does."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._was: Api | None = None
        self._api: Api | None = None
        self._before: Mapping[str, Any] = {}
        self._goal = ""
        assert context.workspace is not None
        self.candidates = ApiCandidates(context.tasks, context.workspace, self)
        self._title = text_label(role="section", is_wrapped=True)
        self.choose_button = push_button("Call another API …", self._on_choose, role="link")
        self.choice = ChoiceList(
            "Search in all APIs", self.candidates.model, key_role=int(KEY_ROLE)
        )
        self.choice.hide()
        self.arguments = ArgumentForm()
        self.setProperty("role", "page")
        choose = (self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self._title, choose, self.choice, self.arguments, 1)
        column_of(*parts, of=self, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP)
        self.choice.searched.connect(self.candidates.search)
        self.choice.chosen.connect(self._on_chosen)
        self.candidates.changed.connect(lambda: self.choice.say(self.candidates.note))

    def show_call(self, api: Api | None, arguments: Mapping[str, Any], *, goal: str) -> None:
        """Begin with a call; None = there is none whose arguments could be changed.

        Args:
            goal: of the step, which the scores of other APIs are for.
        """
        self._was, self._before, self._goal = api, arguments, goal
        self._take(api)

    @property
    def changed_api(self) -> ApiId | None:
        """Another API, None for the one it was."""
        is_other = self._api is not None and self._was is not None and self._api.id != self._was.id
        return self._api.id if self._api is not None and is_other else None

    @property
    def changed_arguments(self) -> dict[str, Any] | None:
        """Arguments to set at the call, None = none."""
        return None if self._api is None else changed_arguments(self._before, self.arguments.values)

    def misfit(self) -> str:
        """Why the changed call would not be sent; one that nobody changed goes as it went."""
        from toolplanner_core.runs.stages.arguments import ArgumentCheck

        if self._api is None:
            return ""
        if self.changed_api is None and self.changed_arguments is None:
            return self.arguments.misfit
        found = ArgumentCheck().check(self._api, self.arguments.values)
        return self.arguments.misfit or ("" if found is None else found.message)

    def _on_choose(self) -> None:
        """Open or close the list; from another API, go back to the one it was."""
        if self._was is None:
            return
        if self.changed_api is not None:
            self.choice.hide()
            self._take(self._was)
            return
        self.choice.setVisible(self.choice.isHidden())
        if not self.choice.isHidden() and self.candidates.model.rowCount() == 0:
            self.candidates.offer_toolkit_of(self._was, goal=self._goal)
        self.choice.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name_button()

    def _on_chosen(self, key: ApiId) -> None:
        api = self.candidates.api(key)
        if api is not None:
            self._take(api)

    def _take(self, api: Api | None) -> None:
        self._api = api
        self.choose_button.setVisible(api is not None)
        self.arguments.setVisible(api is not None)
        if api is None:
            self._title.setText("No call follows whose arguments could be changed.")
            return
        self._title.setText(f"Call of {api.title}")
        is_same = self._was is not None and api.id == self._was.id
        values = self._before if is_same else carried_over(api, self._before)
        self.arguments.show_arguments(api.parameters, values, before=self._before)
        self._name_button()

    def _name_button(self) -> None:
        if self.changed_api is not None and self._was is not None:
            self.choose_button.setText(f"Back to {self._was.title}")
        else:
            is_open = not self.choice.isHidden()
            self.choose_button.setText("Keep this API" if is_open else "Call another API …")


class ForkQuestionPage(QWidget):
    """One of both, as at a stop; nothing is changed until a person does."""

    def __init__(self, editor: DecisionPage, explanation: str) -> None:
        super().__init__()
        self.editor = editor
        self._question: Stop | None = None
        self._was: StopDecision | None = None
        self._is_touched = False
        self._title = text_label(role="section", is_wrapped=True)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.setAccessibleName("Why it does not fit")
        self._problem.hide()
        self.about = text_label(explanation, role="dim", is_wrapped=True)
        self.inside = QWidget()
        self.inside.setProperty("role", "page")
        parts = (self._title, self.about, editor, 1)
        column_of(*parts, of=self.inside, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP)
        # Below what scrolls, so that it is seen wherever one writes.
        column_of((scrolled(self.inside), 1), self._problem, of=self, gap=GAP)
        editor.changed.connect(self._on_changed)

    def show_question(self, question: Stop) -> None:
        """Begin with a question as it went."""
        self._question = question
        self._title.setText(question.title)
        self.editor.show_stop(question)
        self._was, self._is_touched = self.editor.decision(), False

    @property
    def edit(self) -> ForkEdit:
        """What a person changed."""
        decision = self.editor.decision() if self._is_touched else None
        if decision is None or decision == self._was:
            return ForkEdit()
        return ForkEdit(messages=decision.messages, answer=decision.value)

    @property
    def misfit(self) -> str:
        """Why what a person wrote cannot be taken, "" if it can."""
        if self._question is None or not self._is_touched:
            return ""
        return self.editor.misfit or question_misfit(self._question, self.edit)

    @property
    def problem(self) -> str:
        """What is said to be wrong."""
        return self._problem.text()

    def show_problem(self, sentence: str) -> None:
        """Say what is wrong, "" = nothing."""
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))

    def _on_changed(self) -> None:
        self._is_touched = True
        self.show_problem("")


_SIZE = (720, 600)
_FAULTS_HEIGHT = 72
_MESSAGES, _ANSWER, _CALL, _RUN = range(4)
"""The places of the pages."""


class ForkDialog(Dialog):
    """Messages or answer of the next question, the next call, how it runs, faults."""

    asks_to_drop = True

    def __init__(self, context: AppContext, parent: QWidget, run: RunId, path: NodePath) -> None:
        super().__init__(context, parent, f"Fork run {run}")
        self.resize(*_SIZE)
        self._run, self._path = run, path
        self._basis: ForkBasis | None = None
        node = context.run_view.nodes.get(path) if context.run_view.run == run else None
        where = f"before “{one_line(node.title, 80)}”" if path and node else "from its beginning"
        self.paragraph(f"Fork run {run} {where}", role="heading")
        self.paragraph(
            "What came before is taken over from the log, without a call. The run itself stays"
            " as it is.",
            role="dim",
        )
        self.column.addWidget(self.banner)
        self.messages = ForkQuestionPage(
            MessagesPage(), "The messages as they were sent; change what you like."
        )
        self.answer = ForkQuestionPage(
            AnswerPage(), "What the model said; if you change it, the model is not asked."
        )
        self.call = ForkCallPage(context)
        self.form: RunForm | None = None
        self.without_faults = QCheckBox("Without any faults")
        self.faults = QPlainTextEdit()
        self.faults.setProperty("role", "field")
        self.faults.setTabChangesFocus(True)
        self.faults.setFixedHeight(_FAULTS_HEIGHT)
        self.faults.setPlaceholderText("One per line, such as 500:api=NAME*,next=2")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("What shall be different")
        self._run_page = scrolled(QWidget())
        self.tabs.addTab(self.messages, "Next question")
        self.tabs.addTab(self.answer, "Its answer")
        self.tabs.addTab(scrolled(self.call), "Next call")
        self.tabs.addTab(self._run_page, "How it runs")
        self.tabs.addTab(scrolled(self._make_faults_page()), "Faults")
        self.column.addWidget(self.tabs, 1)
        self._estimate = self.paragraph(role="dim")
        self.start_button = push_button("Start the fork", self._on_start, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        self._reading = context.tasks.spawn(self._fill(), owner=self)

    @property
    def is_idle(self) -> bool:
        """Whether everything that can be changed is there."""
        return self._reading.done() and self.call.candidates.is_idle

    def _make_faults_page(self) -> QWidget:
        self.faults.setAccessibleName("Faults")
        title = text_label("What shall fail from here on, one fault a line", role="section")
        self.fault_words = text_label(is_wrapped=True, role="dim", name="The faults in words")
        self.faults.textChanged.connect(self._show_faults)
        self.without_faults.toggled.connect(lambda _is_on: self._show_faults())
        self._show_faults()
        how = text_label(HOW_TO_WRITE, is_wrapped=True, role="dim")
        parts = (title, self.faults, self.fault_words, how, self.without_faults, 1)
        return page_of(*parts, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP, role="page")

    def _show_faults(self) -> None:
        text = "" if self.without_faults.isChecked() else self.faults.toPlainText()
        self.fault_words.setText("\n".join(describe_faults(text)) or "No call is made to fail.")

    async def _fill(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        in_thread = self.context.tasks.in_thread
        try:
            basis = await in_thread(lambda: read_fork_basis(workspace, self._run, self._path))
            await in_thread(load_run_plugins)
            form = RunForm()
            form.put(basis.spec)
        except UserError as error:
            self.show_error(error, doing="Forking the run")
            return
        self._basis = basis
        spec = basis.spec
        form.strategy.combo.setEnabled(False)
        form.column.setContentsMargins(EDGE, GAP, EDGE, EDGE)
        self.form = form
        self._run_page.setWidget(form)
        form.set_tab_order_after(self._run_page)
        # Also those that were added while the run went on.
        faults = dict.fromkeys((*spec.faults, *self.context.debug.faults.active))
        self.faults.setPlainText("\n".join(faults))
        self.without_faults.setVisible(bool(faults))
        self.call.show_call(basis.api, basis.arguments, goal=self._goal())
        self._show_question(basis)
        self._estimate.setText(f"From here on it took {describe_estimate(basis.estimate)}.")
        self.start_button.setEnabled(not self.context.run_view.is_live)
        if self.context.run_view.is_live:
            self._estimate.setText("Another run goes on: wait until it has ended, or stop it.")
        self.begin()

    def _show_question(self, basis: ForkBasis) -> None:
        """Offer what comes next, and begin with it."""
        asked = basis.question
        if asked is not None:
            for page in (self.messages, self.answer):
                page.show_question(asked)
                page.editor.changed.connect(self._order_tabs)
            if basis.spec.model == OFFLINE:
                self.messages.about.setText(UNREAD)
            self._order_tabs()
        self.tabs.setTabVisible(_MESSAGES, asked is not None and bool(asked.messages))
        self.tabs.setTabVisible(_ANSWER, asked is not None)
        self.tabs.setTabVisible(_CALL, basis.api is not None or asked is None)
        if asked is None:
            self.tabs.setCurrentIndex(_RUN if basis.api is None else _CALL)

    def _order_tabs(self) -> None:
        """Tab goes through a page from top to bottom, wherever editors came in between."""
        follow_layout(self.tabs.tabBar(), self.messages.inside, self.answer.inside, self.call)

    def _goal(self) -> str:
        view = self.context.run_view
        return goal_of(view.nodes, self._path) if view.run == self._run else ""

    def _changes(self, basis: ForkBasis) -> ForkChanges:
        """What differs from the run.

        Raises:
            BadInput: an option does not fit, or a fault is not written as faults are.
        """
        assert self.form is not None
        faults = tuple(line.strip() for line in self.faults.toPlainText().splitlines())
        faults = () if self.without_faults.isChecked() else tuple(filter(None, faults))
        for line in faults:
            parse_fault(line)
        changes = changes_between(basis.spec, replace(self.form.spec(basis.spec), faults=faults))
        return replace(
            changes,
            arguments=self.call.changed_arguments,
            api=self.call.changed_api,
            messages=self.messages.edit.messages,
            answer=self.answer.edit.answer,
        )

    def _on_start(self) -> None:
        workspace, basis = self.context.workspace, self._basis
        if workspace is None or basis is None:
            return
        for index, misfit, show_problem in (
            (_MESSAGES, self.messages.misfit, self.messages.show_problem),
            (_ANSWER, self.answer.misfit, self.answer.show_problem),
            (_CALL, self.call.misfit(), self.call.arguments.show_problem),
        ):
            if misfit:
                self.tabs.setCurrentIndex(index)
                show_problem(misfit)
                return
        self._reading = self.context.tasks.spawn(self._start(basis), owner=self)

    async def _start(self, basis: ForkBasis) -> None:
        workspace = self.context.workspace
        assert workspace is not None

        try:
            changes = self._changes(basis)
            spec = await self.context.tasks.in_thread(
                lambda: fork(workspace, self._run, self._path, changes)
            )
        except UserError as error:
            self.show_error(error, doing="Forking the run")
            return
        shell = self.context.shell
        shell.show_layout("debug")
        self.context.run_view.start(spec)
        self.accept()


PLUGIN = DialogPlugin.of(dialog_commands.fork_run, ForkDialog)
