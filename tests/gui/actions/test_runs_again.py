"""Replay, fork, go on, run again, export and import from the window, over real runs."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMessageBox, QPlainTextEdit

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.llm.example import QUERY
from toolplanner_core.prompts.editing import edit_prompt
from toolplanner_core.prompts.texts import default_prompt
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.faults import FaultTarget
from toolplanner_core.runs.debugging.stops import StepCommand
from toolplanner_core.runs.presentation.run_again import (
    changed_arguments,
    describe_estimate,
    read_fork_basis,
)
from toolplanner_core.runs.searching.search import index_stale_runs
from toolplanner_core.workspace.demonstrations import list_demonstrations
from toolplanner_core.workspace.recordings import recording_count
from toolplanner_core.workspace.run_log import read_records
from toolplanner_core.workspace.runs import get_run
from toolplanner_gui.actions.run_actions import (
    export_to,
    go_on,
    import_runs_from,
    replay_run,
    rerun_live,
)
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.viewmodels.debug.run_tree_model import CAUSE_ROLE
from toolplanner_gui.windows.fork_dialog import ForkDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.replay_dialog import ReplayDialog

MILES = "Convert 26.2 miles to kilometres."
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
FIRST, SECOND = RunId(1), RunId(2)


@pytest.fixture
def ran(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """A window with a run."""
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=20_000)
    qtbot.waitUntil(lambda: window.is_idle, timeout=20_000)
    context.run_view.start(RunSpec(query=MILES, provider="demo"))
    until_runs(window, qtbot, 1)
    return window


def until_runs(window: MainWindow, qtbot, n: int) -> None:
    view = window._context.run_view
    qtbot.waitUntil(
        lambda: (
            not view.is_live
            and len(view.summaries) == n
            and all(s.status != "running" for s in view.summaries)
        ),
        timeout=30_000,
    )
    qtbot.waitUntil(lambda: window._context.tasks.is_idle, timeout=20_000)


def dialog_of(window: MainWindow, qtbot, kind: type):
    qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(kind)), timeout=20_000)
    return next(d for d in window.findChildren(kind) if d.isVisible())


def press(box: QMessageBox, word: str) -> None:
    next(b for b in box.buttons() if b.text() == word).click()


def actions_of(menu: QMenu) -> dict[str, QAction]:
    found = {a.objectName(): a for a in menu.actions() if a.objectName()}
    for below in menu.findChildren(QMenu):
        found |= {a.objectName(): a for a in below.actions() if a.objectName()}
    return found


def test_replay_says_identical_without_a_call(ran: MainWindow, qtbot) -> None:
    replay_run(ran._context, FIRST)
    dialog = dialog_of(ran, qtbot, ReplayDialog)
    assert dialog.sentence.text() == "Run 1 replays identically"
    assert "0 calls were made" in dialog.facts.text()
    dialog.reject()


def test_replay_when_a_prompt_was_edited_since_then_says_which(ran: MainWindow, qtbot) -> None:
    workspace = ran._context.workspace
    assert workspace is not None
    edit_prompt(workspace, "make_plan", f"Well.\n{default_prompt('make_plan').text}")
    replay_run(ran._context, FIRST)
    dialog = dialog_of(ran, qtbot, ReplayDialog)
    assert dialog.sentence.text() == "Run 1 replays identically"
    assert "Make a plan · Tool-Planner. The replay took those of the run" in dialog.prompts.text()
    dialog.reject()


def test_run_when_saved_as_demonstration_from_its_menu_then_it_is_in_the_file(
    ran: MainWindow, qtbot
) -> None:
    menu = QMenu()
    ran._context.shell.fill_menu(menu, "run", FIRST)
    actions_of(menu)["run.demonstration"].trigger()
    qtbot.waitUntil(lambda: bool(list_demonstrations(ran._context.file)), timeout=20_000)
    [made] = list_demonstrations(ran._context.file)
    assert made.query == MILES
    assert made.steps[0].arguments
    qtbot.waitUntil(lambda: ran._context.tasks.is_idle, timeout=20_000)


def test_answer_when_judged_from_the_menu_of_a_run_then_said_beside_it(
    ran: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree: Any = ran.workspace_view.docks.panel("run_tree")
    head = tree.head
    ran._context.run_view.show_run(FIRST)
    menu = QMenu()
    ran._context.shell.fill_menu(menu, "run", FIRST)
    verdict = json.dumps({"reason": "all is there", "solved": True})
    with scripted_endpoint(Answers(lambda _: verdict)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", "judge")
        actions_of(menu)["run.judge"].trigger()
        said = "Judged solved by openai:judge: all is there"
        qtbot.waitUntil(lambda: said in head.evidence.text(), timeout=20_000)
    assert "Shown by: " in head.evidence.text()
    qtbot.waitUntil(lambda: ran._context.tasks.is_idle, timeout=20_000)


def test_replies_when_kept_from_the_menu_of_a_run_then_recorded(ran: MainWindow, qtbot) -> None:
    menu = QMenu()
    ran._context.shell.fill_menu(menu, "run", FIRST)
    actions_of(menu)["run.record"].trigger()
    qtbot.waitUntil(lambda: recording_count(ran._context.file) == 1, timeout=20_000)
    qtbot.waitUntil(lambda: ran._context.tasks.is_idle, timeout=20_000)


def test_replay_shows_the_first_difference(ran: MainWindow, qtbot) -> None:
    workspace = ran._context.workspace
    assert workspace is not None
    row = next(
        r for r in read_records(workspace, FIRST, after_seq=0, limit=100) if r.type == "call.sent"
    )
    body = json.dumps({**row.event, "arguments": {**row.event["arguments"], "value": 27}})
    workspace.writer.run(
        lambda db: db.conn.execute(
            "UPDATE events SET body = ? WHERE run_id = 1 AND seq = ?", [body, row.seq]
        )
    )
    replay_run(ran._context, FIRST)
    dialog = dialog_of(ran, qtbot, ReplayDialog)
    assert dialog.sentence.text().startswith("Run 1 goes another way at event")
    shown = dialog.findChild(QPlainTextEdit, options=_DIRECT)
    assert shown is not None
    diff = shown.toPlainText()
    assert '-  "value": 27' in diff
    assert '+  "value": 26.2' in diff
    assert ran._context.run_view.node == row.path
    dialog.reject()


def test_fork_dialog_changes_arguments_and_options(ran: MainWindow, qtbot) -> None:
    context = ran._context
    call = next(p for p, n in context.run_view.nodes.items() if n.kind == "call")
    dialog = ForkDialog(context, ran, FIRST, call)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.start_button.isEnabled(), timeout=20_000)
    assert dialog.call.arguments.values["value"] == 26.2
    editor = dialog.call.arguments.field("value").editor
    editor.clear()
    qtbot.keyClicks(editor, "far")
    dialog.start_button.click()
    assert "not of type" in dialog.call.arguments.field("value").problem
    editor.clear()
    qtbot.keyClicks(editor, "100")
    dialog.faults.setPlainText("nonsense")
    dialog.start_button.click()
    qtbot.waitUntil(dialog.banner.isVisible, timeout=10_000)
    assert "nonsense" in dialog.banner.text
    dialog.faults.setPlainText("")
    editor = dialog.form.strategy.form.editors["max_replans"].field
    editor.selectAll()
    qtbot.keyClicks(editor, "1")
    dialog.start_button.click()
    until_runs(ran, qtbot, 2)
    fork = context.run_view.summaries[0]
    assert fork.parent_run == 1
    assert "160.9" in fork.answer
    tree: Any = ran.workspace_view.docks.panel("run_tree")
    assert tree.model.index_of(call).data(CAUSE_ROLE) == "↱ from here on other than run 1"
    assert "fork of run 1" in tree.head.facts.text()
    panel: Any = ran.workspace_view.docks.panel("inspector")
    context.run_view.select_node(NodePath(""))
    qtbot.waitUntil(lambda: panel.is_idle and panel.report is not None, timeout=10_000)
    edits = " ".join(f"{s.title} {s.text}" for s in panel.report.edits)
    assert "Forked from run 1" in edits
    assert "max_replans" in edits


def test_fork_dialog_offers_the_faults_that_are_switched_on_now(ran: MainWindow, qtbot) -> None:
    context = ran._context
    context.debug.inject(FaultTarget(), "slow")
    dialog = ForkDialog(context, ran, FIRST, NodePath(""))
    dialog.open()
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.start_button.isEnabled(), timeout=20_000)
    assert dialog.faults.toPlainText() == "slow:all"
    assert dialog.fault_words.text() == "Slow reply (later by 2.0 s): every call of any API"
    dialog.faults.setPlainText("slow:all\n500")
    assert dialog.fault_words.text().partition("\n")[2].startswith("500: A fault needs one target")
    dialog.without_faults.setChecked(True)
    assert dialog.fault_words.text() == "No call is made to fail."
    dialog.without_faults.setChecked(False)
    dialog.faults.setPlainText("slow:all")
    dialog.start_button.click()
    until_runs(ran, qtbot, 2)
    assert context.debug.fired["slow:all"] == 1
    dialog = ForkDialog(context, ran, RunId(2), NodePath(""))
    dialog.open()
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.start_button.isEnabled(), timeout=20_000)
    assert dialog.faults.toPlainText() == "slow:all", "said once"
    assert dialog.without_faults.text() == "Without any faults"
    dialog.reject()


def test_run_again_says_the_cost_first_and_does_nothing_when_refused(
    ran: MainWindow, qtbot
) -> None:
    rerun_live(ran._context, FIRST)
    box = dialog_of(ran, qtbot, QMessageBox)
    assert "1 API call" in box.informativeText()
    box.reject()
    qtbot.waitUntil(lambda: ran._context.tasks.is_idle)
    assert len(ran._context.run_view.summaries) == 1
    rerun_live(ran._context, FIRST)
    press(dialog_of(ran, qtbot, QMessageBox), "Run again")
    until_runs(ran, qtbot, 2)
    assert ran._context.run_view.summaries[0].parent_run == 1


def test_example_when_stepped_through_again_then_it_is_held_and_the_script_goes_on(
    ran: MainWindow, qtbot
) -> None:
    context = ran._context
    context.run_view.start(RunSpec(query=QUERY, strategy="react", model="example", provider="demo"))
    until_runs(ran, qtbot, 2)
    menu = QMenu(ran)
    ran.fill_menu(menu, "run", SECOND)
    assert "run.step_again" in actions_of(menu)
    rerun_live(context, SECOND, is_stepping=True)
    press(dialog_of(ran, qtbot, QMessageBox), "Step through it")
    qtbot.waitUntil(lambda: context.debug.is_paused, timeout=20_000)
    context.debug.resume(StepCommand.CONTINUE)
    until_runs(ran, qtbot, 3)
    again = context.run_view.summaries[0]
    assert (again.status, again.api_calls) == ("answered", 3)


def test_interrupted_run_goes_on_after_its_calls_in_doubt_were_shown(
    ran: MainWindow, qtbot
) -> None:
    context = ran._context
    workspace = context.workspace
    assert workspace is not None
    rows = read_records(workspace, FIRST, after_seq=0, limit=100)
    sent = next(r.seq for r in rows if r.type == "call.sent")

    def crash(db) -> None:
        db.conn.execute("DELETE FROM events WHERE run_id = 1 AND seq > ?", [sent])
        db.conn.execute(
            "UPDATE runs SET status = 'running', ended_us = NULL, process = 'gone' WHERE id = 1"
        )

    workspace.writer.run(crash)
    context.tasks.spawn(context.run_view._read_first(), owner=context)
    qtbot.waitUntil(
        lambda: [s.status for s in context.run_view.summaries] == ["interrupted"], timeout=10_000
    )
    menu = QMenu(ran)
    ran.fill_menu(menu, "run", FIRST)
    assert "run.go_on" in actions_of(menu)
    go_on(context, FIRST)
    box = dialog_of(ran, qtbot, QMessageBox)
    assert "Convert units" in box.informativeText()
    assert "read, is made again" in box.informativeText()
    press(box, "Go on")
    until_runs(ran, qtbot, 2)
    assert [s.status for s in context.run_view.summaries] == ["solved", "interrupted"]
    assert get_run(workspace, SECOND).parent_run == 1


@pytest.mark.parametrize("format_id", ["jsonl", "html", "otlp"])
def test_export_writes_a_file(ran: MainWindow, qtbot, tmp_path: Path, format_id: str) -> None:
    place = tmp_path / f"out.{format_id}"
    with qtbot.waitSignal(ran._context.message_shown, timeout=10_000) as told:
        export_to(ran._context, [FIRST], format_id, place)
    assert str(place) in told.args[0]
    assert "miles" in place.read_text("utf-8")


def test_import_of_an_exported_run_is_marked_and_looked_at(
    ran: MainWindow, qtbot, tmp_path: Path
) -> None:
    context = ran._context
    place = tmp_path / "run.jsonl"
    with qtbot.waitSignal(context.message_shown, timeout=10_000):
        export_to(context, [FIRST], "jsonl", place)
    import_runs_from(context, place)
    until_runs(ran, qtbot, 2)
    qtbot.waitUntil(lambda: context.run_view.run == 2, timeout=10_000)
    assert context.run_view.summaries[0].is_imported
    assert context.workspace is not None
    assert index_stale_runs(context.workspace) == 0, "it can be searched at once"
    panel: Any = ran.workspace_view.docks.panel("runs")
    assert "imported" in panel.model.row(0).cells[0]
    tree: Any = ran.workspace_view.docks.panel("run_tree")
    qtbot.waitUntil(lambda: " · imported · " in tree.head.facts.text(), timeout=10_000)
    menu = QMenu(ran)
    ran.fill_menu(menu, "run", SECOND)
    assert not actions_of(menu)["run.fork"].isEnabled()
    assert actions_of(menu)["run.export.html"].isEnabled()


def test_import_of_a_file_without_runs_is_reported(ran: MainWindow, qtbot, tmp_path: Path) -> None:
    place = tmp_path / "nothing.jsonl"
    place.write_text("{}\n", "utf-8")
    with qtbot.waitSignal(ran._context.problem_reported, timeout=10_000):
        import_runs_from(ran._context, place)


def test_basis_of_a_fork_knows_the_call_and_its_cost(ran: MainWindow) -> None:
    workspace = ran._context.workspace
    assert workspace is not None
    basis = read_fork_basis(workspace, FIRST, NodePath(""))
    assert basis.api is not None
    assert basis.spec.provider == "demo"
    assert "1 API call" in describe_estimate(basis.estimate)


def test_changed_arguments_name_what_is_new_changed_and_taken_away() -> None:
    assert changed_arguments({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "d": 4}) == {
        "b": 3, "d": 4, "c": None,
    }  # fmt: skip
    assert changed_arguments({"a": 1}, {"a": 1}) is None
