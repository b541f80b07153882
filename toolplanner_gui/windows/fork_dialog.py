"""Fork a run at a node: what shall be different from there on, and what it will cost."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QPlainTextEdit,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import UserError
from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.runs.tape.fork import ForkChanges, fork
from toolplanner_core.runs.telling.run_again import (
    ForkBasis,
    changed_options,
    read_fork_basis,
    say_estimate,
)
from toolplanner_core.runs.telling.stop_choices import goal_of
from toolplanner_core.words.wording import one_line
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog
from toolplanner_gui.windows.fork_call import ForkCallPage
from toolplanner_gui.windows.run_choices import read_run_choices

_SIZE = (720, 600)
_FAULTS_HEIGHT = 72


class ForkDialog(Dialog):
    """Arguments and API of the next call, model, provider, options, faults."""

    def __init__(self, context: AppContext, parent: QWidget, run: RunId, path: NodePath) -> None:
        super().__init__(context, parent, f"Fork run {run}")
        self.resize(*_SIZE)
        self._run, self._path = run, path
        self._basis: ForkBasis | None = None
        node = context.run_view.nodes.get(path) if context.run_view.run == run else None
        where = f"before “{one_line(node.title, 80)}”" if path and node else "from its beginning"
        self.column.addWidget(
            text_label(f"Fork run {run} {where}", role="heading", is_wrapped=True)
        )
        self.column.addWidget(
            text_label(
                "What came before is taken over from the log, without a call. The run itself stays"
                " as it is.",
                role="dim",
                is_wrapped=True,
            )
        )
        self.column.addWidget(self.banner)
        self.call = ForkCallPage(context)
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.provider = QComboBox()
        self.options = ArgumentForm()
        self.without_faults = QCheckBox("Without any faults")
        self.faults = QPlainTextEdit()
        self.faults.setProperty("role", "field")
        self.faults.setTabChangesFocus(True)
        self.faults.setFixedHeight(_FAULTS_HEIGHT)
        self.faults.setPlaceholderText("One per line, such as 500:api=NAME*,next=2")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("What shall be different")
        self.tabs.addTab(_scrolled(self.call), "Next call")
        self.tabs.addTab(_scrolled(self._make_run_page()), "How it runs")
        self.column.addWidget(self.tabs, 1)
        self._estimate = text_label(role="dim", is_wrapped=True)
        self.column.addWidget(self._estimate)
        self.start_button = push_button("Start the fork", self._on_start, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        self._reading = context.tasks.spawn(self._fill(), owner=self)

    @property
    def is_idle(self) -> bool:
        """Whether everything that can be changed is there."""
        return self._reading.done() and self.call.candidates.is_idle

    def _make_run_page(self) -> QWidget:
        page = QWidget()
        page.setProperty("role", "page")
        form = QFormLayout()
        form.setSpacing(GAP)
        for title, widget in (
            ("Model", self.model),
            ("Provider", self.provider),
            ("Faults", self.faults),
        ):
            widget.setAccessibleName(title)
            form.addRow(title, widget)
        form.addRow("", self.without_faults)
        column = QVBoxLayout(page)
        column.setContentsMargins(EDGE, GAP, EDGE, EDGE)
        column.setSpacing(GAP)
        column.addLayout(form)
        column.addWidget(text_label("Options of the strategy", role="section"))
        column.addWidget(self.options)
        column.addStretch(1)
        return page

    async def _fill(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        in_thread = self.context.tasks.in_thread
        try:
            basis = await in_thread(lambda: read_fork_basis(workspace, self._run, self._path))
            choices = await in_thread(read_run_choices)
        except UserError as error:
            self.show_error(error, doing="Forking the run")
            return
        self._basis = basis
        spec = basis.spec
        for combo, entries, now in (
            (self.model, choices.models, spec.model),
            (self.provider, choices.providers, spec.provider),
        ):
            for entry in entries:
                combo.addItem(entry.title, entry.data)
            if combo.findData(now) < 0:
                combo.addItem(now, now)
            combo.setCurrentIndex(combo.findData(now))
        self.options.show_arguments(basis.options_schema, basis.options)
        # Also those that were added while the run went on.
        faults = dict.fromkeys((*spec.faults, *self.context.debug.faults.active))
        self.faults.setPlainText("\n".join(faults))
        self.without_faults.setVisible(bool(faults))
        self.call.show_call(basis.api, basis.arguments, goal=self._goal())
        if basis.api is None:
            self.tabs.setCurrentIndex(1)
        self._estimate.setText(f"From here on it took {say_estimate(basis.estimate)}.")
        self.start_button.setEnabled(not self.context.run_view.is_live)
        if self.context.run_view.is_live:
            self._estimate.setText("Another run goes on: wait until it has ended, or stop it.")

    def _goal(self) -> str:
        view = self.context.run_view
        return goal_of(view.nodes, self._path) if view.run == self._run else ""

    def _changes(self, basis: ForkBasis) -> ForkChanges:
        """What differs from the run.

        Raises:
            BadInput: a fault is not written as faults are.
        """
        faults = tuple(line.strip() for line in self.faults.toPlainText().splitlines())
        faults = tuple(line for line in faults if line)
        if self.without_faults.isChecked():
            faults = ()
        for line in faults:
            parse_fault(line)
        spec = basis.spec
        model = _chosen(self.model)
        provider = _chosen(self.provider)
        return ForkChanges(
            arguments=self.call.changed_arguments,
            api=self.call.changed_api,
            options=changed_options(basis.options, self.options.values),
            model=model if model != spec.model else None,
            provider=provider if provider != spec.provider else None,
            faults=faults if faults != spec.faults else None,
        )

    def _on_start(self) -> None:
        workspace, basis = self.context.workspace, self._basis
        if workspace is None or basis is None:
            return
        for form, misfit, page in (
            (self.call.arguments, self.call.misfit(), 0),
            (self.options, self.options.misfit, 1),
        ):
            if misfit:
                self.tabs.setCurrentIndex(page)
                form.show_problem(misfit)
                return
        self._reading = self.context.tasks.spawn(self._start(basis), owner=self)

    async def _start(self, basis: ForkBasis) -> None:
        workspace = self.context.workspace
        assert workspace is not None

        def make(changes: ForkChanges) -> RunSpec:
            from toolplanner_core.options.values import make_options
            from toolplanner_core.strategies.strategy import strategies

            spec = fork(workspace, self._run, self._path, changes)
            make_options(
                strategies.get(spec.strategy).options, spec.options, of=f"strategy {spec.strategy}"
            )
            return spec

        try:
            changes = self._changes(basis)
            spec = await self.context.tasks.in_thread(lambda: make(changes))
        except UserError as error:
            self.show_error(error, doing="Forking the run")
            return
        shell = self.context.shell
        assert shell is not None
        shell.show_layout("debug")
        self.context.run_view.start(spec)
        self.accept()


def _chosen(combo: QComboBox) -> str:
    """The chosen entry, or what was typed instead."""
    text = combo.currentText().strip()
    found = combo.findText(text)
    return str(combo.itemData(found)) if found >= 0 else text


def _scrolled(page: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    return area
