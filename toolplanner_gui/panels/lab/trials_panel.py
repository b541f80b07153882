"""The trials of an experiment, filtered; what the chosen one answered, and its run as a tree."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from toolplanner_core.lab.looking.reading import TrialOutcome
from toolplanner_core.lab.looking.trials import (
    TrialDetails,
    TrialFilter,
    filter_trials,
    read_details,
    run_of_trial,
)
from toolplanner_core.words.formatting import count, counted, duration
from toolplanner_core.workspace.lab_store import JudgedTrial
from toolplanner_gui import panel_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.lab.trial_model import TrialModel
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import ElidingCombo, SearchField
from toolplanner_gui.widgets.labels import breakable, named, text_label
from toolplanner_gui.widgets.views import QuietTable, scrolled

_LIST, _DETAILS = 3, 2


class TrialsPanel(Panel):
    """Follows the experiment, the judge and the filter of the session."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._details = LatestRequest(context.tasks, self)
        self._is_filling = False
        self.field = SearchField("Words of the query")
        self.arm = named(ElidingCombo(), "Arm of the trials")
        self.outcome = named(ElidingCombo(), "Outcome of the trials")
        self.outcome.addItem("Any outcome", "")
        for each in TrialOutcome:
            self.outcome.addItem(each.capitalize(), each.value)
        self.count = text_label(role="dim", name="Trials found")
        self.all_button = push_button("Show all", self.show_all, role="link")
        self.model = TrialModel(self)
        self.view = QuietTable("Trials")
        self.view.set_model(self.model, {1: 96, 3: 52}, shares={2: 0.24})
        self.query = text_label(is_wrapped=True, is_selectable=True, role="heading")
        self.answer = text_label(is_wrapped=True, is_selectable=True, name="Answer of the trial")
        self.verdicts = text_label(is_wrapped=True, role="dim", name="What judges say")
        self.took = text_label(is_wrapped=True, role="dim", name="What the trial took")
        self.run_button = push_button(
            "Open the run", self.open_run, tip="<p>Show its tree in Debug (Return)</p>"
        )
        self.empty = EmptyState("format-list-checks")
        self.pages = pages_of(self.empty, self._content(), of=self)
        self._connect()

    def _content(self) -> QWidget:
        found = row_of((self.count, 1), self.all_button, gap=GAP)
        choices = row_of((self.arm, 1), (self.outcome, 1), gap=GAP)
        head = column_of(self.field, choices, found, margins=(EDGE, GAP, EDGE, SPACE), gap=SPACE)
        texts = page_of(
            self.query, self.answer, self.verdicts, self.took, 1,
            margins=(EDGE, SPACE, EDGE, SPACE), gap=GAP, role="page",
        )  # fmt: skip
        below = page_of(
            (scrolled(texts), 1), row_of(self.run_button, 1, margins=(EDGE, SPACE, EDGE, GAP))
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.view)
        split.addWidget(below)
        split.setStretchFactor(0, _LIST)
        split.setStretchFactor(1, _DETAILS)
        split.setChildrenCollapsible(False)
        return page_of(head, (split, 1))

    def _connect(self) -> None:
        lab = self.context.lab
        self.field.searched.connect(self._on_filtered)
        self.field.left_down.connect(self._go_down)
        self.arm.activated.connect(self._on_filtered)
        self.outcome.activated.connect(self._on_filtered)
        self.view.selectionModel().currentRowChanged.connect(
            lambda now, _before: self._on_current(now.row())
        )
        self.view.activated.connect(lambda _index: self.open_run())
        for signal in (lab.opened, lab.renewed, lab.judge_changed, lab.filter_changed):
            signal.connect(self.mark_outdated)
        lab.trial_changed.connect(self._show_trial)

    def find(self) -> None:
        """Put the keyboard into the search field."""
        self.field.find()

    def show_all(self) -> None:
        """Drop the filter."""
        self.context.lab.filter(TrialFilter())

    def open_run(self) -> None:
        """Take the run of the trial into the workspace, and show its tree."""
        lab, workspace = self.context.lab, self.context.workspace
        trial, store = lab.trial, lab.store
        if trial is None or store is None or workspace is None:
            return

        async def flow() -> None:
            run = await self.context.tasks.in_thread(lambda: run_of_trial(workspace, store, trial))
            self.context.run_view.refresh()
            self.context.run_view.show_run(run)
            self.context.shell.show_layout("debug")

        self.context.tasks.spawn(flow(), owner=self)

    def renew(self) -> None:
        lab = self.context.lab
        reading, wanted, judge = lab.reading, lab.wanted, lab.judge
        if reading is None:
            shell = self.context.shell
            self.empty.say(
                lab.problem or _next_step(self.context),
                button="Go to the experiments",
                run=lambda: shell.call_panel(panel_commands.focus_experiments),
            )
            self.pages.setCurrentIndex(0)
            self.model.show((), None, "")
            return
        self.pages.setCurrentIndex(1)
        self._fill_choices()
        self.view.setColumnHidden(3, len(reading.results.experiment.seeds) == 1)
        self.newest.ask(
            lambda: filter_trials(reading, wanted, judge),
            self._show,
        )

    def _show(self, found: list[JudgedTrial]) -> None:
        lab = self.context.lab
        if lab.reading is None:
            return
        self._is_filling = True
        self.model.show(found, lab.reading, lab.judge)
        position = None if lab.trial is None else self.model.position_of(lab.trial.trial.number)
        if position is not None:
            self.view.selectRow(position)
        self._is_filling = False
        planned = lab.reading.standing.planned
        of = f" of {count(planned)}" if len(found) < planned else ""
        cause = f", failed by: {lab.wanted.cause}" if lab.wanted.cause else ""
        words = counted(planned, "trial").partition(" ")[2]
        self.count.setText(f"{count(len(found))}{of} {words}{cause}")
        self.all_button.setVisible(lab.wanted != TrialFilter())
        if position is None and found:
            self.view.selectRow(0)
        elif not found:
            lab.look_at_trial(None)

    def _fill_choices(self) -> None:
        """The arms of the experiment, and the filter as it is."""
        lab = self.context.lab
        assert lab.reading is not None
        arms = [arm.name for arm in lab.reading.results.experiment.arms]
        if [self.arm.itemData(at) for at in range(1, self.arm.count())] != arms:
            self.arm.clear()
            self.arm.addItem("All arms", "")
            for arm in arms:
                self.arm.addItem(arm, arm)
        wanted = lab.wanted
        chosen = next(iter(wanted.arms)) if len(wanted.arms) == 1 else ""
        self.arm.setCurrentIndex(max(0, self.arm.findData(chosen)))
        self.arm.setItemText(0, f"{len(wanted.arms)} arms" if len(wanted.arms) > 1 else "All arms")
        self.outcome.setCurrentIndex(self.outcome.findData(wanted.outcome or ""))
        if self.field.text().strip() != wanted.words:
            self.field.setText(wanted.words)

    def _on_filtered(self, *_: object) -> None:
        lab = self.context.lab
        chosen, outcome = self.arm.currentData(), self.outcome.currentData()
        kept = lab.wanted.arms if len(lab.wanted.arms) > 1 else ()
        lab.filter(
            replace(
                lab.wanted,
                words=self.field.text().strip(),
                arms=(chosen,) if chosen else kept,
                outcome=TrialOutcome(outcome) if outcome else None,
            )
        )

    def _go_down(self) -> None:
        self.view.setFocus()
        if self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.selectRow(0)

    def _on_current(self, position: int) -> None:
        if not self._is_filling:
            self.context.lab.look_at_trial(self.model.trial_at(position))

    def _show_trial(self) -> None:
        lab = self.context.lab
        trial, store, reading = lab.trial, lab.store, lab.reading
        self.run_button.setEnabled(trial is not None)
        if trial is None or store is None or reading is None:
            self._details.forget()
            for label in (self.query, self.answer, self.verdicts, self.took):
                label.setText("")
            return
        self.query.setText(breakable(reading.texts[trial.trial.query]))
        position = self.model.position_of(trial.trial.number)
        if position is not None and position != self.view.currentIndex().row():
            self._is_filling = True
            self.view.selectRow(position)
            self._is_filling = False
        number = trial.trial.number
        self._details.ask(lambda: read_details(store, number), self._show_details)

    def _show_details(self, found: TrialDetails) -> None:
        facts = found.facts
        self.run_button.setEnabled(facts is not None)
        said = facts.answer or facts.reason if facts is not None else ""
        self.answer.setText(breakable(said or found.why or "It has not run yet."))
        lines = [
            f"{each.judge}: {100 * each.said.solved:.0f} % solved"
            + (f"; {each.said.reason}" if each.said.reason else "")
            for each in found.verdicts
        ]
        self.verdicts.setText(breakable("\n".join(lines)))
        if facts is None:
            self.took.setText("")
            return
        cost = "" if facts.cost is None else f", ${facts.cost:,.4g}"
        self.took.setText(
            f"{counted(facts.api_calls, 'API call')}, {facts.failed_calls:,} failed,"
            f" {counted(facts.model_calls, 'model call')}, {counted(facts.tokens, 'token')}"
            f"{cost}, {duration(facts.seconds)}"
        )


def _next_step(context: AppContext) -> str:
    if context.lab.path is None:
        return "No experiment yet. Make one at the left."
    return "No trial has run. Start the experiment at the left."
