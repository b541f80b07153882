"""What concurrent branches share, and which of them is first: replays agree whatever happened."""

import asyncio
import random
from typing import Any

import pytest
from fixtures.own_strategy import KITS, Talker, again, do, own_parts

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.shared import BoardRead
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.interface.scope import BranchStopped, RunScope
from toolplanner_core.workspace import Workspace

AGENT = NodeKind(id="agent", word="agent")
AGENTS, ROOM = 16, 9
API = KITS["One"][0]


def agents(order: random.Random | None) -> Any:
    """Sixteen agents that fill a pool with little room, and stop when somebody says so.

    Args:
        order: of their waits; None = whatever a replay makes of it.
    """

    async def work(run: RunScope) -> str:
        async def agent(number: int) -> str:
            async with run.node(AGENT, number, f"Agent {number}"):
                for turn in range(3):
                    if order is not None:
                        for _ in range(order.randrange(4)):
                            await asyncio.sleep(0)
                    if run.board.get("solvable", False):
                        return f"{number} stopped at {turn}"
                    took = run.board.add("pool", (number * 7 + turn) % 12, room=ROOM)
                    held = len(run.board.items("pool"))
                    if not took and held == ROOM:
                        run.board.set("solvable", True)
                    if turn == 1 and number % 5 == 0:
                        await run.call(API, {"q": f"{number} {held}"})
                return f"{number} done"

        ends = await run.gather(*[lambda n=n: agent(n) for n in range(1, AGENTS + 1)])
        return f"{ends} {run.board.items('pool')}"

    return work


@pytest.mark.parametrize("seed", range(20))
def test_board_when_sixteen_agents_interleave_then_every_replay_agrees(
    workspace: Workspace, seed: int
) -> None:
    done = do(workspace, agents(random.Random(seed)))
    for other in range(10):
        report = again(workspace, done, agents(random.Random(seed * 100 + other)))
        assert report.identical, report.divergence


def test_board_when_forked_in_the_middle_then_the_prefix_is_what_was_seen(
    workspace: Workspace,
) -> None:
    done = do(workspace, agents(random.Random(1)))
    records = read_run(workspace, done.run)
    reads = [r for r in records if isinstance(r.event, BoardRead)]
    for at in (reads[5].seq, reads[len(reads) // 2].seq, reads[-2].seq):
        spec = fork(workspace, done.run, at)
        child = asyncio.run(run(workspace, spec, parts=own_parts(agents(random.Random(7)))))
        assert child.status == "answered", child.reason
        taken_over = [(r.seq, r.path, r.event) for r in read_run(workspace, child.run)[:at]]
        assert taken_over == [(r.seq, r.path, r.event) for r in records[:at]]
        assert again(workspace, child, agents(random.Random(8))).identical


def racers(delays: list[float] | None) -> Any:
    async def work(run: RunScope) -> str:
        async def racer(number: int) -> str:
            async with run.node(AGENT, number, f"Racer {number}"):
                talk = run.dialogue(f"racer {number}")
                talk.say(f"{number}")
                turn = await talk.reply()
                if turn.text == "lost":
                    raise ValueError(turn.text)
                return turn.text

        branches = [lambda n=n: racer(n) for n in range(1, 5)]
        ends = await run.gather(*branches, until="first")
        return ", ".join(type(e).__name__ if isinstance(e, Exception) else e for e in ends)

    return work


def test_first_when_one_succeeds_then_its_siblings_are_stopped_and_a_replay_agrees(
    workspace: Workspace,
) -> None:
    def delay(request: Any) -> float:
        return {"1": 5.0, "2": 0.0, "3": 0.02, "4": 5.0}[request.messages[-1].content]

    def turn(request: Any) -> str:
        return "lost" if request.messages[-1].content == "2" else "won"

    work = racers(None)
    done = do(workspace, work, Talker(turns=[turn] * 4, delay_s=delay))
    assert done.answer == "BranchStopped, ValueError, won, BranchStopped"
    tree = load_tree(workspace, done.run)
    states = [tree.nodes[NodePath(f"agent.{n}")].state for n in range(1, 5)]
    assert states == [
        NodeState.CANCELLED, NodeState.FAILED, NodeState.OK, NodeState.CANCELLED,
    ]  # fmt: skip
    report = again(workspace, done, work)
    assert report.identical, report.divergence
    assert report.answer == done.answer


def test_first_when_none_succeeds_then_all_outcomes_come_back(workspace: Workspace) -> None:
    work = racers(None)
    done = do(workspace, work, Talker(turns=["lost"] * 4))
    assert done.answer == "ValueError, ValueError, ValueError, ValueError"
    assert again(workspace, done, work).identical


def test_first_when_forked_among_the_branches_then_goes_on_live(workspace: Workspace) -> None:
    def delay(request: Any) -> float:
        return 0.0 if request.messages[-1].content == "3" else 5.0

    work = racers(None)
    done = do(workspace, work, Talker(turns=["won"] * 4, delay_s=delay))
    spec = fork(workspace, done.run, NodePath("agent.3/turn.1"))
    other = Talker(turns=["won"] * 4)
    child = asyncio.run(run(workspace, spec, parts=own_parts(work, other)))
    assert child.status == "answered", child.reason
    assert again(workspace, child, work).identical


def test_first_when_the_winner_is_one_that_the_strategy_accepts_then_others_go_on(
    workspace: Workspace,
) -> None:
    async def work(run: RunScope) -> str:
        async def one(number: int) -> int:
            async with run.node(AGENT, number, "x"):
                await run.call(API, {"q": str(number)})
                return number

        ends = await run.gather(
            *[lambda n=n: one(n) for n in (1, 2, 3)], until="first", is_success=lambda n: n == 3
        )
        return str([e if isinstance(e, int) else BranchStopped.__name__ for e in ends])

    done = do(workspace, work)
    assert done.answer.endswith("3]")
    assert again(workspace, done, work).identical
