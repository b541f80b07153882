"""The guide: a person does in the window what its pages say, and pictures of it are what is stored;
F1 opens it where one is.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here, toolplanner
from fixtures.guide_pictures import (
    MOST_DIFFERENT,
    check_picture,
    share_of_different_blocks,
    stored_picture,
)
from fixtures.teller import Teller
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QImage, QKeySequence
from PySide6.QtWidgets import QDialog, QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.demo.demo_workspace import make_demo_workspace
from toolplanner_core.words.guide import guide_pages
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.panel import panels
from toolplanner_gui.windows.dialog import dialogs
from toolplanner_gui.windows.guide_dialog import GuideDialog
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.plans_since_dialog import PlansSinceDialog
from toolplanner_gui.windows.preferences_dialog import PreferencesDialog
from toolplanner_gui.windows.shortcuts_dialog import ShortcutsDialog, plain_title
from toolplanner_gui.windows.split_dialog import SplitDialog
from toolplanner_gui.windows.train_dialog import TrainDialog

MILES = "Convert 26.2 miles to kilometres."
CRIME = "Show me the crime statistics of Springfield, Illinois."
EXPERIMENT = """workspace = "demo.toolplanner"
dataset = "questions.jsonl"
[arm.toolkits]
strategy = "tool-planner"
[arm.plain]
strategy = "tool-planner"
options = { toolkits = false }
"""
PAGES = guide_pages()


class Reader(Teller):
    """Somebody who does what a page says, with the keys that it names."""

    def press(self, keys: str, *, then: Callable[[], object] = lambda: True) -> None:
        """What a shortcut does, through the menu entry that has it."""
        wanted = QKeySequence(keys)
        found = [a for a in self.window.findChildren(QAction) if wanted in a.shortcuts()]
        assert found, keys
        assert found[0].isEnabled(), f"{keys}: {found[0].toolTip()}"
        found[0].trigger()
        self.until(lambda: bool(then()))
        self.settle()

    def picture_of_page(self, name: str, shown: QWidget | None = None) -> None:
        """Light and dark, as the page shows it."""
        for mode, ending in (("light", ""), ("dark", "-dark")):
            self.context.theme.set_mode(mode)
            self.settle()
            self.qtbot.wait(300)  # the map is drawn in its thread, and fades
            self.settle()
            check_picture(shown or self.window, name + ending)
        self.context.theme.set_mode("light")

    def select_toolkits(self, *names: str) -> None:
        wanted = dict.fromkeys(names)
        ids = [t.id for name in wanted for t in self.context.catalogue.toolkits if t.name == name]
        assert len(ids) == len(names)
        self.context.selection.select_toolkits(ids)
        self.settle()

    def ask(self, query: str) -> None:
        """Write a query into the bar."""
        self.press("Ctrl+L")
        bar = self.window.workspace_view.query_bar
        bar.query.setText(query)
        self.until(lambda: bar.options.form is not None)


@pytest.fixture(scope="module")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo as a person has it."""
    place = tmp_path_factory.mktemp("guide") / "demo.toolplanner"
    make_demo_workspace(place, progress=Progress())
    return place


@pytest.fixture
def reader(window: MainWindow, made_demo: Path, tmp_path: Path, qtbot) -> Iterator[Reader]:
    place = tmp_path / "demo.toolplanner"
    place.write_bytes(made_demo.read_bytes())
    window._context.choices.has_seen_tour = True
    open_later(window._context, place)
    told = Reader(window, qtbot)
    told.until(lambda: window._context.catalogue.n_apis > 0)
    told.settle()
    yield told
    for dialog in window.findChildren(QDialog):
        dialog.close()


def test_first_map(reader: Reader) -> None:
    context = reader.context
    reader.select_toolkits("Currency exchange")
    reader.press("Ctrl+9")
    reader.press("Ctrl+0")
    reader.picture_of_page("first-map")
    reader.press("Ctrl+F")
    reader.ask(MILES)
    reader.press("Ctrl+Return")
    reader.until_over(16)  # the demo has 15 of its own
    assert context.run_view.summary is not None
    assert "42.16" in context.run_view.summary.answer
    assert reader.window.current_layout() == "debug"
    reader.press("Ctrl+1", then=lambda: reader.window.current_layout() == "curate")


