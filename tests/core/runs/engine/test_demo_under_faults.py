"""The demo cases while calls fail in each of the twelve ways: honest ends, honest states.

Quick: a third of the cases for each kind. With TOOLPLANNER_BENCH=1: all.
"""

import asyncio
import dataclasses
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.scripted_run import QuickClock

from toolplanner_core.cases.case_runs import spec_of
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases

BENCH = os.environ.get("TOOLPLANNER_BENCH") == "1"
KINDS = list(FaultKind)
HONEST = {Status.SOLVED, Status.UNSOLVED, Status.OVER_BUDGET}
CLASSES = {
    FaultKind.TIMEOUT: "timeout",
    FaultKind.SLOW: None,
    FaultKind.UNAUTHORISED: "unauthorised",
    FaultKind.FORBIDDEN: "unauthorised",
    FaultKind.NOT_FOUND: "not_found",
    FaultKind.RATE_LIMITED: "rate_limited",
    FaultKind.SERVER_ERROR: "server_error",
    FaultKind.RESET: "network",
    FaultKind.MALFORMED: "bad_payload",
    FaultKind.WRONG_SCHEMA: "bad_payload",
    FaultKind.EMPTY: "empty_result",
    FaultKind.POISONED: None,
}
"""What a struck call fails with; None = it answers, late or with poisoned text."""


@pytest.fixture(scope="module")
def demo(
    demo_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, WorkspaceCatalogue]]:
    path = Path(shutil.copy(demo_file, tmp_path_factory.mktemp("faults") / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        yield workspace, catalogue
        catalogue.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_demo_cases_when_calls_fail_then_end_honestly_with_the_class_in_the_tree(
    demo: tuple[Workspace, WorkspaceCatalogue], kind: FaultKind
) -> None:
    workspace, catalogue = demo
    cases = list_cases(workspace)
    chosen = cases if BENCH else cases[KINDS.index(kind) % 3 :: 3]

    async def run_all() -> list[RunSummary]:
        return [
            await run(
                workspace,
                dataclasses.replace(
                    spec_of(case), faults=(f"{kind}:all,p=0.5,seed={number},after=0",)
                ),
                catalogue=catalogue,
                clock=QuickClock(),
            )
            for number, case in enumerate(chosen)
        ]

    ends: Counter[str] = Counter()
    struck = 0
    for done in asyncio.run(run_all()):
        assert done.status in HONEST, (done.query, done.reason)
        assert done.status is Status.SOLVED or done.reason, done.query
        ends[done.status] += 1
        tree = load_tree(workspace, done.run)
        open_nodes = [n for n in tree.nodes.values() if n.state in ("running", "paused")]
        assert open_nodes == []
        for record in read_run(workspace, done.run):
            if isinstance(record.event, FaultInjected):
                struck += 1
                node = tree.nodes[record.path]
                assert node.data["fault"] == kind
                if CLASSES[kind] is not None and node.data.get("tries", 1) == 1:
                    assert (node.state, node.error) == (NodeState.FAILED, CLASSES[kind])
                attempt = tree.causes.try_of(record.seq)
                if node.state is NodeState.FAILED and attempt is not None:
                    assert attempt.state is not NodeState.OK, "a failed call is not hidden"
    print(f"{kind}: {dict(ends)}, {struck} calls struck")
    assert struck > 0
