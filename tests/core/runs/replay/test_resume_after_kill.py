"""After `kill -9`: nothing acknowledged is lost, nothing is done twice, the run goes on."""

import asyncio
import contextlib
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from fixtures.killed_world import KITS, STEPS, parts
from fixtures.processes import python
from fixtures.scripted_run import api_finder

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallReturned, CallSent
from toolplanner_core.runs.events.run import RunInterrupted
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree, read_run
from toolplanner_core.runs.replay.fork import go_on
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.workspace import Workspace

BENCH = os.environ.get("TOOLPLANNER_BENCH") == "1"
KILLS = 200 if BENCH else 4
TOO_LATE = "ended or not begun"


def kill_at(folder: Path, n_effects: int, then_s: float) -> tuple[Path, Path]:
    """Run the world in a process of its own and kill it so long after so many effects."""
    path, effects = folder / "w.toolplanner", folder / "effects.txt"
    Workspace.create(path).close()
    effects.touch()
    with python("-m", "fixtures.killed_world", path, effects) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for _ in range(n_effects):
            process.stdout.readline()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(then_s)
    return path, effects


def check(path: Path, effects: Path) -> str:
    """Go on after the kill and hold the promises; returns what was found."""
    with Workspace.open(path) as workspace:
        if not mark_interrupted(workspace):
            return TOO_LATE
        run_id = next(iter(workspace.reader().query("SELECT max(id) AS id FROM runs")))["id"]
        records = read_run(workspace, run_id)
        assert [r.seq for r in records] == list(range(1, len(records) + 1))
        sent = {r.event.title.rpartition(" ")[2] for r in records if isinstance(r.event, CallSent)}
        happened = Counter(effects.read_text().split())
        assert happened.keys() <= sent, "intent before effect"
        end = records[-1].event
        assert isinstance(end, RunInterrupted)
        returned = {r.path for r in records if isinstance(r.event, CallReturned)}
        open_calls = {r.seq: r for r in records if isinstance(r.event, CallSent)}
        unfinished = {seq for seq, r in open_calls.items() if r.path not in returned}
        assert set(end.in_doubt) == unfinished
        child = asyncio.run(
            run(workspace, go_on(workspace, run_id), parts=parts(effects, pause_s=0))
        )
        counts = Counter(effects.read_text().split())
        writes = {members[0].name for members in KITS.values() if members[0].risk == "write"}
        assert all(counts[name] <= 1 for name in writes), "no change is made twice"
        tree = load_tree(workspace, child.run)
        in_doubt = {n.path for n in tree.nodes.values() if n.state is NodeState.IN_DOUBT}
        expected = {
            r.path
            for seq, r in open_calls.items()
            if seq in unfinished and isinstance(r.event, CallSent) and r.event.risk == "write"
        }
        assert in_doubt == expected, "every call in doubt is shown"
        if len(records) == 1:
            assert child.status is Status.ANSWERED, child
            return "began again"
        if not in_doubt:
            assert child.status is Status.ANSWERED, child
            assert len(counts) == STEPS
        assert get_summary(workspace, run_id).status is Status.INTERRUPTED
        assert replay(workspace, child.run, api_of=api_finder(KITS)).divergence is None
        assert replay(workspace, run_id, api_of=api_finder(KITS)).divergence is None
        return "in doubt" if in_doubt else "went on"


@pytest.mark.slow
def test_kill_when_at_random_moments_then_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    chance = random.Random(9)
    found: Counter[str] = Counter()
    hits = 0
    for number in range(4 * KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        moment = chance.randrange(STEPS), chance.uniform(0.0, 0.02)
        outcome = check(*kill_at(folder, *moment))
        found[outcome] += 1
        hits += outcome != TOO_LATE
        if hits == KILLS:
            break
    print(f"kills: {dict(found)}")
    assert hits == KILLS


def test_go_on_when_the_run_was_not_interrupted_then_says_so(
    workspace: Workspace, tmp_path: Path
) -> None:
    effects = tmp_path / "effects"
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts(effects, pause_s=0)))
    with pytest.raises(BadInput, match="not interrupted"):
        go_on(workspace, done.run)
