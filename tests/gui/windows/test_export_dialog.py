"""The dialog that exports toolkits: it says what would be in the file, and writes just that."""

import json
from pathlib import Path

import pytest
from fixtures.teller import Teller

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows import export_dialog
from toolplanner_gui.windows.export_dialog import ExportDialog
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def teller(window: MainWindow, demo: Path, qtbot) -> Teller:
    open_later(window._context, demo)
    told = Teller(window, qtbot)
    told.until(lambda: window._context.catalogue.n_apis > 0)
    told.settle()
    return told


def test_export_when_a_toolkit_is_selected_then_it_alone_is_counted_and_written(
    teller: Teller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, place = teller.context, tmp_path / "tools.json"

    async def ask_where(*_asked: object) -> list[Path]:
        return [place]

    monkeypatch.setattr(export_dialog, "ask_where", ask_where)
    toolkit = max(context.catalogue.toolkits, key=lambda kit: kit.size)
    context.selection.select_toolkit(toolkit.id)
    teller.settle()
    teller.trigger("file.export")
    dialog = teller.dialog(ExportDialog)
    teller.until(lambda: dialog.is_idle)
    assert "35 toolkits with 196 APIs" in dialog.preview.text()
    dialog.which.setCurrentIndex(1)
    dialog.form.setCurrentIndex(dialog.form.findData("anthropic"))
    teller.until(lambda: dialog.is_idle)
    assert f"1 toolkit with {toolkit.size} APIs" in dialog.preview.text()
    assert "tokens if a model is given all of it at once" in dialog.preview.text()
    dialog.form.setCurrentIndex(dialog.form.findData("decisions"))
    teller.until(lambda: not dialog.export_button.isEnabled())
    assert "exported as a whole" in dialog.banner.text and not dialog.preview.text()
    dialog.form.setCurrentIndex(dialog.form.findData("anthropic"))
    teller.until(lambda: dialog.is_idle)
    assert dialog.export_button.isEnabled() and not dialog.banner.isVisible()
    teller.picture("export", dialog)
    dialog.export_button.click()
    teller.until(place.exists)
    teller.until(lambda: not context.jobs.running)
    assert len(json.loads(place.read_text())) == toolkit.size


def test_export_when_nothing_is_selected_then_all_is_offered(teller: Teller) -> None:
    teller.window.open(dialog_commands.export_toolkits)
    dialog = teller.dialog(ExportDialog)
    assert dialog.which.count() == 1
    teller.until(lambda: dialog.is_idle)