def test_import(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "tools.csv").write_text(
        "name,description\nTide table,When the sea is high at a harbour.\nBus stops,Stops near.\n"
    )
    before = reader.context.catalogue.n_apis
    reader.press("Ctrl+I")
    reader.dialog(ImportDialog).close()
    dialog = ImportDialog(reader.context, reader.window, paths=[tmp_path / "tools.csv"])
    dialog.open()
    reader.until(lambda: dialog.start_button.isEnabled() and dialog.is_idle)
    assert reader.context.catalogue.n_apis == before, "a preview stores nothing"
    reader.picture_of_page("import", dialog)
    dialog.start_button.click()
    reader.until(lambda: reader.context.catalogue.n_apis == before + 2)


def test_curate(reader: Reader) -> None:
    context = reader.context
    before = len(context.catalogue.toolkits)
    reader.select_toolkits("Crime statistics", "Neighbourhood safety")
    reader.press("Ctrl+G", then=lambda: len(context.staging.staged.toolkits) == 2)
    reader.picture_of_page("curate")
    tray = reader.panel("staging")
    reader.until(tray.confirm_button.isEnabled)
    tray.confirm_button.click()
    if tray.confirm_button.text() == "Merge all the same":
        tray.confirm_button.click()
    reader.until(lambda: len(context.catalogue.toolkits) == before - 1)
    reader.press("Ctrl+Z", then=lambda: len(context.catalogue.toolkits) == before)
    reader.press("Ctrl+Shift+Z", then=lambda: len(context.catalogue.toolkits) == before - 1)
    reader.panel("history").plans_button.click()
    [changed] = reader.window.findChildren(PlansSinceDialog)
    reader.until(lambda: changed.is_idle and "saved queries" in changed.summary.text())
    changed.reject()


def test_review(reader: Reader) -> None:
    reader.press("Ctrl+4", then=lambda: reader.window.current_layout() == "review")
    reader.picture_of_page("review")
    review, before = reader.context.review, len(reader.context.catalogue.toolkits)
    first = review.current
    reader.press("J", then=lambda: review.current != first)
    reader.press("K", then=lambda: review.current == first)
    reader.press("R", then=lambda: first not in review.questions)
    reader.press("Z", then=lambda: first in review.questions)
    assert first is not None and len(reader.context.catalogue.toolkits) == before


def test_debug(reader: Reader) -> None:
    context = reader.context
    reader.ask(MILES)
    reader.press("F10", then=lambda: context.debug.current is not None)
    reader.press("F10", then=lambda: context.debug.current is not None)
    reader.press("F11", then=lambda: context.debug.current is not None)
    reader.picture_of_page("debug")
    reader.press("F7")
    reader.press("F5")
    reader.until_over(16)
    assert context.run_view.summary is not None
    assert context.run_view.summary.status == "solved"


def test_models(reader: Reader) -> None:
    reader.press("Ctrl+,")
    reader.picture_of_page("models", reader.dialog(PreferencesDialog))


def test_strategies(reader: Reader) -> None:
    reader.press("Ctrl+Shift+O")
    popup = reader.window.workspace_view.query_bar.options.popup
    reader.until(popup.isVisible)
    reader.picture_of_page("strategies", popup)
    popup.close()


def test_training(reader: Reader) -> None:
    reader.trigger("toolkits.train")
    reader.picture_of_page("training", reader.dialog(TrainDialog))


