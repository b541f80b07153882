"""Closing while something is under way, and what is remembered for the next time."""

import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.config.presets import remembered_choice
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_gui.actions.workspace_files import close_workspace, import_calls, open_later
from toolplanner_gui.windows.import_report_dialog import describe_preview
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    qtbot.waitUntil(lambda: window.workspace_view.query_bar.options.form is not None)
    return window


def asked(window: MainWindow) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def answer(window: MainWindow, qtbot, verb: str) -> None:
    qtbot.waitUntil(lambda: bool(asked(window)))
    [box] = asked(window)
    next(b for b in box.buttons() if b.text().replace("&", "") == verb).click()
    qtbot.waitUntil(lambda: window._context.tasks.is_idle)


def test_window_when_closed_with_a_held_run_then_asks_once(shown: MainWindow, qtbot) -> None:
    context = shown._context
    shown.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    shown.start_run(is_stepping=True)
    qtbot.waitUntil(lambda: context.debug.is_paused)
    shown.close()
    shown.close()
    qtbot.waitUntil(lambda: bool(asked(shown)))
    assert len(asked(shown)) == 1
    assert "held" in asked(shown)[0].text()
    answer(shown, qtbot, "Cancel")
    assert shown.isVisible() and context.debug.is_paused
    shown.close()
    with qtbot.waitSignal(shown.closed):
        answer(shown, qtbot, "Close the window")
    assert not shown.isVisible()


def test_workspace_when_closed_with_an_import_then_asks(shown: MainWindow, qtbot) -> None:
    context, going_on = shown._context, threading.Event()

    def work(progress: Progress) -> None:
        going_on.wait()
        progress.check()

    context.jobs.start("Import tools.json", work)
    close_workspace(context)
    answer(shown, qtbot, "Cancel")
    assert context.workspace is not None
    close_workspace(context)
    qtbot.waitUntil(lambda: bool(asked(shown)))
    going_on.set()
    answer(shown, qtbot, "Close the workspace")
    qtbot.waitUntil(lambda: context.workspace is None)


def test_window_when_nothing_is_under_way_then_closes_at_once(shown: MainWindow, qtbot) -> None:
    with qtbot.waitSignal(shown.closed):
        shown.close()
    assert not asked(shown)


def test_choices_when_opened_again_then_as_they_were(shown: MainWindow, demo: Path, qtbot) -> None:
    context = shown._context
    options = shown.workspace_view.query_bar.options
    options.open_popup()
    assert options.form is not None and options.popup is not None
    options.form.strategy.put("react", {})
    options.form.limits.editors["max_api_calls"].put(7)
    qtbot.keyClick(options.popup, Qt.Key.Key_Escape)
    panel = shown.workspace_view.docks.panel("toolkits")
    panel.regions_button.click()
    is_grouped = panel.regions_button.isChecked()
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.tasks.is_idle and context.opened is not None)
    qtbot.waitUntil(lambda: shown.is_idle and shown.workspace_view.query_bar.options is not options)
    again = shown.workspace_view.query_bar.options
    qtbot.waitUntil(lambda: again.form is not None)
    QApplication.processEvents()
    spec = again.spec("anything")
    assert (spec.strategy, spec.limits.max_api_calls) == ("react", 7)
    assert remembered_choice(context.opened.workspace).strategy == "react"
    assert shown.workspace_view.docks.panel("toolkits").regions_button.isChecked() is is_grouped


def test_recorded_calls_when_imported_in_the_window_then_said(
    shown: MainWindow, tmp_path: Path, qtbot
) -> None:
    call = {"input": {"city": "Kiel"}, "response": {"level": 2}}
    line = {"category": "Sea", "tool": "tides", "fn": "level", "calls": [call]}
    path = tmp_path / "calls.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with qtbot.waitSignal(shown._context.message_shown) as heard:
        import_calls(shown._context, path)
    assert heard.args == ["1 recorded call added, 0 known, 0 left out: calls.jsonl"]


def test_preview_when_only_the_beginning_is_read_then_it_says_at_least(tmp_path: Path) -> None:
    for tool in range(40):
        folder = tmp_path / "tools" / "Sea"
        folder.mkdir(parents=True, exist_ok=True)
        entry = {"name": "level", "description": "Tides.", "method": "GET", "url": ""}
        entries = [entry | {"name": f"level {n}"} for n in range(10)]
        document = {"tool_name": f"Tides {tool}", "api_list": entries}
        (folder / f"tides{tool}.json").write_text(json.dumps(document))
    said = describe_preview(preview_source(tmp_path / "tools", limit=100))
    assert said.startswith("At least 100 APIs, 10 tools, 1 category in the format toolbench;")
    said = describe_preview(preview_source(tmp_path / "tools"))
    assert said.startswith("400 APIs, 40 tools, 1 category in the format toolbench.")


def test_workspace_when_the_program_ends_right_after_it_was_closed_then_its_writes_are_finished(
    shown: MainWindow, qtbot
) -> None:
    """All readers are busy when it is closed, and waiting for them ends with the program."""
    context, goes_on = shown._context, threading.Event()
    owner = QObject(shown)
    for _ in range(6):
        context.tasks.spawn(context.tasks.in_thread(goes_on.wait), owner=owner)
    close_workspace(context)
    qtbot.waitUntil(lambda: context.opened is None)
    context.tasks.cancel_all()
    qtbot.waitUntil(lambda: context.tasks.is_idle)
    context.close()
    goes_on.set()
    assert not [t for t in threading.enumerate() if t.name.startswith("writer of")]
