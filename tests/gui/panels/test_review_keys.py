"""The keys of the review: they reach its questions, or are refused in words, and never the map."""

from pathlib import Path

import pytest
from fixtures.review_world import faulty_workspace
from PySide6.QtCore import Qt

from toolplanner_core.workspace.verdicts import load_verdicts
from toolplanner_gui.windows.main_window import MainWindow

Key = Qt.Key


@pytest.fixture
def reviewed(window: MainWindow, tmp_path: Path, qtbot) -> MainWindow:
    """The Review layout over a small workspace in which a merge is asked for."""
    with faulty_workspace(tmp_path / "faulty.toolplanner") as workspace:
        path = workspace.path
    context = window._context
    context.tasks.spawn(context.open_workspace(path), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    window.show_layout("review")
    qtbot.waitUntil(lambda: context.review.state is not None and context.review.is_idle)
    return window


def test_review_when_it_is_shown_then_the_keyboard_is_on_the_questions(
    reviewed: MainWindow, qtbot
) -> None:
    window, canvas = reviewed, reviewed.workspace_view.docks.panel("map").canvas
    window.activateWindow()
    window.show_layout("curate")
    canvas.set_tool("rectangle")
    canvas.setFocus()
    window.show_layout("review")
    qtbot.waitUntil(reviewed.workspace_view.docks.panel("review").list.tree.hasFocus)
    # The tool and what it says of itself were put away with the desk.
    assert canvas.tool == "pan"
    assert not canvas._overlays.hint.isVisible()


def test_key_when_the_evidence_is_still_read_then_it_is_refused_in_words_and_no_tool_is_taken(
    reviewed: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    context, canvas = reviewed._context, reviewed.workspace_view.docks.panel("map").canvas
    told: list[str] = []
    context.message_shown.connect(told.append)
    monkeypatch.setattr(type(context.review), "is_read", property(lambda _review: False))
    context.review.cards.changed.emit()
    for key, place in zip(
        (Key.Key_A, Key.Key_R, Key.Key_N),
        (canvas, canvas, reviewed.workspace_view.docks.panel("review").list.tree),
        strict=True,
    ):
        qtbot.keyClick(place, key)
    assert load_verdicts(context.workspace) == {}
    assert len(told) == 3
    assert all("still being read" in text for text in told)
    assert canvas.tool == "pan"


def test_key_when_there_is_no_question_then_the_map_takes_no_tool(
    reviewed: MainWindow, qtbot
) -> None:
    canvas = reviewed.workspace_view.docks.panel("map").canvas
    reviewed._context.review.choose_kind(None, skipped=True)
    qtbot.waitUntil(lambda: reviewed._context.review.is_idle)
    assert reviewed._context.review.current is None
    qtbot.keyClick(canvas, Key.Key_R)
    assert canvas.tool == "pan"
    reviewed.show_layout("curate")
    qtbot.keyClick(canvas, Key.Key_R)
    assert canvas.tool == "rectangle"
