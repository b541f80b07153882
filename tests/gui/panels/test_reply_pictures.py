"""Pictures in the reply of a real MCP server: drawn in the inspector, or why not; kept for replays,
and in no prompt and no page."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.debug_desk import DebugDesk
from fixtures.hostile_pictures import GOOD, based
from fixtures.raw_mcp_desk import raw_mcp_desk
from fixtures.scripted_endpoint import Turn, scripted_endpoint
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.events.call import CallReturned
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.workspace.blobs import resolve
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.picture_view import PictureView

DRAW = Turn("", [("draw_for_raw", {})])
BEGIN_OF_PNG = "iVBORw0KGgo"
ANSWER = Turn("", [("give_answer", '{"final_answer": "Drawn."}')])


def drawn(
    context: AppContext, tmp_path: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[DebugDesk, str]:
    """A run whose one call brought pictures; what the model was sent."""
    desk, _server = raw_mcp_desk(context, tmp_path, qtbot, monkeypatch, "gallery")
    view = context.run_view
    with scripted_endpoint(DRAW, ANSWER) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        spec = RunSpec(query="Draw", strategy="react", model="openai:scripted", provider="mcp")
        view.start(spec)
        desk.until_over()
    return desk, json.dumps(endpoint.requests)


def test_reply_when_it_holds_pictures_then_drawn_or_said_why_not(
    context: AppContext, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _ = drawn(context, tmp_path, qtbot, monkeypatch)
    (call,) = desk.calls()
    report = desk.report_of(call.path)
    titles = [section.title for section in report.result]
    assert "Picture 1 of 6" in titles
    assert "Picture 6 of 6 · chart://1" in titles
    memo = next(s for s in report.result if s.title == "Resource memo://1 · application/json")
    assert memo.text == '{\n  "city": "Bern"\n}'
    desk.inspector.node.go_to("Result")
    shown = desk.inspector.node.result
    views = shown.findChildren(PictureView)
    qtbot.waitUntil(lambda: context.tasks.is_idle)
    words = [each.problem.text() for each in views if each.image.isNull()]
    assert words == [
        "Not drawn: 50,000 × 50,000 pixels are too many.",
        "Broken: it cannot be read to its end.",
        "Not drawn: it is no PNG, JPEG, GIF or WebP, whatever it is called.",
    ]
    assert "image/svg+xml" in shown.text
    assert "Pictures of this kind are not drawn" in shown.text
    first = views[0]
    assert first.image == QImage.fromData(GOOD)
    assert first.drawn.width() <= shown.viewport().width()
    qtbot.mouseClick(first.drawn, Qt.MouseButton.LeftButton)
    (larger,) = [each for each in first.window().findChildren(QDialog) if each.isVisible()]
    qtbot.keyClick(larger, Qt.Key.Key_Escape)


def test_reply_when_it_holds_pictures_then_kept_and_in_no_prompt_and_no_page(
    context: AppContext, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, prompts = drawn(context, tmp_path, qtbot, monkeypatch)
    workspace, run = context.run_view.workspace, context.run_view.run
    assert workspace is not None
    assert run is not None
    (came,) = [r.event for r in read_run(workspace, run) if isinstance(r.event, CallReturned)]
    assert resolve(workspace, came.pictures[0]["data"]) == based(GOOD)
    assert came.pictures[4]["data"] == ""
    assert "chart://1" in prompts
    assert BEGIN_OF_PNG not in prompts
    page = export_html(workspace, run)
    assert "image/png" in page
    assert BEGIN_OF_PNG not in page
    assert replay(workspace, run).identical
