"""The status bar: what it says while a file is read, and that no text of it widens the window."""

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from toolplanner_core.curation.looking import curated_catalogue
from toolplanner_core.domain.ids import RunId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui import open_workspace
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow

LONG = "Imported 10 of 10 APIs and gave 3 of them a toolkit; what is doubtful is listed. " * 4


def test_window_when_messages_are_long_and_two_jobs_run_then_it_can_be_as_narrow_as_before(
    window: MainWindow, qtbot
) -> None:
    narrow, goes_on = window.minimumSizeHint().width(), threading.Event()

    def work(progress: Progress) -> None:
        goes_on.wait()

    try:
        window._context.show_message(LONG)
        for _ in range(2):
            window._context.jobs.start(LONG, work)
        bar = window.statusBar()
        assert len(bar._strips) == 2
        window.resize(800, 600)
        qtbot.waitExposed(window)
        assert window.minimumSizeHint().width() <= max(narrow, 800)
        assert window.width() == 800
        for strip in bar._strips.values():
            right = strip.cancel_button.mapTo(window, strip.cancel_button.rect().bottomRight())
            assert right.x() < 800
        assert LONG.split("\n", maxsplit=1)[0][:40] in bar._told.toolTip()
    finally:
        goes_on.set()


def test_window_while_the_catalogue_is_read_then_nothing_says_that_there_is_none(
    window: MainWindow, demo: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def read_later(workspace):
        goes_on.wait()
        return curated_catalogue.read_catalogue(workspace)

    monkeypatch.setattr(open_workspace, "read_catalogue", read_later)
    context = window._context
    open_later(context, demo)
    try:
        qtbot.waitUntil(lambda: context.opened is not None and window.workspace_view is not None)
        said = {label.text() for label in window.findChildren(QLabel) if label.isVisible()}
        assert "demo.toolplanner · opening …" in said
        assert "Reading what this file holds …" in said
        assert not [text for text in said if "no APIs" in text.casefold()]
    finally:
        goes_on.set()
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    qtbot.waitUntil(lambda: "opening" not in window.statusBar().file_label.text())


WORK = "Preparing the toolkits · Finding neighbours 11,088 of 45,284 · 20 s left · 1,680/s"


def test_window_while_a_job_runs_then_its_line_is_whole_and_nothing_above_moves(
    window: MainWindow, qtbot
) -> None:
    goes_on, bar = threading.Event(), window.statusBar()
    high = bar.height()

    def work(progress: Progress) -> None:
        goes_on.wait()

    try:
        window._context.jobs.start("Preparing the toolkits", work)
        (strip,) = bar._strips.values()
        strip.show_progress(WORK, 1, 4)
        qtbot.waitUntil(lambda: strip.width() > strip.minimumSizeHint().width())
        assert strip._text.width() >= strip._text.fontMetrics().horizontalAdvance(WORK)
        assert bar.height() == high
    finally:
        goes_on.set()


def test_message_when_its_workspace_is_closed_then_it_goes_with_it(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context, bar = window._context, window.statusBar()
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    qtbot.waitUntil(lambda: window.is_idle)
    context.show_message("Moved 97 APIs")
    assert bar._told.text() == "Moved 97 APIs"
    context.tasks.spawn(context.close_workspace(), owner=context)
    qtbot.waitUntil(lambda: context.opened is None)
    assert bar._told.text() == ""


def test_message_when_a_run_begins_or_two_are_compared_then_it_is_over(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context, bar = window._context, window.statusBar()
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    for _ in range(2):
        context.show_message("Write a query first")
        assert bar._told.text() == "Write a query first"
        context.run_view.start(RunSpec(query="Convert 3 kg to pounds", provider="demo"))
        assert bar._told.text() == ""
        qtbot.waitUntil(lambda: not context.run_view.is_live and window.is_idle)
    context.show_message("Select two runs")
    context.compare_runs(RunId(1), RunId(2))
    assert bar._told.text() == ""
    qtbot.waitUntil(lambda: window.is_idle)
