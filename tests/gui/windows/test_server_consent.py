"""The import dialog asks before it starts servers, with their exact commands, and shows them."""

from pathlib import Path

import pytest
from fixtures.mcp_world import RawServer, write_config

from toolplanner_core.mcp_servers.consent import is_allowed
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def test_configuration_of_a_server_when_chosen_then_asked_and_only_then_started(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    server = RawServer(tmp_path, "<b>bold</b>", is_allowed=False)
    config = write_config(tmp_path, raw=server.entry)
    before = context.catalogue.n_apis
    dialog = ImportDialog(context, window, paths=[config])
    dialog.open()
    qtbot.waitUntil(dialog.consent.isVisible)
    assert dialog.consent.commands.toPlainText() == f"raw\n    {server.spec.in_words}"
    assert "<b>bold</b>" in dialog.consent.commands.toPlainText()
    assert not dialog.start_button.isEnabled()
    assert not server.diary("started")
    dialog.consent.allow_button.click()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=60_000)
    assert is_allowed(server.spec)
    assert not dialog.consent.isVisible()
    assert dialog.summary.text().startswith("8 APIs, 1 tool, 1 category in the format mcp.")
    assert "Beside them 1 prompt: summarise." in dialog.summary.text()
    with qtbot.waitSignal(context.jobs.ended, timeout=60_000):
        dialog.start_button.click()
    qtbot.waitUntil(lambda: context.catalogue.n_apis == before + 8, timeout=60_000)
