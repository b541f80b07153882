"""The catalogue report is made as a job: how far it is can be seen, and it can be stopped."""

import threading
from pathlib import Path

import pytest

from toolplanner_core.curation.looking import catalogue_report as making
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.catalogue_report_dialog import CatalogueReportDialog
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    return window


def test_report_when_it_takes_long_then_says_how_far_it_is_and_can_be_stopped_and_made_anew(
    shown: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, may_go_on, real = shown._context, threading.Event(), making.read_figures

    def slow(workspace: Workspace, *, progress: Progress) -> making.CatalogueFigures:
        progress.report("Comparing toolkits of one API", 100, 1_200, "toolkits")
        may_go_on.wait()
        return real(workspace, progress=progress)

    monkeypatch.setattr(making, "read_figures", slow)
    shown.open(dialog_commands.catalogue_report)
    (report,) = shown.findChildren(CatalogueReportDialog)
    (job,) = context.jobs.running
    strip = shown.statusBar()._strips[job]
    qtbot.waitUntil(lambda: "100 of 1,200" in strip.text)
    assert strip.text.startswith("Making the catalogue report")
    assert "status bar" in report.page.toPlainText() and not report.is_idle
    assert not context.running_work, "closing the window asks nothing about it"
    strip.cancel_button.click()
    may_go_on.set()
    qtbot.waitUntil(lambda: report.is_idle)
    assert "stopped" in report.page.toPlainText()
    report.renew_button.click()
    qtbot.waitUntil(lambda: report.is_idle)
    assert "What to do next" in report.page.toPlainText()
    assert report.save_button.isEnabled()
    report.close()


def test_report_when_saved_then_the_file_is_markdown(
    shown: MainWindow, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown.open(dialog_commands.catalogue_report)
    (report,) = shown.findChildren(CatalogueReportDialog)
    qtbot.waitUntil(lambda: report.is_idle and report.save_button.isEnabled())
    path = tmp_path / "report.md"
    report.save(path)
    qtbot.waitUntil(lambda: path.is_file() and not shown._context.jobs.running)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "## What to do next" in text
    report.close()


def test_report_when_closed_while_it_is_made_then_stops(
    shown: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, may_go_on = shown._context, threading.Event()

    def slow(workspace: Workspace, *, progress: Progress) -> making.CatalogueFigures:
        may_go_on.wait()
        progress.check()
        raise AssertionError("it went on")

    monkeypatch.setattr(making, "read_figures", slow)
    shown.open(dialog_commands.catalogue_report)
    (report,) = shown.findChildren(CatalogueReportDialog)
    (job,) = context.jobs.running
    report.close()
    assert job.is_cancelling
    may_go_on.set()
    qtbot.waitUntil(lambda: not context.jobs.running)
