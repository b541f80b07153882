"""Strategies x misbehaving models x faults of the debugger: whatever happens, a run ends within its
caps and with a class, leaves nothing behind, sends nothing that a real endpoint would refuse, and
replays.

A sample with a fixed seed, in which every strategy, misbehaviour and fault occurs; 2,400 of the
combinations with TOOLPLANNER_BENCH=1.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from fixtures.misbehaving import MISBEHAVIOURS, StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS, replay_spoken

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.llm.openai_model import OpenAiModel, OpenAiOptions
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

ANYTOOL = {
    "max_questions": 3, "max_rounds": 2, "max_agents": 3, "solver_questions": 4, "solver_calls": 3,
}  # fmt: skip
CAPPED: dict[str, tuple[str, dict[str, Any], int]] = {
    # By steps x APIs of a toolkit x (arguments, analysis, choice), plans, searches, the answer.
    "tool-planner": ("tool-planner", {"max_replans": 1, "max_steps": 2}, 2 * 2 * 2 * 3 + 6),
    "one by one": ("tool-planner", {"max_replans": 1, "toolkits": False, "parallel": False}, 60),
    "react": ("react", {"max_steps": 4}, 4),
    "react on toolkits": ("react", {"max_steps": 3, "toolkits": True}, 3 + 3 * 2 * 3),
    "reflexion": ("reflexion", {"max_trials": 2, "max_steps": 3}, 2 * 4 + 1),
    "adaplanner": ("adaplanner", {"max_tries": 3, "resume_tries": 1, "max_steps": 3}, 3 + 9 + 1),
    "adaplanner on toolkits": (
        "adaplanner",
        {"max_tries": 2, "max_steps": 2, "toolkits": True},
        2 + 4 * (2 * 3 + 1) + 1,
    ),
    "adaplanner in code": ("adaplanner", {"plans": "code", "max_tries": 3, "resume_tries": 1}, 3),
    "dfsdt": ("dfsdt", {"max_questions": 8, "depth": 4}, 8),
    "dfsdt ranked": ("dfsdt", {"max_questions": 8, "depth": 3, "rank": True}, 8),
    # Programs, and who is to blame for all but the last; four APIs, twice, then with helpers.
    "atc": ("atc", {"revisions": 2}, 3 + 2),
    "probe": ("probe", {"tries": 2, "rounds": 1}, 4 * 2 + 4 * 3),
    "toolchain-star": ("toolchain-star", {"samples": 2, "max_expansions": 4}, 2 * 5),
    # Agents x rounds x questions, each perhaps with a look at the pool; solutions with a judge.
    "anytool": ("anytool", ANYTOOL, 4 * 2 * 3 * 2 + 2 * (4 + 1)),
    "anytool straight on": ("anytool", ANYTOOL | {"solver": "react"}, 4 * 2 * 3 * 2 + 2 * (4 + 1)),
    # A thought and an act each step, the scores; trials with a judge and what was learned.
    "toolnet": ("toolnet", {"max_steps": 3}, 3 * 2 + 1),
    "toolnet in trials": (
        "toolnet",
        {"max_steps": 2, "start": 1, "reflexion": True},
        3 * (2 * 2 + 2) + 1,
    ),
    # Sub-tasks, arguments for each try, the answer.
    "tptu": ("tptu", {"max_subtasks": 2, "tries": 2}, 1 + 2 * 2 + 1),
    # Reasoning and the answer; questions of the acting; the choice before them; levels of two
    # states, each with thoughts and their rating.
    "chain-of-thought": ("chain-of-thought", {"most_calls": 2}, 2),
    "plain agent": ("plain-agent", {"max_questions": 4}, 4),
    "rag": ("rag", {"max_questions": 4}, 1 + 4),
    "codeact": ("codeact", {"max_turns": 3}, 3),
    "tot": ("tot", {"thoughts": 2, "depth": 2}, 2 * (2 * 2 + 2 * 2)),
    "tptu unplanned": ("tptu", {"planner": False, "retriever": False, "max_turns": 4}, 4),
}
"""Strategies with small caps: id, options, questions at most (repairs and tries not counted)."""
FAULTS = ("", *FaultKind)
SHARES = (0.3, 1.0)
MOST = 2400 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 72

OF_ENDPOINT = {
    "401", "404", "408", "409", "429", "429 later", "500", "529", "stalls", "resets",
}  # fmt: skip
"""Misbehaviours that are the endpoint's, not the model's: they say nothing about a strategy."""
REFUTED = (Status.UNSOLVED, Status.CONTRADICTED, Status.NOT_MEASURED)
"""A judge of the strategy may like what no reply shows."""


@dataclass(frozen=True)
class Trial:
    """One combination."""

    strategy: str
    wrong: str
    fault: str
    share: float
    stream: bool
    seed: int
    room: int | None

    def __str__(self) -> str:
        often = "always" if self.share == 1 else "now and then"
        parts = [self.strategy, self.wrong, often, self.fault or "no fault"]
        parts += ["streamed"] if self.stream else []
        return ", ".join([*parts, "little room"] if self.room else parts)


def deck(random: Random, items: Iterable[Any]) -> Iterator[Any]:
    """Shuffles again and again, so that each comes as often as the others."""
    cards = list(items)
    while True:
        random.shuffle(cards)
        yield from cards


def sampled(most: int) -> list[Trial]:
    """Combinations by chance with a fixed seed."""
    random = Random(2310)
    decks = [deck(random, items) for items in (CAPPED, MISBEHAVIOURS, FAULTS)]
    chosen: list[Trial] = []
    for seed in range(most):
        strategy, wrong, fault = (next(each) for each in decks)
        share, stream = random.choice(SHARES), random.random() < 0.3
        room = 300 if random.random() < 0.25 else None
        chosen.append(Trial(strategy, wrong, fault, share, stream, seed, room))
    return chosen


TRIALS = sampled(MOST)


async def _go(workspace: Workspace, trial: Trial, url: str, clock: StallingClock) -> RunSummary:
    from openai import AsyncOpenAI

    clock.loop = asyncio.get_running_loop()
    strategy, options, _ = CAPPED[trial.strategy]
    client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
    model = OpenAiModel(
        "scripted",
        client=client,
        settings=EndpointSettings(stream=trial.stream),
        options=OpenAiOptions(prompt_tokens=trial.room),
    )
    parts = make_parts(
        KITS, model, ScriptedProvider(), strategy=strategies.get(strategy), **options
    )
    faults = (f"{trial.fault}:all,p=0.5,seed={trial.seed}",) if trial.fault else ()
    limits = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)
    spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy, faults=faults, limits=limits)
    done = await run(workspace, spec, parts=parts, clock=clock)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, left
    return done


@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_run_when_the_model_misbehaves_then_ends_within_its_caps_with_a_class_and_replays(
    workspace: Workspace, trial: Trial
) -> None:
    clock = StallingClock()
    line = misbehaving(trial.wrong, share=trial.share, seed=trial.seed, clock=clock)
    with scripted_endpoint(Answers(line)) as endpoint:
        done = asyncio.run(_go(workspace, trial, endpoint.url, clock))
        assert not endpoint.refused
    assert done.status in (*NOT_REFUTED, *REFUTED), done.reason
    assert done.status in NOT_REFUTED or done.reason
    assert done.status is not Status.NOT_MEASURED or trial.wrong in OF_ENDPOINT
    is_gone = trial.wrong in OF_ENDPOINT and trial.share == 1
    assert done.status is not Status.UNSOLVED or not is_gone
    tree = load_tree(workspace, done.run)
    is_shown = tree.root is not None and tree.root.data.get("evidence")
    assert is_shown or done.status in REFUTED, "whatever a model claims"
    shown = tree.root.data.get("evidence", []) if tree.root is not None else []
    assert all(tree.nodes[row["call"]].data["origin"] != INJECTED for row in shown)
    for node in tree.nodes.values():
        assert node.state not in (NodeState.RUNNING, NodeState.PAUSED, NodeState.IN_DOUBT)
        if node.state is NodeState.FAILED and node.is_leaf:
            assert node.error in set(ErrorClass), node
    events = [record.event for record in read_run(workspace, done.run)]
    asked = [e for e in events if isinstance(e, ModelAsked) and not (e.repair or e.retry)]
    assert len(asked) <= CAPPED[trial.strategy][2]
    report = replay_spoken(workspace, done)
    assert report.identical, report.divergence


def test_sample_when_drawn_then_every_strategy_misbehaviour_and_fault_occurs() -> None:
    assert {trial.strategy for trial in TRIALS} == set(CAPPED)
    asking = {plugin.id for plugin in strategies} - {"health"}  # it asks no model
    assert {strategy for strategy, _, _ in CAPPED.values()} == asking
    assert {trial.wrong for trial in TRIALS} == set(MISBEHAVIOURS)
    assert {trial.fault for trial in TRIALS} == set(FAULTS)
    assert len(set(TRIALS)) == len(TRIALS)
