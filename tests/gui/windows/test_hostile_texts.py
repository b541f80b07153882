"""Texts of catalogues are shown as they are: no label, tooltip or report reads markup in them."""

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTextEdit, QWidget

from toolplanner_core.sources.importing import import_source
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.dialog import dialogs
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow

HOSTILE = '<img src="http://evil.example/x.png"><a href="file:///etc/passwd">Click</a>'


def markup_shown(widget: QWidget) -> list[str]:
    """Labels, texts and tooltips in which somebody's markup would be read."""
    found: list[str] = []
    for part in [widget, *widget.findChildren(QWidget)]:
        if isinstance(part, QLabel) and "<img" in part.text():
            is_plain = part.textFormat() is Qt.TextFormat.PlainText
            found += [] if is_plain else [f"label {part.text()[:80]}"]
        if isinstance(part, QTextEdit) and "<img" in part.toHtml():
            found.append(f"text {part.accessibleName()}")
        if "<img" in part.toolTip():
            found.append(f"tooltip of {type(part).__name__} {part.toolTip()[:80]}")
    return found


def test_hostile_catalogue_when_shown_everywhere_then_its_markup_is_never_read(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    context = window._context
    path = tmp_path / "evil.json"
    functions = [
        {
            "name": f"{HOSTILE} {number}",
            "description": HOSTILE,
            "parameters": {
                "type": "object",
                "properties": {HOSTILE: {"type": "string", "description": HOSTILE}},
            },
        }
        for number in range(3)
    ]
    path.write_text(json.dumps(functions))
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=20_000)
    assert context.workspace is not None
    before = context.catalogue.n_apis
    import_source(context.workspace, path, source_name=HOSTILE)
    context.reload_catalogue()
    qtbot.waitUntil(lambda: context.catalogue.n_apis == before + 3, timeout=20_000)
    for layout in ("curate", "debug", "review"):
        window.show_layout(layout)
        context.selection.select_apis([before + 1])
        qtbot.waitUntil(lambda: window.is_idle, timeout=20_000)
        assert markup_shown(window) == []
    window.show_layout("curate")
    qtbot.waitUntil(lambda: any("<img" in each.text() for each in window.findChildren(QLabel)))
    importing = ImportDialog(context, window, paths=[path])
    importing.open()
    qtbot.waitUntil(importing.start_button.isEnabled, timeout=20_000)
    shown: list[QWidget | None] = [importing]
    shown += [dialogs.get("console").make(context, window, rowid=before + 1)]
    shown += [dialogs.get(name).make(context, window) for name in ("exclude", "move", "providers")]
    for dialog in shown:
        assert dialog is not None
        dialog.show()
        qtbot.waitUntil(lambda: context.tasks.is_idle, timeout=20_000)
        assert markup_shown(dialog) == []
    index = importing.tabs._apis.index(0, 0)
    assert "<img" not in index.data(Qt.ItemDataRole.ToolTipRole)
