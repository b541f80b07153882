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

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.errors import UserError
from toolplanner_core.runs.faults import parse_fault
from toolplanner_core.runs.fork import ForkChanges, fork
from toolplanner_core.runs.spec import RunSpec
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.api_candidates import ApiCandidates
from toolplanner_gui.viewmodels.run_again import (
    ForkBasis,
    changed_arguments,
    changed_options,
    read_fork_basis,
    say_estimate,
)
from toolplanner_gui.viewmodels.stop_choices import goal_of
from toolplanner_gui.viewmodels.table_model import KEY_ROLE
from toolplanner_gui.viewmodels.texts import one_line
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.choice_list import ChoiceList
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog
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
        self._api: Api | None = None
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
        self.candidates = ApiCandidates(context.tasks, self)
        self._call_title = text_label(role="section", is_wrapped=True)
        self.choose_button = push_button("Call another API …", self._on_choose, role="link")
        self.choice = ChoiceList(
            "Search in all APIs", self.candidates.model, key_role=int(KEY_ROLE)
        )
        self.choice.set_icons(context.theme.icon("magnify"), context.theme.icon("close"))
        self.choice.hide()
        self.arguments = ArgumentForm()
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.provider = QComboBox()
        self.options = ArgumentForm()
        self.without_faults = QCheckBox("Without the faults that the run had")
        self.faults = QPlainTextEdit()
        self.faults.setProperty("role", "field")
        self.faults.setTabChangesFocus(True)
        self.faults.setFixedHeight(_FAULTS_HEIGHT)
        self.faults.setPlaceholderText("One per line, such as 500:api=NAME*,next=2")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("What shall be different")
        self.tabs.addTab(_scrolled(self._make_call_page()), "Next call")
        self.tabs.addTab(_scrolled(self._make_run_page()), "How it runs")
        self.column.addWidget(self.tabs, 1)
        self._estimate = text_label(role="dim", is_wrapped=True)
        self.column.addWidget(self._estimate)
        self.start_button = push_button("Start the fork", self._on_start, role="primary")
        self.start_button.setEnabled(False)
        self.add_buttons(self.start_button)
        self.choice.searched.connect(self._on_searched)
        self.choice.chosen.connect(self._on_chosen)
        self.candidates.changed.connect(lambda: self.choice.say(self.candidates.note))
        self._reading = context.tasks.spawn(self._fill(), owner=self)

    @property
    def is_idle(self) -> bool:
        """Whether everything that can be changed is there."""
        return self._reading.done() and self.candidates.is_idle

    def _make_call_page(self) -> QWidget:
        page = QWidget()
        page.setProperty("role", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(EDGE, GAP, EDGE, EDGE)
        column.setSpacing(GAP)
        column.addWidget(self._call_title)
        column.addWidget(self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.choice)
        column.addWidget(self.arguments)
        column.addStretch(1)
        return page

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
        self._basis, self._api = basis, basis.api
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
        self.faults.setPlainText("\n".join(spec.faults))
        self.without_faults.setVisible(bool(spec.faults))
        self._show_call(basis)
        self._estimate.setText(f"From here on it took {say_estimate(basis.estimate)}.")
        self.start_button.setEnabled(not self.context.run_view.is_live)
        if self.context.run_view.is_live:
            self._estimate.setText("Another run goes on: wait until it has ended, or stop it.")

    def _show_call(self, basis: ForkBasis) -> None:
        api = self._api
        is_there = api is not None
        self.choose_button.setVisible(is_there)
        self.arguments.setVisible(is_there)
        if api is None:
            self._call_title.setText("No call follows whose arguments could be changed.")
            self.tabs.setCurrentIndex(1)
            return
        self._call_title.setText(f"Call of {api.title}")
        values = basis.arguments
        if api is not basis.api:
            known = {parameter.name for parameter in api.parameter_list}
            values = {name: value for name, value in values.items() if name in known}
        self.arguments.show_arguments(api.parameters, values, before=basis.arguments)

    def _on_choose(self) -> None:
        workspace, api = self.context.workspace, self._api
        if workspace is None or api is None:
            return
        self.choice.setVisible(self.choice.isHidden())
        if not self.choice.isHidden() and self.candidates.model.rowCount() == 0:
            self.candidates.offer_toolkit_of(workspace, api, goal=self._goal())
        self.choice.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_searched(self, text: str) -> None:
        if self.context.workspace is not None:
            self.candidates.search(self.context.workspace, text)

    def _on_chosen(self, key: ApiId) -> None:
        api = self.candidates.api(key)
        if api is not None and self._basis is not None:
            self._api = self._basis.api if self._basis.api == api else api
            self._show_call(self._basis)

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
        is_other = self._api is not None and self._api is not basis.api
        return ForkChanges(
            arguments=None
            if self._api is None
            else changed_arguments(basis.arguments, self.arguments.values),
            api=self._api.id if self._api is not None and is_other else None,
            options=changed_options(basis.options, self.options.values),
            model=model if model != spec.model else None,
            provider=provider if provider != spec.provider else None,
            faults=faults if faults != spec.faults else None,
        )

    def _on_start(self) -> None:
        workspace, basis = self.context.workspace, self._basis
        if workspace is None or basis is None:
            return
        for form, page in ((self.arguments, 0), (self.options, 1)):
            if form.misfit:
                self.tabs.setCurrentIndex(page)
                form.show_problem(form.misfit)
                return
        misfit = self._argument_misfit(basis)
        if misfit:
            self.tabs.setCurrentIndex(0)
            self.arguments.show_problem(misfit)
            return
        self._reading = self.context.tasks.spawn(self._start(basis), owner=self)

    def _argument_misfit(self, basis: ForkBasis) -> str:
        """Why the changed call would not be sent; one that nobody changed goes as it went."""
        from toolplanner_core.runs.stages.arguments import ArgumentCheck

        api, values = self._api, self.arguments.values
        if api is None or (api is basis.api and values == dict(basis.arguments)):
            return ""
        found = ArgumentCheck().check(api, values)
        return "" if found is None else found.message

    async def _start(self, basis: ForkBasis) -> None:
        workspace = self.context.workspace
        assert workspace is not None

        def make(changes: ForkChanges) -> RunSpec:
            from toolplanner_core.runs.option_values import make_options
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
