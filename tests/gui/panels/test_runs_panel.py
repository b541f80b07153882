"""The list of runs: search over all of them, forks below their parents, menus."""

import threading

import pytest
from fixtures.command_line import command_here
from fixtures.debug_desk import DebugDesk
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.ids import EditId, NodePath, RunId
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.debugger import StepCommand
from toolplanner_core.runs.judging.verdicts import store_verdict
from toolplanner_core.runs.log import stored_runs
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import add_result
from toolplanner_core.workspace.runs import NewRun, add_runs, held_runs
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels import runs_panel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.viewmodels.debug.run_search import find_runs

PETROL = "Find the cheapest petrol near Springfield, Illinois."
MILES = "Convert 26.2 miles to kilometres."


def run_to_end(context: AppContext, qtbot, spec: RunSpec) -> None:
    view = context.run_view
    before = len(view.summaries)
    view.start(spec)
    qtbot.waitUntil(
        lambda: (
            not view.is_live
            and len(view.summaries) > before
            and all(s.status != "running" for s in view.summaries)
        ),
        timeout=20_000,
    )


@pytest.fixture
def panel(opened: AppContext, qtbot) -> RunsPanel:
    made = RunsPanel(opened)
    qtbot.addWidget(made)
    made.resize(320, 500)
    made.show()
    run_to_end(opened, qtbot, RunSpec(query=MILES, provider="demo"))
    run_to_end(opened, qtbot, RunSpec(query=PETROL, provider="demo"))
    return made


def search(panel: RunsPanel, qtbot, text: str) -> list[int]:
    panel.field.setText(text)
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel._answer is not None and panel._answer.text == text)
    qtbot.waitUntil(lambda: panel.is_idle)
    return [panel.model.row(i).key for i in range(panel.model.rowCount())]