def test_experiments(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "try.lab.toml"
    file.write_text(EXPERIMENT)
    questions = tmp_path / "questions.jsonl"
    demo = tmp_path / "demo.toolplanner"
    imports = ("lab", "datasets", "import", demo, "--format", "cases", "--to", questions)
    assert not command_here(*imports).status
    few = questions.read_text().splitlines()[:6]
    questions.write_text("\n".join(few))
    assert not toolplanner("lab", "run", file, "--executor", "inline").status
    reader.press("Ctrl+3", then=lambda: reader.window.current_layout() == "lab")
    reader.context.lab.open(tmp_path / "try.lab")
    reader.until(lambda: reader.context.lab.store is not None)
    reader.picture_of_page("experiments")
    reader.trigger("lab.paired")


def test_agents(reader: Reader) -> None:
    reader.press("Ctrl+Shift+U")
    reader.picture_of_page("agents")


def test_menus_and_keys_when_a_page_names_them_then_they_are_there() -> None:
    paths = {f"{plain_title(m.title)} > {plain_title(a.title)}" for m, a in all_actions()}
    keys = {key for _, a in all_actions() for key, _place in a.shortcuts}
    letters = {key for key in keys if len(key) == 1} | {"Return"}
    for page in PAGES:
        text = " ".join(page.text.split())
        for named in re.findall(r"\*([A-Z]\w+ > [^*]+)\*", text):
            assert named in paths, (page.id, named)
        for named in re.findall(r"\*\*([^*]+)\*\*", text):
            assert named in keys | letters, (page.id, named)


def test_places_when_listed_then_each_panel_and_dialog_has_its_page() -> None:
    places = {p.id for p in panels} | {d.id for d in dialogs} - {"guide"}
    explained = {place for page in PAGES for place in page.explains}
    assert explained == places


def test_f1_when_pressed_in_a_panel_or_a_dialog_then_its_page_is_open(
    reader: Reader, qtbot: Any
) -> None:
    window = reader.window
    reader.press("Ctrl+4")
    reader.panel("review").setFocus()
    window.open(dialog_commands.guide)
    guide = reader.dialog(GuideDialog)
    assert guide.page.toPlainText().startswith("Review")
    guide.close()
    reader.select_toolkits("Currency exchange")
    window.open(dialog_commands.split_toolkit)  # stands beside, with the keys of the window
    split = reader.dialog(SplitDialog)
    split.activateWindow()
    reader.until(lambda: split.isActiveWindow() and split.focusWidget() is not None)
    window.open(dialog_commands.guide)
    about_splitting = reader.dialog(GuideDialog)
    assert about_splitting.page.toPlainText().startswith("Curate")
    about_splitting.close()
    split.close()
    window.open(dialog_commands.preferences)
    preferences = reader.dialog(PreferencesDialog)
    qtbot.keyClick(preferences, Qt.Key.Key_F1)
    [second] = preferences.findChildren(GuideDialog)
    assert second.isVisible() and second.page.toPlainText().startswith("Models")
    window.open(dialog_commands.shortcuts)
    assert isinstance(reader.dialog(ShortcutsDialog), QDialog)


def test_guide_when_the_theme_or_its_width_changes_then_its_pictures_follow(
    reader: Reader, qtbot: Any
) -> None:
    reader.window.open(dialog_commands.guide, about="map")
    guide = reader.dialog(GuideDialog)
    light = guide.page.grab().toImage()
    assert "first-map.png" in guide.page.toHtml()
    reader.context.theme.set_mode("dark")
    assert "first-map-dark.png" in guide.page.toHtml()
    assert share_of_different_blocks(light, guide.page.grab().toImage()) > MOST_DIFFERENT
    guide.resize(560, 480)
    qtbot.waitUntil(lambda: guide.page.horizontalScrollBar().maximum() == 0)
    for page in PAGES:
        guide.go_to(page.id)
        assert guide.page.toPlainText().startswith(page.title)


def test_pictures_when_the_window_shows_something_else_then_the_comparison_fails() -> None:
    names = ("first-map", "curate", "debug", "review", "experiments", "agents")
    pictures = [QImage(str(stored_picture(name))) for name in names]
    assert not any(picture.isNull() for picture in pictures)
    for n, one in enumerate(pictures):
        for other in pictures[n + 1 :]:
            assert share_of_different_blocks(one, other) > MOST_DIFFERENT
