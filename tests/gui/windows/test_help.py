"""Help in the window: the concepts, and the tour of the demo."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QDialog

from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.theme.tokens import ROW_HEIGHT
from toolplanner_gui.windows import main_window
from toolplanner_gui.windows.command_palette import CommandPalette
from toolplanner_gui.windows.concepts_dialog import ConceptsDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.tour_dialog import TourDialog


def test_concepts_when_a_link_is_followed_then_its_page_is_shown(window: MainWindow) -> None:
    dialog = ConceptsDialog(window._context, window, about="fit")
    assert "cosine" in dialog.page.toPlainText()
    dialog.page.anchorClicked.emit(QUrl("fallback"))
    assert "called because one before it failed" in dialog.page.toPlainText()


def test_concepts_when_opened_then_rows_are_as_high_as_in_other_lists(window: MainWindow) -> None:
    dialog = ConceptsDialog(window._context, window)
    dialog.show()
    row = dialog.list.visualRect(dialog.list.currentIndex())
    assert row.height() >= ROW_HEIGHT


def tours(window: MainWindow) -> list[QDialog]:
    return [tour for tour in window.findChildren(TourDialog) if tour.isVisible()]


def test_tour_when_the_demo_is_new_then_five_steps_and_never_again(
    window: MainWindow, demo: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = window._context
    monkeypatch.setattr(main_window, "demo_path", lambda: demo)
    open_later(context, demo)
    qtbot.waitUntil(lambda: bool(tours(window)))
    [tour] = tours(window)
    assert isinstance(tour, TourDialog)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    layouts = [window.current_layout()]
    for _ in range(4):
        tour.next_button.click()
        layouts.append(window.current_layout())
    assert tour.title.text().startswith("5 of 5")
    # It blocks nothing: the keys of the menus work while it has the keyboard.
    tour.activateWindow()
    tour.next_button.setFocus()
    qtbot.waitUntil(tour.isActiveWindow)
    qtbot.keyClick(tour.next_button, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    [palette] = window.findChildren(CommandPalette)
    palette.reject()
    assert layouts == ["curate", "curate", "curate", "debug", "review"]
    qtbot.keyClick(tour, Qt.Key.Key_Escape)
    assert context.choices.has_seen_tour
    qtbot.waitUntil(lambda: not context.run_view.is_live)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.tasks.is_idle and context.opened is not None)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    assert not tours(window)


def test_tour_when_its_end_is_asked_for_twice_then_it_ends_once_without_a_fault(
    window: MainWindow, demo: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_window, "demo_path", lambda: demo)
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: bool(tours(window)))
    [tour] = tours(window)
    assert isinstance(tour, TourDialog)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    for _ in range(7):
        tour.go_on()  # keys that were struck before the first of them closed it
    assert not tours(window) and tour.title.text().startswith("5 of 5")
    qtbot.waitUntil(lambda: not window._context.run_view.is_live)
