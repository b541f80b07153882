"""Fork a run at a node: what shall be different from there on, and what it will cost."""

from dataclasses import replace

from PySide6.QtWidgets import (
    QCheckBox,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import UserError
from toolplanner_core.llm.model import OFFLINE
from toolplanner_core.runs.debugging.faults import HOW_TO_WRITE, parse_fault
from toolplanner_core.runs.tape.differing import changes_between
from toolplanner_core.runs.tape.fork import ForkChanges, fork
from toolplanner_core.runs.telling.debug_words import say_faults
from toolplanner_core.runs.telling.run_again import (
    ForkBasis,
    read_fork_basis,
    say_estimate,
)
from toolplanner_core.runs.telling.stop_choices import UNREAD, goal_of
from toolplanner_core.words.wording import one_line
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.run_form import RunForm, load_run_plugins
from toolplanner_gui.panels.inspector.answer_page import AnswerPage
from toolplanner_gui.panels.inspector.messages_page import MessagesPage
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.boxes import page_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.tab_order import follow_layout
from toolplanner_gui.widgets.views import scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.fork_call import ForkCallPage
from toolplanner_gui.windows.fork_question import ForkQuestionPage

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
        self.fault_words.setText("\n".join(say_faults(text)) or "No call is made to fail.")

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
        form.put_after(self._run_page)
        # Also those that were added while the run went on.
        faults = dict.fromkeys((*spec.faults, *self.context.debug.faults.active))
        self.faults.setPlainText("\n".join(faults))
        self.without_faults.setVisible(bool(faults))
        self.call.show_call(basis.api, basis.arguments, goal=self._goal())
        self._show_question(basis)
        self._estimate.setText(f"From here on it took {say_estimate(basis.estimate)}.")
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


PLUGIN = DialogPlugin(id="fork", make=ForkDialog)
