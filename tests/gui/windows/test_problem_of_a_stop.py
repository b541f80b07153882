"""What the window says of a run is over when its stop is, or when another run is looked at."""

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.debugger import StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_gui.actions.debug_menu import resume
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def writing(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo world, with APIs that write."""
    with closing(sqlite3.connect(demo)) as file:
        file.execute("UPDATE apis SET risk = 'write'")
        file.commit()
    changing = dataclasses.replace(providers.get("demo"), touches_world=True)
    monkeypatch.setitem(providers.plugins, "demo", changing)
    return demo


def test_banner_when_the_yes_or_no_that_it_waits_for_is_given_then_it_goes(
    window: MainWindow, writing: Path, qtbot
) -> None:
    context = window._context
    open_later(context, writing)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    spec = RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo")
    context.run_view.start(spec)
    qtbot.waitUntil(lambda: context.debug.current is not None)
    resume(context, StepCommand.CONTINUE)
    assert "yes or a no" in window.banner.text
    assert window.banner.isVisible()
    context.debug.resume(StepCommand.CONTINUE, decision=StopDecision(choice=Choice.GIVE_UP))
    qtbot.waitUntil(lambda: not context.run_view.is_live)
    assert not window.banner.isVisible()


def test_banner_when_a_run_could_not_start_then_it_goes_with_the_next_one(
    window: MainWindow, demo: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    for begins in (True, True, False):
        context.run_view.start(RunSpec(query="x", provider="demo", model="openai:nobody"))
        qtbot.waitUntil(window.banner.isVisible)
        qtbot.waitUntil(lambda: not context.run_view.is_live)
        assert "There is no key" in window.banner.text
        if begins:
            context.run_view.start(RunSpec(query="Delete my account", provider="demo"))
        else:
            context.run_view.show_run(RunId(1))
        qtbot.waitUntil(lambda: not window.banner.isVisible())
        qtbot.waitUntil(lambda: not context.run_view.is_live)
