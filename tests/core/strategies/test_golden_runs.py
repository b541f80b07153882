"""Golden runs of all strategies over the same task: what is asked and called, in order, beside what
each algorithm prescribes.

"The tariff of the keeper of Kandrel": the first API for keepers is down, both of the toolkit for
tariffs, and only the archive tells it; in the runs that are to fail in the end, that one neither.
Real client, endpoint, gate and log; the model makes no mistakes. More cases stand in the tests of
each strategy, the examples of Tool-Planner's paper in test_tool_planner_golden.py.
"""

from collections.abc import Iterator
from itertools import groupby

import pytest
from fixtures.simulated_world import Chain, SimulatedTask, SimulatedWorld
from fixtures.simulation import Variant, simulation

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.events.call import CallFailed, CallSent
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

# One category: agents that search at the same time end when one of them has found enough.
WORLD = SimulatedWorld(2, apis=2, second=1, categories=1)
TASK = SimulatedTask(1, (Chain("Kandrel", ("keeper", "tariff")),))
KITS = WORLD.kits
SOME = frozenset(api.id for api in (KITS["Keeper desk"][0], *KITS["Tariff desk"]))
ALL = SOME | {api.id for api in KITS["Tariff archive"]}
AT_THE_SAME_TIME = ("search", "check_solvable")

GIVES_UP = ("tptu", "chain-of-thought")
"""They make no other plan."""

Row = tuple[str, str]
"""What the algorithm prescribes, and what is asked or called for it."""

TRY_KEEPERS: list[Row] = [
    ("the first API of the toolkit", "fill_arguments, Atlas Keeper fails"),
    (
        "fall back inside the toolkit: choose, fill, call",
        "choose_api, fill_arguments, Beacon Keeper",
    ),
    ("analyse what came back", "analyse"),
]
FAIL_AND_TRY: list[Row] = [
    ("act and observe", "act, Beacon Keeper"),
    ("a failure is an observation; think again", "act, Atlas Tariff fails"),
    ("and again", "act, Beacon Tariff fails"),
]
THINK = "propose_step, propose_step, rate_thought"
GOLDEN: list[tuple[Variant, frozenset[ApiId], list[Row]]] = [
    (
        Variant("algorithm 1: fallback inside a toolkit, replan across them", "tool-planner"),
        SOME,
        [
            ("plan over toolkits", "make_plan"),
            *TRY_KEEPERS,
            ("step 2", "fill_arguments, Atlas Tariff fails"),
            ("fall back", "choose_api, fill_arguments, Beacon Tariff fails"),
            ("the toolkit is exhausted: revise the plan, keep what is done", "replan"),
            ("step 2 by another toolkit", "fill_arguments, Compass Tariff, analyse"),
            ("compose the answer", "final_answer"),
        ],
    ),
    (
        Variant("thought, action, observation", "react"),
        SOME,
        [*FAIL_AND_TRY, ("and again, until it answers", "act, Compass Tariff, act")],
    ),
    (
        Variant("trial, evaluation, reflection", "reflexion", {"max_trials": 2}),
        ALL,
        [
            *FAIL_AND_TRY,
            ("nothing is left: the trial fails without a judge", "act, Compass Tariff fails, act"),
            ("reflect on the trial", "reflect"),
            ("another trial from the beginning", "act, Beacon Keeper"),
            ("with what was learned", "act, Atlas Tariff fails, act, Beacon Tariff fails"),
            ("the last trial is not reflected on", "act, Compass Tariff fails, act"),
        ],
    ),
    (
        Variant("whole plan; in-plan and out-of-plan refinement", "adaplanner"),
        SOME,
        [
            ("plan all calls with their checks", "make_checked_plan"),
            ("in-plan: the check takes the value", "Beacon Keeper, check_result"),
            ("step 2 fails: out-of-plan, resumed there", "Atlas Tariff fails, revise_checked_plan"),
            ("once more; step 1 is not done again", "Beacon Tariff fails, revise_checked_plan"),
            ("step 2 passes", "Compass Tariff, check_result"),
            ("compose the answer", "final_answer"),
        ],
    ),
    (
        Variant("depth first; back to the grandparent", "dfsdt", {"max_questions": 9}),
        ALL,
        [
            *FAIL_AND_TRY,
            ("down to the end", "act, Compass Tariff fails"),
            ("gives this branch up", "act"),
            ("the sibling, told what was tried, gives up, too", "act"),
            ("one place higher: another action than before", "act, Compass Tariff fails"),
            ("down from there", "act, Beacon Tariff fails"),
            ("until the questions are used up", "act"),
        ],
    ),
    (
        Variant(
            "A*: k samples at each place, the cheapest first", "toolchain-star", {"samples": 2}
        ),
        SOME,
        [
            ("k samples from the start", "propose_step, propose_step"),
            ("call the cheapest, expand it", "Beacon Keeper, propose_step, propose_step"),
            ("a failure costs, and is expanded", "Atlas Tariff fails, propose_step, propose_step"),
            ("the cheapest of the frontier", "Beacon Tariff fails, propose_step, propose_step"),
            ("until an answer is cheapest", "Compass Tariff, propose_step, propose_step"),
        ],
    ),
    (
        Variant(
            "agents by level, solver, reflection",
            "anytool",
            {"max_rounds": 2, "solver": "react", "hierarchy": "categories"},
        ),
        ALL,
        [
            (
                "the meta-agent makes an agent of the category, that one an agent of its few tools;"
                " it fills the pool and asks whether it is enough",
                "check_solvable, search, search, search, search",
            ),
            ("the solver uses the pool", "act, Atlas Keeper fails, act, Beacon Keeper"),
            ("every API of it", "act, Atlas Tariff fails, act, Beacon Tariff fails"),
            ("and gives up", "act, Compass Tariff fails, act"),
            ("who has not finished is woken", "search"),
            ("the solver, without what was of no use", "act"),
        ],
    ),
    (
        Variant("thought before tools; successors by weight", "toolnet", {"start": 5}, graph=True),
        SOME,
        [
            ("a thought without tools, then the start's", "think, act, Beacon Keeper"),
            ("successors of the last API", "think, act, Atlas Tariff fails"),
            ("again", "think, act, Beacon Tariff fails"),
            ("none fits: looks for others", "think, act"),
            ("what was found is offered next", "think, act, Compass Tariff"),
            ("the answer is a successor, too", "think, act"),
            ("the evaluator scores what was used", "score_tools"),
        ],
    ),
    (
        Variant("retrieval, sub-tasks one by one", "tptu"),
        SOME,
        [
            ("sub-tasks with retrieved APIs", "decompose"),
            ("execute the first", "fill_arguments, Beacon Keeper"),
            ("the second", "fill_arguments, Atlas Tariff fails"),
            (
                "once more with the same API, then it is left open",
                "fill_arguments, Atlas Tariff fails",
            ),
            ("the answer says what is open", "final_answer"),
        ],
    ),
    (
        Variant("program, attribution, revision", "atc"),
        SOME,
        [
            ("one program for all", "write_program, Beacon Keeper, Atlas Tariff fails"),
            ("who is to blame", "blame_tool"),
            ("revise and run from the beginning", "revise_program, Beacon Keeper"),
            ("the next failure, the next blame", "Beacon Tariff fails, blame_tool"),
            ("revise again", "revise_program, Beacon Keeper, Compass Tariff"),
        ],
    ),
    (
        Variant("reasoning first, then all calls at once", "chain-of-thought"),
        SOME,
        [
            ("all calls in one answer", "reason_calls"),
            ("made as they stand: the tariff needs a reply that was not there", "Beacon Keeper"),
            ("the answer says what is open", "final_answer"),
        ],
    ),
    (
        Variant("the functions that are given, nothing else", "plain-agent"),
        SOME,
        [*FAIL_AND_TRY, ("and again, until it answers", "act, Compass Tariff, act")],
    ),
    (
        Variant("retrieve once, choose, then act", "rag"),
        SOME,
        [
            ("a model chooses among what was retrieved", "extract_apis"),
            *FAIL_AND_TRY,
            ("and again, until it answers", "act, Compass Tariff, act"),
        ],
    ),
    (
        Variant("code as action", "codeact"),
        SOME,
        [
            ("a piece of code", "act_by_code, Beacon Keeper"),
            ("an error is an observation", "act_by_code, Atlas Tariff fails"),
            ("and again", "act_by_code, Beacon Tariff fails"),
            ("until a turn is the answer", "act_by_code, Compass Tariff, act_by_code"),
        ],
    ),
    (
        Variant("breadth first over thoughts", "tot", {"thoughts": 2, "depth": 5}),
        SOME,
        [
            ("sample thoughts, rate each that differs", f"{THINK}, Beacon Keeper"),
            ("the next level", f"{THINK}, Atlas Tariff fails"),
            ("a failure is a state like others", f"{THINK}, Beacon Tariff fails"),
            ("again", f"{THINK}, Compass Tariff"),
            ("an answer is the best thought", THINK),
        ],
    ),
]


