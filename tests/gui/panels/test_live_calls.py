"""A call at a real MCP server, started from the window: how far it is stands in its row while it
goes on, and stopping the run tells the server."""

from pathlib import Path

import pytest
from fixtures.raw_mcp_desk import raw_mcp_desk
from fixtures.scripted_endpoint import Turn, scripted_endpoint

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug.run_tree_model import RunColumn
from toolplanner_gui.windows.debug_toolbar import DebugToolbar


def test_call_when_its_server_tells_how_far_it_is_then_seen_live_and_a_stop_reaches_the_server(
    context: AppContext, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, server = raw_mcp_desk(context, tmp_path, qtbot, monkeypatch, "halts")
    bar, view = DebugToolbar(context), context.run_view
    qtbot.addWidget(bar)
    with scripted_endpoint(Turn("", [("steps_for_raw", {})])) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        view.start(
            RunSpec(query="Steps", strategy="react", model="openai:scripted", provider="mcp")
        )
        qtbot.waitUntil(lambda: any(each.progress for each in view.words.replies.values()))
        qtbot.waitUntil(lambda: bool(desk.calls()))
        (call,) = desk.calls()
        row = desk.tree.model.index_of(call.path).siblingAtColumn(RunColumn.STATE)
        assert row.data() == "1 of 2: s1"
        assert "so far 1 of 2: s1" in bar.text
        desk.report_of(call.path)
        assert "so far 1 of 2: s1" in desk.inspector.node._facts.text()
        view.stop()
        desk.until_over()
    qtbot.waitUntil(lambda: bool(server.heard("notifications/cancelled")))
    # Its server does not say that it only reads: nobody knows whether it was done.
    assert row.data().startswith("in doubt · cancelled: ")
    assert not view.words.replies
