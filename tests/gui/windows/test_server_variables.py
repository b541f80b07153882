"""The import dialog asks for what a configuration of servers leaves open; keys are kept apart."""

import json
from pathlib import Path

import pytest
from fixtures.mcp_world import RawServer, write_config
from PySide6.QtWidgets import QComboBox, QLineEdit

from toolplanner_core.workspace import Workspace
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow

KEY = "canary-of-the-form"
INPUTS = [
    {"id": "key", "type": "promptString", "description": "Your key", "password": True},
    {
        "id": "region",
        "type": "pickString",
        "options": ["eu", "us"],
        "default": "us",
        "description": "Your region",
    },
]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def test_variables_when_a_configuration_leaves_them_open_then_filled_in_and_keys_kept_apart(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:
    context, path = window._context, tmp_path / "own.toolplanner"
    Workspace.create(path).close()
    open_later(context, path)
    qtbot.waitUntil(lambda: context.workspace is not None and window.is_idle)
    server = RawServer(tmp_path, is_allowed=False)
    environment = {"RAW_KEY": "${input:key}", "RAW_REGION": "${input:region}"}
    config = tmp_path / "mcp.json"
    servers = {
        "raw": {**server.entry, "command": "${env:RAW_PROGRAM}", "env": environment},
        "far": {"url": "http://${FAR_HOST}/mcp"},
    }
    config.write_text(json.dumps({"inputs": INPUTS, "servers": servers}), encoding="utf-8")
    dialog = ImportDialog(context, window, paths=[config])
    dialog.open()
    asked = dialog.asked_values
    qtbot.waitUntil(asked.isVisible)
    assert list(asked.fields) == ["RAW_PROGRAM", "key", "region", "FAR_HOST"]
    program, key, region, _ = asked.fields.values()
    assert isinstance(program, QLineEdit) and isinstance(key, QLineEdit)
    assert key.echoMode() is QLineEdit.EchoMode.Password
    assert program.echoMode() is QLineEdit.EchoMode.Normal
    assert key.placeholderText() == "Your key. Needed by raw"
    assert isinstance(region, QComboBox) and region.currentData() == "us"
    assert region.itemText(0) == "leave it open: Your region. Needed by raw"
    assert region.accessibleDescription() == "Your region. Needed by raw"
    program.setText(server.spec.command)
    key.setText(KEY)
    asked.use_button.click()
    qtbot.waitUntil(dialog.consent.isVisible)
    consent = dialog.consent.commands.toPlainText()
    assert consent == f"raw\n    {server.spec.in_words}  (RAW_KEY=…, RAW_REGION=…)"
    assert key.text() == KEY
    assert not (dialog.tabs.isVisible() or dialog.summary.text())
    dialog.consent.allow_button.click()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=60_000)
    assert dialog.summary.text().startswith("8 APIs, 1 tool,")
    with qtbot.waitSignal(context.jobs.ended, timeout=60_000):
        dialog.start_button.click()
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 8, timeout=60_000)
    started = server.diary("started")[-1]["environment"]
    assert (started["RAW_KEY"], started["RAW_REGION"]) == (KEY, "us")
    files = [file for file in tmp_path.iterdir() if file != server.path and file.is_file()]
    assert path in files
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


def test_variables_when_another_location_is_read_then_nothing_of_what_was_typed_is_left(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:
    config = write_config(tmp_path, far={"url": "http://${FAR_HOST}/mcp"})
    other = tmp_path / "other.json"
    other.write_text(config.read_text().replace("FAR_HOST", "NEAR_HOST"), encoding="utf-8")
    dialog = ImportDialog(window._context, window, paths=[config])
    dialog.open()
    qtbot.waitUntil(dialog.asked_values.isVisible)
    field = dialog.asked_values.fields["FAR_HOST"]
    assert isinstance(field, QLineEdit)
    field.setText("example.org")
    assert dialog.asked_values.values == {"variables": ["FAR_HOST=example.org"]}
    dialog.source.take(other)
    qtbot.waitUntil(lambda: list(dialog.asked_values.fields) == ["NEAR_HOST"])
    assert dialog.asked_values.values == {}
