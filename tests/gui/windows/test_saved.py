"""What the window calls saved: in the file that the person sees; a file that went; copies."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLineEdit

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def with_demo(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0)
    qtbot.waitUntil(lambda: window.is_idle)
    return window


def test_status_when_it_says_saved_then_the_file_alone_has_the_edit(
    with_demo: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    states: list[str] = []
    label = with_demo.statusBar().file_label
    # Opening may write what it has worked out.
    qtbot.waitUntil(lambda: label.text() == "demo.toolplanner · saved")
    with_demo._context.opened.file_watcher.changed.connect(lambda: states.append(label.text()))
    _rename(with_demo, "Ada's own", qtbot)
    qtbot.waitUntil(lambda: label.text() == "demo.toolplanner · saved")
    assert _name(demo, tmp_path) == "Ada's own"
    assert "demo.toolplanner · saving" in states


def test_file_when_it_is_renamed_then_says_so_refuses_edits_and_saves_as(
    with_demo: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    context, label = with_demo._context, with_demo.statusBar().file_label
    _rename(with_demo, "Ada's own", qtbot)
    qtbot.waitUntil(lambda: label.text().endswith("· saved"))
    demo.rename(tmp_path / "elsewhere.toolplanner")
    qtbot.waitUntil(with_demo.banner.isVisible)
    assert "was moved, renamed, replaced or deleted" in with_demo.banner.text
    assert label.text() == "demo.toolplanner · NOT SAVED: moved or deleted"
    with_demo.banner.dismiss()
    _rename(with_demo, "lost", qtbot)
    qtbot.waitUntil(with_demo.banner.isVisible)
    assert with_demo.banner.offer_buttons[0].text() == "Save &as …"
    with_demo.banner.offer_buttons[0].click()
    _choose(with_demo, tmp_path / "rescued.toolplanner", qtbot)
    qtbot.waitUntil(lambda: context.workspace is not None and context.file.path.stem == "rescued")
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    qtbot.waitUntil(lambda: label.text() == "rescued.toolplanner · saved")
    assert _name(tmp_path / "rescued.toolplanner", tmp_path) == "Ada's own"
    assert _name(tmp_path / "elsewhere.toolplanner", tmp_path) == "Ada's own"
    assert not demo.exists()
    assert not with_demo.banner.isVisible()


@pytest.mark.parametrize("is_toolkit", [True, False])
def test_save_as_when_something_is_selected_then_the_new_file_is_looked_at_as_the_old_one(
    with_demo: MainWindow, tmp_path: Path, qtbot, is_toolkit: bool
) -> None:
    context, place = with_demo._context, tmp_path / "next.toolplanner"
    context.map_look.choose_column("category")
    rowids = context.catalogue.rowids[:3].tolist()
    if is_toolkit:
        context.selection.select_toolkit(ToolkitId(1))
    else:
        context.selection.select_apis(rowids, made={"by": "lasso"})
    action = with_demo.findChild(QAction, "file.save_as")
    assert action is not None
    action.trigger()
    _choose(with_demo, place, qtbot)
    qtbot.waitUntil(lambda: context.workspace is not None and context.file.path == place)
    qtbot.waitUntil(lambda: not context.selection.is_empty and with_demo.is_idle)
    qtbot.waitUntil(lambda: context.map_look.column_id == "category")
    if is_toolkit:
        assert context.selection.toolkit == ToolkitId(1)
    else:
        assert context.selection.apis.tolist() == rowids
        assert context.selection.made == {"by": "lasso"}


def test_file_when_it_comes_back_then_edits_are_saved_again(
    with_demo: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    label = with_demo.statusBar().file_label
    demo.rename(tmp_path / "elsewhere.toolplanner")
    qtbot.waitUntil(lambda: "NOT SAVED" in label.text())
    qtbot.waitUntil(with_demo.banner.isVisible)
    (tmp_path / "elsewhere.toolplanner").rename(demo)
    qtbot.waitUntil(lambda: label.text().endswith("· saved"))
    assert not with_demo.banner.isVisible(), "it is no longer so"
    _rename(with_demo, "Ada's own", qtbot)
    qtbot.waitUntil(lambda: _name(demo, tmp_path) == "Ada's own")


def test_banner_of_a_refused_edit_when_the_next_one_is_made_then_it_goes(
    with_demo: MainWindow, qtbot
) -> None:
    _rename(with_demo, " ", qtbot)
    assert "needs a name" in with_demo.banner.text
    _rename(with_demo, "Ada's own", qtbot)
    assert not with_demo.banner.isVisible()


def test_save_a_copy_when_chosen_then_the_window_stays_with_its_file(
    with_demo: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    _rename(with_demo, "Ada's own", qtbot)
    action = with_demo.findChild(QAction, "file.save_copy")
    assert action is not None and action.isEnabled()
    with qtbot.waitSignal(with_demo._context.jobs.ended):
        action.trigger()
        _choose(with_demo, tmp_path / "copy.toolplanner", qtbot)
    assert _name(tmp_path / "copy.toolplanner", tmp_path) == "Ada's own"
    assert with_demo._context.file.path == demo


def _rename(window: MainWindow, name: str, qtbot) -> None:
    """Rename toolkit 1 and wait for what comes of it."""
    context = window._context
    done = context.curation.do(Rename(toolkit=ToolkitId(1), name=name))
    qtbot.waitUntil(done.done)


def _choose(window: MainWindow, place: Path, qtbot) -> None:
    """Answer the question for a file."""
    qtbot.waitUntil(lambda: bool(window.findChildren(QFileDialog)))
    (dialog,) = window.findChildren(QFileDialog)
    dialog.findChild(QLineEdit).setText(str(place))
    dialog.accept()


def _name(path: Path, folder: Path) -> str:
    """The name of toolkit 1 in a plain copy of the one file."""
    plain = folder / "alone" / path.name
    plain.parent.mkdir(exist_ok=True)
    shutil.copyfile(path, plain)
    with sqlite3.connect(plain) as db:
        return db.execute("SELECT name FROM toolkits WHERE id=1").fetchone()[0]
