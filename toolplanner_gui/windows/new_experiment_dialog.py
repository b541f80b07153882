"""A new experiment: what it asks, of which queries, what is compared; and at once what it would
run, and what so many queries can show."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QListWidgetItem, QSpinBox, QWidget

from toolplanner_core.curation.edits.history_reading import HistoryEntry, list_history
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.lab.looking.plan import PlannedExperiment, plan_lines
from toolplanner_core.lab.new_experiment import (
    Asked,
    NewExperiment,
    offered_data_sets,
    plan_new,
    write_new,
)
from toolplanner_core.lab.templates import paper_tables
from toolplanner_core.llm.model import models
from toolplanner_core.providers.provider import providers
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY, strategies
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT as START
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.run_form import USUAL, load_run_plugins
from toolplanner_gui.theme.tokens import GAP, ROW_HEIGHT
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import compact_spin_box
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (620, 560)
_PAUSE_MS = 150
_RECENT = 60
_QUESTIONS = {
    Asked.MERGE: "Are the toolkits better than before an edit?",
    Asked.STRATEGIES: "Which strategy solves more?",
    Asked.RESILIENCE: "How do they stand failures?",
    Asked.TEMPLATE: "What does a table of a paper say here?",
}
_NAMES = {
    Asked.MERGE: "merge", Asked.STRATEGIES: "strategies", Asked.RESILIENCE: "resilience",
    Asked.TEMPLATE: "paper-table",
}  # fmt: skip


class NewExperimentDialog(Dialog):
    """The fields that a question needs, what the plan says, and Create."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "New experiment")
        self.resize(*_SIZE)
        workspace = context.file
        self._workspace: Workspace = workspace
        self._planning = LatestRequest(context.tasks, self)
        self._reading = LatestRequest(context.tasks, self)
        self._is_named = False
        self.question = named(QComboBox(), "What is asked")
        for asked, words in _QUESTIONS.items():
            self.question.addItem(words, asked)
        self.name = named(QLineEdit(), "Name of the experiment")
        self.queries = named(ElidingCombo(), "Queries")
        self.before = named(ElidingCombo(), "Toolkits before")
        self.after = named(ElidingCombo(), "Toolkits after")
        self.arms = QListWidget()
        self.arms.setAccessibleName("Strategies")
        self.arms.setFixedHeight(5 * ROW_HEIGHT + GAP)
        self.strategy = named(ElidingCombo(), "Strategy")
        self.template = named(ElidingCombo(), "Table of a paper")
        self.model = named(QComboBox(), "Model")
        self.model.setEditable(True)
        self.provider = named(ElidingCombo(), "Provider")
        self.seeds = named(QSpinBox(), "Seeds")
        self.seeds.setRange(1, 100)
        compact_spin_box(self.seeds)
        self._form = form_of(
            ("Question", self.question), ("Name", self.name), ("Queries", self.queries),
            ("Before", self.before), ("After", self.after), ("Strategies", self.arms),
            ("Strategy", self.strategy), ("Template", self.template), ("Model", self.model),
            ("Provider", self.provider), ("Seeds", self.seeds),
        )  # fmt: skip
        self.column.addLayout(self._form)
        self.plan = self.paragraph()
        self.plan.setAccessibleName("What it would run")
        self.add(1, self.banner)
        self.create_button = push_button("Create", self._on_create, role="primary")
        self.create_button.setEnabled(False)
        self.add_buttons(self.create_button)
        self._soon = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._soon.timeout.connect(self._plan)
        self._fill()
        self._connect()

    def _fill(self) -> None:
        workspace = self._workspace

        def read() -> tuple[Sequence[HistoryEntry], Sequence[Path]]:
            load_run_plugins()
            return list_history(workspace), offered_data_sets(workspace.path)

        def show(found: tuple[Sequence[HistoryEntry], Sequence[Path]]) -> None:
            self._fill_choices()
            self._fill_states(found[0])
            self.queries.addItem("The cases of this workspace", None)
            for path in found[1]:
                self.queries.addItem(path.name, path)
            self._on_question()

        self._reading.ask(read, show, self.show_error)

    def _fill_choices(self) -> None:
        for plugin in strategies:
            if not (plugin.answers and plugin.is_offered):
                continue
            item = QListWidgetItem(plugin.title)
            item.setData(Qt.ItemDataRole.UserRole, plugin.id)
            item.setToolTip(f"<p>{plugin.description}</p>")
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            is_usual = plugin.id == DEFAULT_STRATEGY
            item.setCheckState(Qt.CheckState.Checked if is_usual else Qt.CheckState.Unchecked)
            self.arms.addItem(item)
            self.strategy.addItem(plugin.title, plugin.id)
        self.strategy.setCurrentIndex(self.strategy.findData(DEFAULT_STRATEGY))
        for table in paper_tables():
            self.template.addItem(f"{table.paper}: {table.title}", table.id)
        for plugin in models:
            self.model.addItem(plugin.title, plugin.id)
        self.model.setCurrentIndex(self.model.findData(USUAL.model))
        self.provider.addItem("Default", USUAL.provider)
        for plugin in providers:
            self.provider.addItem(plugin.title, plugin.id)

    def _fill_states(self, entries: Sequence[HistoryEntry]) -> None:
        """States of the toolkits: after the last edits, the newest first, and before the first."""
        head = next((at for at, each in enumerate(entries) if each.is_head), -1)
        for combo in (self.before, self.after):
            for each in reversed(entries[-_RECENT:]):
                now = " (now)" if each.is_head else ""
                combo.addItem(f"After “{one_line(each.label, 80)}”{now}", int(each.id))
            combo.addItem("Before the first edit", int(START))
        if head >= 0:
            self.after.setCurrentIndex(self.after.findData(int(entries[head].id)))
            self.before.setCurrentIndex(self.before.findData(int(entries[head].parent)))

    def _connect(self) -> None:
        self.question.activated.connect(lambda _at: self._on_question())
        self.name.textEdited.connect(self._on_named)
        for combo in (
            self.queries, self.before, self.after, self.strategy, self.template, self.provider,
            self.model,
        ):  # fmt: skip
            combo.activated.connect(lambda _at: self._soon.start())
        self.model.editTextChanged.connect(lambda _text: self._soon.start())
        self.arms.itemChanged.connect(lambda _item: self._soon.start())
        self.seeds.valueChanged.connect(lambda _value: self._soon.start())

    def experiment(self) -> NewExperiment:
        """What the fields say."""
        asked = Asked(self.question.currentData())
        return NewExperiment(
            name=self.name.text().strip(),
            asked=asked,
            workspace=self._workspace.path,
            dataset=self.queries.currentData(),
            strategies=self._strategies(asked),
            model=self._model(),
            provider=self.provider.currentData() or "",
            seeds=tuple(range(1, self.seeds.value() + 1)),
            before=self.before.currentData() or 0,
            after=self.after.currentData() or 0,
            template=self.template.currentData() or "",
        )

    def _strategies(self, asked: Asked) -> list[str]:
        if asked is Asked.MERGE:
            return [self.strategy.currentData()]
        items = [self.arms.item(at) for at in range(self.arms.count())]
        ticked = [each for each in items if each.checkState() is Qt.CheckState.Checked]
        return [each.data(Qt.ItemDataRole.UserRole) for each in ticked]

    def _model(self) -> str:
        """What was chosen, or typed as KIND:NAME."""
        text = self.model.currentText().strip()
        at = self.model.findText(text)
        return self.model.itemData(at) if at >= 0 else text

    def _on_named(self) -> None:
        self._is_named = True
        self._soon.start()

    def _on_question(self) -> None:
        asked = Asked(self.question.currentData())
        is_merge, is_table = asked is Asked.MERGE, asked is Asked.TEMPLATE
        for field, is_shown in (
            (self.before, is_merge), (self.after, is_merge), (self.strategy, is_merge),
            (self.arms, not is_merge and not is_table), (self.template, is_table),
            (self.seeds, not is_table),
        ):  # fmt: skip
            self._form.setRowVisible(field, is_shown)
        if not self._is_named:
            self.name.setText(self._free_name(_NAMES[asked]))
        self._soon.start()

    def _free_name(self, name: str) -> str:
        taken = {each.name for each in self.context.lab.experiments}
        numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
        return next(each for each in (name, *numbered) if each not in taken)

    def _plan(self) -> None:
        if not self.strategy.count():
            return  # still being filled
        asked = self.experiment()
        self._planning.ask(lambda: plan_new(asked), self._show_plan, self._refuse)

    def _show_plan(self, plan: PlannedExperiment) -> None:
        self.plan.setText("\n".join(f"• {line}" for line in plan_lines(plan)))
        self.create_button.setEnabled(True)

    def _refuse(self, error: ToolPlannerError) -> None:
        self.plan.setText(str(error))
        self.create_button.setEnabled(False)

    def _on_create(self) -> None:
        asked, lab = self.experiment(), self.context.lab

        def made(file: Path) -> None:
            lab.open(file.with_suffix(""))
            self.context.shell.call_panel(panel_commands.focus_experiments)
            self.accept()

        self._reading.ask(lambda: write_new(asked), made, self.show_error)


PLUGIN = DialogPlugin.of(dialog_commands.new_experiment, NewExperimentDialog)