@pytest.mark.parametrize("listed", ["before", "meanwhile", "after"])
def test_run_when_it_is_opened_beside_the_first_list_then_the_list_chooses_no_other(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    view = opened.run_view
    for query in (MILES, PETROL):
        run_to_end(opened, qtbot, RunSpec(query=query, provider="demo"))
    view._look_at(None, None, clock=None)
    older, may_go_on, load = view.summaries[-1].run, threading.Event(), stored_runs.load_tree

    def held_up(*asked) -> RunTree:
        may_go_on.wait()
        return load(*asked)

    monkeypatch.setattr(stored_runs, "load_tree", held_up)
    made: list[RunsPanel] = []

    def list_runs() -> None:
        made.append(RunsPanel(opened))
        qtbot.addWidget(made[0])
        with qtbot.waitSignal(view.runs_changed):
            view.refresh()

    try:
        if listed == "before":
            list_runs()
        view.show_run(older)
        if listed == "meanwhile":
            list_runs()
    finally:
        may_go_on.set()
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    if listed == "after":
        list_runs()
        qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert view.run == older


def test_run_when_it_cannot_be_read_then_the_first_of_the_list_is_shown(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, load = opened.run_view, stored_runs.load_tree
    for query in (MILES, PETROL):
        run_to_end(opened, qtbot, RunSpec(query=query, provider="demo"))
    view._look_at(None, None, clock=None)
    newest, older = (summary.run for summary in view.summaries)

    def unreadable(workspace: Workspace, run: RunId) -> RunTree:
        if run == older:
            raise BadInput("Run 1 cannot be read", todo="Delete it")
        return load(workspace, run)

    monkeypatch.setattr(stored_runs, "load_tree", unreadable)
    view.show_run(older)
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    panel = RunsPanel(opened)
    qtbot.addWidget(panel)
    view.refresh()
    qtbot.waitUntil(lambda: view.run == newest)


def test_list_when_a_minute_goes_by_then_its_times_go_on(
    panel: RunsPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert panel.minute.isActive()
    panel.view.setCurrentIndex(panel.model.index(1, 0))
    monkeypatch.setattr(runs_panel, "when", lambda *_, **__: "later")
    panel.minute.timeout.emit()
    assert [panel.model.row(at).cells[1] for at in range(2)] == ["later", "later"]
    assert panel.view.currentIndex().row() == 1


def test_list_when_it_is_scrolled_down_and_a_run_starts_then_that_one_is_in_sight(
    panel: RunsPanel, qtbot
) -> None:
    panel.resize(320, 160)
    workspace = panel.context.workspace
    assert workspace is not None
    old = NewRun(
        query="old", strategy="react", model="m", provider="demo", status="solved",
        started_us=1, app_version="",
    )  # fmt: skip
    add_runs(workspace, [old] * 40)
    panel.context.run_view.refresh()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 42, timeout=10_000)
    panel.view.scrollToBottom()
    top = panel.model.index(0, 0)
    assert not panel.view.viewport().rect().contains(panel.view.visualRect(top))
    run_to_end(panel.context, qtbot, RunSpec(query=MILES, provider="demo"))
    qtbot.waitUntil(lambda: panel.selected() == [panel.context.run_view.run], timeout=10_000)
    place = panel.view.visualRect(panel.view.currentIndex())
    assert panel.view.viewport().rect().contains(place.center())


def test_search_finds_words_and_fields_and_counts(panel: RunsPanel, qtbot) -> None:
    assert search(panel, qtbot, "petrol") == [2]
    assert panel._count.text() == "1 of 2 runs"
    assert "Found:" in panel.model.row(0).tooltip
    assert search(panel, qtbot, "status:solved") == [2, 1]
    assert search(panel, qtbot, "fallbacks>0 springfield") == [2]
    assert search(panel, qtbot, "status:solved nosuchword") == []
    assert panel._nothing.isVisible()
    panel._nothing._on_clicked()
    assert panel.model.rowCount() == 2
    assert panel._count.text() == ""


def test_search_with_a_value_that_cannot_be_says_so_and_keeps_the_list(
    panel: RunsPanel, qtbot
) -> None:
    assert search(panel, qtbot, "petrol") == [2]
    assert search(panel, qtbot, "status:fine") == [2]
    assert "solved" in panel._count.text()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_typing_offers_fields_and_toolkits_of_the_workspace(panel: RunsPanel, qtbot) -> None:
    qtbot.keyClicks(panel.field, "err")
    assert panel.completer.offered == ["error:"]
    panel.field.clear()
    name = next(t.name for t in panel.context.catalogue.toolkits if " " in t.name)
    qtbot.keyClicks(panel.field, f"petrol toolkit:{name[:3].lower()}")
    assert f'toolkit:"{name}"' in panel.completer.offered
    index = panel.completer.model().index(panel.completer.offered.index(f'toolkit:"{name}"'), 0)
    assert panel.completer.pathFromIndex(index) == f'petrol toolkit:"{name}"'


def test_answer_to_an_older_question_is_dropped(opened: AppContext, panel, qtbot) -> None:
    found: list[str] = []
    model = LatestRequest(opened.tasks, opened)
    assert opened.workspace is not None
    workspace = opened.workspace
    for text in ("petrol", "miles", "kilo"):
        model.ask(lambda text=text: find_runs(workspace, text), lambda a: found.append(a.text))
    qtbot.waitUntil(lambda: opened.tasks.is_idle, timeout=10_000)
    assert found == ["kilo"]
    assert model.is_idle


def test_fork_stands_below_its_parent_and_is_followed_live(panel: RunsPanel, qtbot) -> None:
    context = panel.context
    assert context.workspace is not None
    view = context.run_view
    calls = [p for p, n in view.nodes.items() if n.kind == "call"]
    shared = [p for p, n in view.nodes.items() if n.kind == "question"]
    spec = fork(context.workspace, view.summaries[-1].run, NodePath(""))
    run_to_end(context, qtbot, spec)
    assert view.summaries[0].parent_run == 1
    spec = fork(context.workspace, view.summaries[1].run, calls[-1])
    run_to_end(context, qtbot, spec)
    assert view.run == 4
    assert shared[0] in view.nodes
    live = {p: (n.title, n.state) for p, n in view.nodes.items()}
    view._look_at(RunId(0), RunTree(), clock=None)
    view.show_run(RunId(4))
    qtbot.waitUntil(lambda: view.run == 4 and bool(view.nodes), timeout=10_000)
    assert {p: (n.title, n.state) for p, n in view.nodes.items()} == live
    rows = [panel.model.row(i).cells[0] for i in range(panel.model.rowCount())]
    assert [r.split()[:2] for r in rows] == [
        ["2", "Find"], ["↳", "4"], ["1", "Convert"], ["↳", "3"],
    ]  # fmt: skip
    assert rows[1].startswith("↳ 4  Find") and rows[1].endswith(" · fork")


def test_menu_of_a_run_asks_the_window_for_what_can_be_done(panel: RunsPanel, qtbot) -> None:
    menu = panel.menu()
    assert "fill_menu" in panel.context.shell.asked
    assert isinstance(menu, QMenu)
    menu.deleteLater()


def test_search_when_many_runs_fit_then_the_first_300_are_shown_and_all_are_counted(
    opened: AppContext, qtbot
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    words = ("petrol", "weather", "currency", "parcel", "train")
    add_runs(
        workspace,
        [
            NewRun(
                query=f"{words[i % 5]} question {i}", strategy="tool-planner", model="offline",
                provider="demo", status="solved" if i % 3 else "unsolved", answer=f"answer {i}",
                started_us=i, ended_us=i + 1, app_version="0", totals={},
            )
            for i in range(3_000)
        ],
    )  # fmt: skip
    model = LatestRequest(opened.tasks, opened)
    answers = []
    model.ask(
        lambda: find_runs(workspace, "warm up"), answers.append
    )  # reads the runs into the index
    qtbot.waitUntil(lambda: len(answers) == 1, timeout=120_000)
    model.ask(lambda: find_runs(workspace, "petrol status:solved"), answers.append)
    qtbot.waitUntil(lambda: len(answers) == 2, timeout=20_000)
    assert answers[1].words == "More than 300 of 3,000 runs"


def test_run_when_held_then_the_list_says_so_and_not_that_it_runs(panel: RunsPanel, qtbot) -> None:
    context = panel.context
    context.debug.breakpoints.put("kind=call,at=before_call")
    context.run_view.start(RunSpec(query=MILES, provider="demo"))
    qtbot.waitUntil(lambda: context.debug.is_paused and panel.model.row(0).cells[0].startswith("3"))
    assert panel.model.row(0).cells[0].endswith(" · held")
    context.debug.resume(StepCommand.CONTINUE)
    qtbot.waitUntil(lambda: not panel.model.row(0).cells[0].endswith("held"))
    qtbot.waitUntil(lambda: not context.run_view.is_live)


def test_runs_of_cases_when_listed_then_one_click_away_and_not_among_the_others(
    panel: RunsPanel, qtbot
) -> None:
    context = panel.context
    case = Case(id="miles", title="Miles", query=MILES)
    for run in (1, 2):
        add_result(context.file, case, RunId(run), edit=EditId(0), why=())
    run_to_end(context, qtbot, RunSpec(query=MILES, provider="demo"))
    qtbot.waitUntil(panel.cases_button.isVisible)
    assert context.run_view.run == 3

    def listed() -> list[int]:
        return [panel.model.row(i).key for i in range(panel.model.rowCount())]

    assert listed() == [3]
    assert panel.cases_button.text() == "Show 2 runs of cases"
    panel.cases_button.click()
    assert listed() == [3, 2, 1]
    assert panel.cases_button.text() == "Hide 2 runs of cases"
    panel.cases_button.click()
    context.run_view.show_run(RunId(1))
    qtbot.waitUntil(lambda: context.run_view.run == 1 and listed() == [3, 1])
    assert search(panel, qtbot, "petrol") == [2], "a search finds them all"
    assert "of a case" in panel.model.row(0).cells[0]


def test_run_when_held_then_the_terminal_says_so_as_the_list_does(
    opened: AppContext, qtbot
) -> None:
    desk = DebugDesk(opened, qtbot)
    desk.run(MILES, "kind=call,at=before_call")
    path = str(opened.file.path)
    qtbot.waitUntil(lambda: bool(held_runs(opened.file)))
    (run,) = command_here("runs", "list", path, "--json").data
    assert (run["status"], run["is_held"]) == ("running", True)
    listed = command_here("runs", "list", path).out
    assert " held " in listed
    assert " running " not in listed
    desk.until_over()
    assert held_runs(opened.file) == set()
    assert " held " not in command_here("runs", "list", path).out


def test_list_when_it_is_scrolled_and_a_run_begins_then_goes_to_it(
    opened: AppContext, panel: RunsPanel, qtbot
) -> None:
    old = [
        NewRun(
            query=f"Question {number}", strategy="tool-planner", model="offline",
            provider="demo", status="solved", started_us=number, app_version="0",
        )
        for number in range(60)
    ]  # fmt: skip
    add_runs(opened.file, old)
    opened.run_view.refresh()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 62)
    bar = panel.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    run_to_end(opened, qtbot, RunSpec(query=MILES, provider="demo"))
    row = panel.model.position_of(opened.run_view.run)
    assert row == 0
    inside = panel.view.viewport().rect()
    assert inside.intersects(panel.view.visualRect(panel.model.index(row, 0)))
    bar.setValue(bar.maximum())
    opened.run_view.refresh()
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert bar.value() == bar.maximum(), "a person who scrolls stays there"


def columns_in_sight(panel: RunsPanel) -> list[str]:
    titles = panel.model.titles
    return [title for at, title in enumerate(titles) if not panel.view.isColumnHidden(at)]


def test_list_when_runs_are_judged_and_it_is_wide_then_who_said_what_stands_in_columns(
    panel: RunsPanel, qtbot
) -> None:
    workspace = panel.context.workspace
    assert workspace is not None
    panel.resize(900, 500)
    assert columns_in_sight(panel) == ["Runs", "When", "Ended", "Evidence", "Acting model"]
    run = panel.model.row(0).key
    judged = AnswerVerdict(
        source=VerdictSource.JUDGE, solved=True, reason="As it says", who="m", votes=(True, True)
    )
    store_verdict(workspace, run, judged)
    panel.context.run_view.refresh()
    qtbot.waitUntil(lambda: "Judge" in columns_in_sight(panel))
    row = panel.model.row(0)
    assert row.cells[panel.model.titles.index("Judge")] == "solved, 2 of 2"
    assert "Judged solved by m (2 of 2 votes): As it says" in row.tooltip
    assert panel.model.row(1).cells[panel.model.titles.index("Judge")] == ""
    panel.resize(500, 500)
    assert columns_in_sight(panel) == ["Runs", "When", "Judge"]
    panel.resize(320, 500)
    assert columns_in_sight(panel) == ["Runs", "When"]