def seen(workspace: Workspace, done: RunSummary) -> Iterator[str]:
    """What a run asked and called, in the order of its log."""
    events = [record.event for record in read_run(workspace, done.run)]
    called = ""
    for event in events:
        if isinstance(event, CallFailed):
            yield f"{called} fails"
            called = ""
        elif called and isinstance(event, ModelAsked | CallSent):
            yield called
            called = ""
        if isinstance(event, ModelAsked):
            yield event.question
        elif isinstance(event, CallSent):
            called = event.title.partition(" · ")[0]
    if called:
        yield called


def ordered(rows: list[str]) -> list[str]:
    """The rows; what goes on at the same time in alphabetical order."""
    found: list[str] = []
    for together, group in groupby(rows, lambda row: row in AT_THE_SAME_TIME):
        same = list(group)
        found += sorted(same) if together else same
    return found


@pytest.mark.parametrize(
    ("variant", "broken", "table"), GOLDEN, ids=[v.strategy for v, _, _ in GOLDEN]
)
def test_strategy_when_run_on_the_task_then_asks_what_its_algorithm_prescribes(
    workspace: Workspace, variant: Variant, broken: frozenset[ApiId], table: list[Row]
) -> None:
    heard: list[RunSummary] = []
    with simulation(WORLD, slip=0.0) as made:
        (trial,) = made.run(workspace, variant, [TASK], broken=broken, hear=heard.append)
    prescribed = [step for _, steps in table for step in steps.split(", ")]
    assert ordered(list(seen(workspace, heard[0]))) == prescribed
    assert trial.claimed == trial.solved == (broken == SOME and variant.strategy not in GIVES_UP)


def test_golden_runs_when_counted_then_every_strategy_that_answers_has_one() -> None:
    names = [variant.strategy for variant, _, _ in GOLDEN]
    assert sorted(names) == sorted({plugin.id for plugin in strategies} - {"probe", "health"})
