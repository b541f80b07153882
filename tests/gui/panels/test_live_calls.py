"""A call at a real MCP server, started from the window: how far it is stands in its row while it
goes on, and stopping the run tells the server."""

from pathlib import Path

import pytest
from fixtures.debug_desk import DebugDesk
from fixtures.mcp_world import RawServer, write_config
from fixtures.scripted_endpoint import Turn, scripted_endpoint

from toolplanner_core.approvals import give
from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope, value_of
from toolplanner_core.mcp_servers.spec import METHOD
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_of_method
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug.run_tree_model import RunColumn
from toolplanner_gui.windows.step_bar import StepBar


def test_call_when_its_server_tells_how_far_it_is_then_seen_live_and_a_stop_reaches_the_server(
    context: AppContext, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    server, file = RawServer(tmp_path, "halts"), tmp_path / "w.toolplanner"
    with Workspace.create(file) as workspace:
        import_source(workspace, write_config(tmp_path, raw=server.entry))
        steps = apis_of_method(workspace, METHOD)[0]
    scope = ApprovalScope.TOOL
    give(
        Approval(
            allows=True, scope=scope, value=value_of(scope, steps), title=steps.tool,
            up_to=Risk.DESTRUCTIVE, given="2026-11-22",
        )
    )  # fmt: skip
    context.tasks.spawn(context.open_workspace(file), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 8)
    desk, bar, view = DebugDesk(context, qtbot), StepBar(context), context.run_view
    qtbot.addWidget(bar)
    with scripted_endpoint(Turn("", [("steps_for_raw", {})])) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        view.start(
            RunSpec(query="Steps", strategy="react", model="openai:scripted", provider="mcp")
        )
        qtbot.waitUntil(lambda: any(each.progress for each in view.words.said.values()))
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
    assert not view.words.said
