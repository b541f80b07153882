"""Import, prepare and fork by keyboard: what is given, refused in place, and reached."""

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.forms.option_form import OptionForm
from toolplanner_gui.windows.fork_dialog import ForkDialog
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog

TIDES = json.dumps([{"name": "tide_table", "description": "Tides.", "parameters": {}}])


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """A window with the demo."""
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    return window


def walk(dialog: QDialog, qtbot) -> None:
    """Come to every option that is shown by the tab key, one after the other, then close."""
    qtbot.waitUntil(lambda: bool(fields(dialog)))
    wanted = fields(dialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    found: list[QWidget | None] = []
    for _ in range(80):
        qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Tab)
        found.append(dialog.focusWidget())
    places = [found.index(field) for field in wanted]
    assert places == sorted(places)
    dialog.reject()


def fields(dialog: QDialog) -> list[QWidget]:
    """The fields of all options that are shown."""
    forms = [form for form in dialog.findChildren(OptionForm) if form.isVisible()]
    return [editor.field for form in forms for editor in form.editors.values()]


def test_import_when_text_is_pasted_or_taken_away_then_the_preview_follows(
    shown: MainWindow, qtbot
) -> None:
    dialog = ImportDialog(shown._context, shown)
    dialog.open()
    qtbot.keyClick(dialog.source.pasting, Qt.Key.Key_Space)
    dialog.source.text.setPlainText(TIDES)
    qtbot.waitUntil(dialog.start_button.isEnabled)
    assert dialog.summary.text().startswith("1 API, 1 tool")
    dialog.name.setText("harbour")
    qtbot.waitUntil(lambda: dialog.is_idle and "harbour" in str(dialog._previewed))
    dialog.source.text.clear()
    qtbot.waitUntil(lambda: not dialog.tabs.isVisible())
    assert not dialog.start_button.isEnabled()
    dialog.reject()


def test_import_when_it_is_an_address_or_a_wrong_format_then_said_in_place(
    shown: MainWindow, tmp_path: Path, qtbot
) -> None:
    dialog = ImportDialog(shown._context, shown)
    dialog.open()
    qtbot.keyClicks(dialog.source.line, "http://127.0.0.1:1/tools.json")
    qtbot.waitUntil(lambda: dialog.is_idle)
    assert not dialog.banner.isVisible()  # nobody has said yet that this is the whole address
    qtbot.keyClick(dialog.source.line, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.banner.isVisible)
    assert "could not be fetched" in dialog.banner.text
    (tmp_path / "f.json").write_text(TIDES)
    dialog.source.take(tmp_path / "f.json")
    qtbot.waitUntil(dialog.start_button.isEnabled)
    assert not dialog.banner.isVisible()
    assert dialog.format is not None
    dialog.format.put("toolbench", {})
    dialog.source.rest()
    qtbot.waitUntil(lambda: dialog.is_idle and not dialog.start_button.isEnabled())
    dialog.reject()


def test_dialogs_when_walked_through_by_tab_then_every_option_is_reached(
    shown: MainWindow, qtbot
) -> None:
    context = shown._context
    importing = ImportDialog(context, shown)
    importing.open()
    qtbot.waitUntil(lambda: importing.format is not None)
    assert importing.format is not None
    importing.format.put("functions", {})
    walk(importing, qtbot)
    preparing = PrepareDialog(context, shown, is_anew=True)
    preparing.open()
    qtbot.waitUntil(preparing.start_button.isEnabled)
    preparing.choices["embedder"].put("minilm", {})
    assert preparing._takes.isVisible()
    about = r"About \d.* for vectors on this machine\."
    assert re.fullmatch(about, preparing._takes.text()), preparing._takes.text()
    walk(preparing, qtbot)
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    forking = ForkDialog(context, shown, RunId(1), NodePath(""))
    forking.open()
    qtbot.waitUntil(lambda: forking.is_idle and forking.start_button.isEnabled())
    forking.tabs.setCurrentIndex(3)
    walk(forking, qtbot)
