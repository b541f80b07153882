"""A workspace that cannot be read or written is told as that, not as a model's or API's failure."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts, ok

from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.errors import WorkspaceError
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import mark_interrupted, run
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.events.run import RunInterrupted
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs, load_tree, read_run
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.attempts import open_attempt
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import rows_with_status

KITS = {"One": [make_api("one_1")], "Two": [make_api("two_1")]}
PLAN = [("first", 1, []), ("then", 2, [1])]
SPEC = RunSpec(query="q")
LONG = "x" * 200_000


def solved_with(
    workspace: Workspace, *, model: ScriptedModel | None = None, **replies: Callable[[Any], Any]
) -> RunSummary:
    """A run whose model or provider does something at a place."""
    asked = model or ScriptedModel(plans=[list(PLAN)])
    provider = ScriptedProvider(replies={**replies})
    return asyncio.run(run(workspace, SPEC, parts=make_parts(KITS, asked, provider)))


def fill_disk(workspace: Workspace, *, is_full: bool = True) -> None:
    """Let the file grow no more, as on a full disk."""
    pages = 1 if is_full else 2**30
    workspace.writer.look(lambda db: db.execute(f"PRAGMA max_page_count={pages}").fetchone())


def read_nowhere(workspace: Workspace) -> Any:
    return workspace.one_row("SELECT 1 FROM nowhere")


@pytest.mark.parametrize("where", ["model", "provider"])
def test_run_when_model_or_provider_cannot_read_the_workspace_then_neither_is_blamed(
    workspace: Workspace, where: str
) -> None:
    def read(_: Any) -> Any:
        return read_nowhere(workspace)

    if where == "model":
        model = ScriptedModel(plans=[list(PLAN)], answers={"fill_arguments": [read]})
        summary = solved_with(workspace, model=model)
    else:
        summary = solved_with(workspace, one_1=read)

    assert summary.status is Status.ERROR
    assert summary.reason.startswith("The workspace could not be read: ")
    assert "nowhere" in summary.reason
    assert get_summary(workspace, summary.run).reason == summary.reason
    tree = load_tree(workspace, summary.run)
    failed = [node for node in tree.nodes.values() if node.error == ErrorClass.WORKSPACE_FAULT]
    assert failed
    assert all(node.state is NodeState.FAILED for node in failed)
    events = [record.event for record in read_run(workspace, summary.run)]
    assert not any(isinstance(event, ModelFailed) for event in events)
    assert EXPLANATIONS[ErrorClass.WORKSPACE_FAULT]


def test_run_when_a_look_up_cannot_read_the_workspace_then_the_strategy_is_not_said_to_be_broken(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
        async with open_attempt(scope, 1, KITS["One"][0]):
            read_nowhere(workspace)
        raise AssertionError("not reached")

    strategy = StrategyPlugin(
        id="reading", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    parts = make_parts(KITS, ScriptedModel(), ScriptedProvider(), strategy=strategy)
    summary = asyncio.run(run(workspace, SPEC, parts=parts))

    assert summary.status is Status.ERROR
    assert summary.reason.startswith("The workspace could not be read: ")
    attempt = load_tree(workspace, summary.run).nodes[NodePath("attempt.1")]
    assert (attempt.state, attempt.error) == (NodeState.FAILED, ErrorClass.WORKSPACE_FAULT)
    assert "strategy broke" not in attempt.reason + caplog.text


def test_run_when_a_provider_has_a_broken_database_of_its_own_then_it_is_the_provider_that_broke(
    workspace: Workspace,
) -> None:
    def read(_: Any) -> Any:
        with closing(sqlite3.connect(":memory:")) as db:
            return db.execute("SELECT 1 FROM nowhere")

    summary = solved_with(workspace, one_1=read)

    errors = {node.error for node in load_tree(workspace, summary.run).nodes.values()}
    assert ErrorClass.SERVER_ERROR in errors
    assert ErrorClass.WORKSPACE_FAULT not in errors


def test_run_when_the_disk_was_full_for_a_while_then_ends_where_its_log_breaks_off(
    workspace: Workspace,
) -> None:
    def fill(_: Any) -> Any:
        fill_disk(workspace)
        return ok({"long": [f"{place}{LONG}" for place in range(20)]})

    def free(_: Any) -> Any:
        raise AssertionError("nothing is sent that is not on disk")

    async def solve() -> RunSummary:
        asked = ScriptedModel(plans=[list(PLAN)])
        parts = make_parts(KITS, asked, ScriptedProvider(replies={"one_1": fill, "two_1": free}))
        return await run(workspace, SPEC, parts=parts, listener=_freeing(workspace))

    summary = asyncio.run(solve())

    assert summary.status is Status.INTERRUPTED
    assert summary.reason.startswith("The workspace could not be written: ")
    assert "disk is full" in summary.reason
    assert "1 call may have happened" in summary.reason
    last = read_run(workspace, summary.run)[-1].event
    assert isinstance(last, RunInterrupted)
    assert [one.status for one in list_runs(workspace)] == [Status.INTERRUPTED]


def _freeing(workspace: Workspace) -> Callable[[list[Any]], None]:
    """A listener that frees the disk once the run has given up."""

    def hear(records: list[Any]) -> None:
        if any(record.type == "run.finished" for record in records):
            fill_disk(workspace, is_full=False)

    return hear


def test_run_when_another_program_holds_the_workspace_to_the_end_then_the_error_comes_out(
    workspace: Workspace,
) -> None:
    workspace.writer.look(lambda db: db.execute("PRAGMA busy_timeout=0").fetchone())
    other = sqlite3.connect(workspace.path, isolation_level=None, check_same_thread=False)

    def hold(_: Any) -> Any:
        other.execute("BEGIN IMMEDIATE")
        return ok({"done": True})

    with pytest.raises(WorkspaceError, match="Another program is writing"):
        solved_with(workspace, one_1=hold)
    other.close()

    assert rows_with_status(workspace, Status.RUNNING)
    path: Path = workspace.path
    assert mark_interrupted(workspace) == [], "this process is alive, the run is not another's"
    assert path.is_file()
