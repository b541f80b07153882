"""A report over the window stands back while a run asks for leave, and comes back after it."""

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.catalogue_report_dialog import CatalogueReportDialog
from toolplanner_gui.windows.main_window import MainWindow


def test_report_when_a_run_asks_for_leave_then_stands_back_until_it_is_answered(
    window: MainWindow, demo: Path, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(demo)) as file:
        file.execute("UPDATE apis SET risk = 'write'")
        file.commit()
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    writing = dataclasses.replace(providers.get("demo"), touches_world=True)
    monkeypatch.setitem(providers.plugins, "demo", writing)
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    window.open(dialog_commands.catalogue_report)
    (report,) = window.findChildren(CatalogueReportDialog)
    qtbot.waitUntil(lambda: report.is_idle and report.isVisible())
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: context.debug.is_paused)
    assert not report.isVisible()
    context.run_view.stop()
    qtbot.waitUntil(lambda: not context.run_view.is_live)
    qtbot.waitUntil(report.isVisible)
    report.close()
