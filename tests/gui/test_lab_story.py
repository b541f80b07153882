"""From a catalogue to "is my merge better?" in the layout Lab, by keys and mouse: form, start,
matrix, pairs, trials, both trees, blind judging."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QDialog

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.coordinator import run_experiment
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file
from toolplanner_core.lab.looking.reading import TrialOutcome
from toolplanner_core.lab.new_experiment import Asked, NewExperiment, write_new
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.judging_dialog import JudgingDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.new_experiment_dialog import NewExperimentDialog

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
MERGED = 12
WRONG = "which carrier"
"""Begins a case that the offline planner no longer solves after the merge."""


class Analyst:
    """Somebody who looks at the Lab for the first time."""

    def __init__(self, window: MainWindow, qtbot) -> None:
        self.window, self.qtbot = window, qtbot
        self.context: AppContext = window._context

    def settle(self, until: Callable[[], object] = lambda: True) -> None:
        self.qtbot.waitUntil(lambda: bool(until()) and self.window.is_idle)

    def panel(self, panel: str):
        return self.window.workspace_view.docks.panel(panel)

    def dialog(self, kind: type[QDialog]):
        self.qtbot.waitUntil(lambda: self.window.findChild(kind) is not None)
        return self.window.findChild(kind)

    def press(self, key: Qt.Key, widget=None, modifier=Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.keyClick(widget or self.window, key, modifier)

    def click(self, widget) -> None:
        self.qtbot.mouseClick(widget, LEFT)

    def choose(self, combo: QComboBox, words: str) -> None:
        """Walk a list by keys until it says these words."""
        combo.setFocus()
        self.press(KEY.Key_Home, combo)
        while words not in combo.currentText():
            at = combo.currentIndex()
            self.press(KEY.Key_Down, combo)
            assert combo.currentIndex() != at, f"{words} is not in the list"


@pytest.fixture
def analyst(window: MainWindow, demo: Path, qtbot) -> Analyst:
    """The demo with twelve toolkits thrown together, and four queries beside it."""
    with Workspace.open(demo) as workspace:
        cases = list_cases(workspace)
    wrong = next(c for c in cases if c.query.casefold().startswith(WRONG))
    few = [wrong, *(c for c in cases[:4] if c is not wrong)][:4]
    queries = [Query(id=c.id, text=c.query, expected=c.expected) for c in few]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    made = Analyst(window, qtbot)
    open_later(made.context, demo)
    made.settle(lambda: made.context.catalogue.n_apis > 0)
    kits = [toolkit.id for toolkit in made.context.catalogue.toolkits[:MERGED]]
    made.context.curation.do(Merge(toolkits=tuple(kits), into=kits[0]))
    made.settle(lambda: made.context.catalogue.toolkit(kits[1]) is None)
    return made


def make_and_run(analyst: Analyst) -> None:
    """Ask about the merge in the form, and start."""
    analyst.window.show_layout("lab")
    experiments = analyst.panel("experiments")
    analyst.settle(lambda: "No experiments yet" in experiments.empty.sentence)
    analyst.click(experiments.new_button)
    form: NewExperimentDialog = analyst.dialog(NewExperimentDialog)
    analyst.qtbot.waitUntil(form.create_button.isEnabled)
    assert "Merge" in form.after.currentText()
    assert form.before.currentText() == "Before the first edit"
    analyst.choose(form.queries, "few.jsonl")
    analyst.choose(form.provider, "Demo")
    analyst.qtbot.waitUntil(lambda: "8 trials: 4 queries x 2 arms x 1 seed" in form.plan.text())
    analyst.click(form.create_button)
    analyst.settle(lambda: analyst.context.lab.current is not None)
    assert experiments.model.index(0, 1).data() == "not started"
    results = analyst.panel("lab_results")
    assert "Start it" in results.empty.sentence
    analyst.qtbot.waitUntil(experiments.start_button.isEnabled)
    analyst.click(experiments.start_button)
    lab = analyst.context.lab
    analyst.settle(lambda: lab.reading is not None and not lab.reading.standing.left)
    analyst.settle(lambda: lab.runner.store is None and lab.current.word == "finished")


def run_beside(analyst: Analyst) -> None:
    """The same experiment, made and run before somebody looks."""
    path = analyst.context.file.path
    after = int(read_head(analyst.context.file.reader()))
    asked = NewExperiment(
        name="merge", asked=Asked.MERGE, workspace=path, dataset=path.with_name("few.jsonl"),
        strategies=[DEFAULT_STRATEGY], model="offline", provider="demo", after=after,
    )  # fmt: skip
    with ThreadPoolExecutor(1) as other_thread:  # this one has a running loop
        other_thread.submit(
            run_experiment, read_experiment_file(write_new(asked)), executor="inline", workers=1,
            progress=Progress(), stopping=threading.Event(),
        ).result()  # fmt: skip
    analyst.window.show_layout("lab")
    analyst.settle(lambda: analyst.context.lab.reading is not None)


def test_analyst_when_a_merge_was_made_then_sees_by_pairs_that_it_is_no_better(
    analyst: Analyst,
) -> None:
    make_and_run(analyst)
    lab, results = analyst.context.lab, analyst.panel("lab_results")
    trials = analyst.panel("trials")
    matrix = results.matrix
    analyst.settle(lambda: matrix.model.rowCount() == 2)
    assert [matrix.model.headerData(n, Qt.Orientation.Vertical) for n in (0, 1)] == [
        "before", "after",
    ]  # fmt: skip
    words = matrix.model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words.startswith("Solved: 50.0 %, 95 % interval")
    assert "n = 4 trials" in words
    assert "Against the baseline -50.0 points" in words
    assert matrix.model.cell(matrix.model.index(1, 0)).is_better is None  # the interval holds 0
    # A cell leads to its trials.
    matrix.view.setFocus()
    analyst.press(KEY.Key_Down, matrix.view)
    analyst.press(KEY.Key_Return, matrix.view)
    analyst.settle(lambda: trials.model.rowCount() == 4)
    assert lab.wanted.arms == ("after",)
    analyst.choose(trials.outcome, "Not solved")
    trials.outcome.activated.emit(trials.outcome.currentIndex())
    analyst.settle(lambda: trials.model.rowCount() == 2)
    analyst.qtbot.waitUntil(lambda: "expected: 0 % solved" in trials.verdicts.text())
    analyst.click(trials.all_button)
    analyst.settle(lambda: trials.model.rowCount() == 8)
    # Pairs say it in a sentence, with the two queries that part the arms.
    results.show_page("paired")
    analyst.settle(lambda: results.paired.pairs.rowCount() == 2)
    assert "after minus before: -50.0 points" in results.paired.note.text()
    assert "no difference is shown: the interval holds 0" in results.paired.note.text()
    analyst.qtbot.waitUntil(lambda: all(label.text() for label in results.paired.answers))
    assert results.copy_button.toolTip()
    for form, shown in (("csv", "query"), ("latex", r"\toprule"), ("svg", "<svg")):
        results.copy_as(form)
        assert shown in QGuiApplication.clipboard().text(), form
    results.copy_as("png")
    assert not QGuiApplication.clipboard().image().isNull()
    # Return opens both runs as one tree.
    analyst.press(KEY.Key_Return, results.paired.view)
    analyst.settle(lambda: analyst.context.run_view.compared is not None)
    assert analyst.window.current_layout() == "debug"


def test_trial_when_opened_then_its_run_is_a_tree_and_other_figures_have_tables(
    analyst: Analyst,
) -> None:
    run_beside(analyst)
    lab, results = analyst.context.lab, analyst.panel("lab_results")
    results.show_page("failures")
    analyst.settle(lambda: results.figure.table is not None)
    chart = results.figure.chart
    chart.setFocus()
    analyst.press(KEY.Key_Right, chart)
    analyst.press(KEY.Key_Return, chart)
    trials = analyst.panel("trials")
    analyst.settle(lambda: lab.wanted.cause and 1 <= trials.model.rowCount() <= 2)
    assert trials.model.index(0, 1).data() == TrialOutcome.UNSOLVED
    results.show_page("cost")
    analyst.settle(lambda: results.figure.table is not None)
    results.turn_table()
    rows = results.figure.rows.model()
    assert [rows.index(n, 0).data() for n in range(rows.rowCount())] == ["before", "after"]
    assert "[" in rows.index(0, 1).data()  # no rate without its interval
    results.show_page("resilience")
    analyst.settle()
    assert "one failure rate" in results.figure.empty.sentence
    results.show_page("sweep")
    analyst.settle(lambda: results.figure.table is not None)
    assert [row[1] for row in results.figure.table.rows] == ["after", "before"]
    # Blind judging: no arm is seen, 1 and 3 grade, what was given is there next time.
    results.show_page("matrix")
    analyst.click(analyst.panel("experiments").judge_button)
    judging: JudgingDialog = analyst.dialog(JudgingDialog)
    analyst.qtbot.keyClicks(judging.person, "Ada")
    analyst.click(judging.begin_button)
    analyst.qtbot.waitUntil(lambda: judging.shown is not None)
    shown = judging.way.toPlainText() + judging.query.text() + judging.answer.text()
    assert "before" not in shown.split()
    for key in (KEY.Key_1, KEY.Key_3):
        first = judging.shown
        analyst.press(key, judging)
        analyst.qtbot.waitUntil(lambda first=first: judging.shown not in (None, first))
    assert judging.place.text() == "3 of 9"
    judging.reject()
    analyst.settle(lambda: "person Ada" in lab.reading.results.judges)
    results.show_page("judges")
    analyst.settle(lambda: results.figure.table is not None)
    assert any("person Ada" in row for row in results.figure.table.rows)
    # A trial leads to its tree.
    analyst.settle(lambda: trials.model.rowCount() >= 1)
    trials.view.setFocus()
    analyst.press(KEY.Key_Return, trials.view)
    analyst.settle(lambda: analyst.context.run_view.summary is not None)
    assert analyst.window.current_layout() == "debug"
    query = lab.reading.texts[lab.trial.trial.query]
    assert analyst.context.run_view.summary.query == query
