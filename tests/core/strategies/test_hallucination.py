"""Hallucination is counted where a model names what was not offered, alike for every strategy.

A real endpoint on loopback that names functions, toolkits, APIs and tools that nobody offered, in
every reply that can name any; and one that never does.
"""

import asyncio
from typing import Any

import pytest
from fixtures.misbehaving import StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, make_api, make_parts
from fixtures.spoken_run import KITS, replay_spoken, speak_run

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.offered import in_calls
from toolplanner_core.prompts.programs import WriteProgram
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import error_figures, errors_of_run

OFFERING = {
    "make_plan", "replan", "fill_arguments", "choose_api", "make_checked_plan",
    "revise_checked_plan", "propose_step", "decompose", "write_program", "revise_program",
    "blame_tool", "score_tools", "reason_calls", "extract_apis", "act_by_code",
    "choose_of_group",
    "write_solution", "revise_solution",
}  # fmt: skip
"""Typed questions that offer something by name or number; the others can name nothing."""
ANYTOOL = {"max_questions": 2, "max_rounds": 1, "max_agents": 2, "solver_questions": 3}
TEN: dict[str, dict[str, Any]] = {
    "tool-planner": {"max_replans": 1, "max_steps": 2},
    "react": {"max_steps": 3},
    "reflexion": {"max_trials": 2, "max_steps": 2},
    "adaplanner": {"max_tries": 2, "resume_tries": 1, "max_steps": 2},
    "dfsdt": {"max_questions": 6, "depth": 3},
    "toolchain-star": {"samples": 2, "max_expansions": 2},
    "toolnet": {"max_steps": 2},
    "anytool": ANYTOOL,
    "tptu": {"max_subtasks": 2, "tries": 2},
    "atc": {"revisions": 1},
    "chain-of-thought": {"most_calls": 2},
    "plain-agent": {"max_questions": 3},
    "rag": {"max_questions": 2},
    "codeact": {"max_turns": 2},
    "tot": {"thoughts": 2, "depth": 2},
}


def go(workspace: Workspace, strategy: str, *, share: float) -> RunSummary:
    """A run with an endpoint that hallucinates in a share of its replies."""
    from openai import AsyncOpenAI

    line = misbehaving("hallucinates", share=share, seed=1, clock=StallingClock())
    with scripted_endpoint(Answers(line)) as endpoint:
        client = AsyncOpenAI(api_key="none", base_url=endpoint.url, max_retries=0)
        model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
        parts = make_parts(
            KITS, model, ScriptedProvider(), strategy=strategies.get(strategy), **TEN[strategy]
        )
        spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy)
        return asyncio.run(run(workspace, spec, parts=parts))


def replies(workspace: Workspace, summary: RunSummary) -> list[tuple[ModelAsked, ModelReplied]]:
    """Each reply with what it answers."""
    records = {record.seq: record for record in read_run(workspace, summary.run)}
    found: list[tuple[ModelAsked, ModelReplied]] = []
    for record in records.values():
        if isinstance(record.event, ModelReplied):
            asked = records[record.cause or 0].event
            assert isinstance(asked, ModelAsked)
            found.append((asked, record.event))
    return found


@pytest.mark.parametrize("strategy", TEN)
def test_errors_when_a_model_always_hallucinates_then_each_question_shows_it(
    workspace: Workspace, strategy: str
) -> None:
    done = go(workspace, strategy, share=1.0)
    offering = [
        replied for asked, replied in replies(workspace, done)
        if asked.tools or asked.question in OFFERING
    ]  # fmt: skip
    assert offering
    assert [reply for reply in offering if not reply.not_offered] == []
    counted = {figure.error: figure.n for figure in errors_of_run(workspace, done.run)}
    assert counted[ErrorClass.UNKNOWN_API] == len(offering)
    assert ErrorClass.DECISION_FAILURE not in counted
    every = {figure.error: (figure.n, figure.runs) for figure in error_figures(workspace)}
    assert every[ErrorClass.UNKNOWN_API] == (len(offering), (done.run,))
    assert replay_spoken(workspace, done).identical


@pytest.mark.parametrize("strategy", TEN)
def test_errors_when_a_model_keeps_to_what_is_offered_then_none_is_hallucinated(
    workspace: Workspace, strategy: str
) -> None:
    done = go(workspace, strategy, share=0.0)
    assert [reply for _, reply in replies(workspace, done) if reply.not_offered] == []
    assert ErrorClass.UNKNOWN_API not in {f.error for f in errors_of_run(workspace, done.run)}


def test_search_tree_when_a_branch_named_no_function_then_its_node_has_the_class(
    workspace: Workspace,
) -> None:
    done = go(workspace, "dfsdt", share=1.0)
    branches = [n for n in load_tree(workspace, done.run).nodes.values() if n.kind == "branch"]
    assert branches
    assert {node.error for node in branches} == {ErrorClass.UNKNOWN_API}


def test_plan_when_its_toolkit_is_mended_by_a_second_answer_then_the_first_is_counted(
    workspace: Workspace,
) -> None:
    def plan(toolkit: int, *needs: int) -> dict[str, Any]:
        step = {"number": 1, "goal": "warmth", "toolkit": toolkit, "needs": [*needs]}
        return {"search": [], "steps": [step], "unmet": []}

    script: list[Any] = [
        plan(99),
        plan(1, 7),  # this need is passed over in silence
        {"arguments": {"q": "Oslo"}},
        {"state": "7 degrees", "next": "next_step"},
        {"answer": "7 degrees", "solved": True, "reason": ""},
    ]
    done = speak_run(workspace, "tool-planner", script)
    named = [reply.not_offered for _, reply in replies(workspace, done.summary)]
    assert named == [["99"], ["step 7"], [], [], []]


def test_calls_when_an_argument_is_not_documented_then_it_was_not_offered() -> None:
    weather = make_api("meteo_now")
    offered = [Function("now", "", weather.parameters), Function("free", "", {"type": "object"})]
    calls = [
        FunctionCall("1", "now", '{"q": "Oslo", "where": "moon"}'),
        FunctionCall("2", "free", '{"anything": 1}'),
        FunctionCall("3", "later", "{}"),
    ]
    assert list(in_calls(calls, offered)) == ["now.where", "later"]


def test_program_when_it_calls_its_own_and_offered_functions_then_only_others_were_not() -> None:
    program = "import json\ndef shout(x): return str(x).upper()\nf = shout\n"
    program += "print(shout(now(q='Oslo')), f(1), later())"
    asked = WriteProgram(query="q", protocols=("def now(q: str) -> dict:\n    ...",))
    assert list(asked.not_offered({"program": program})) == ["later"]


def test_plan_when_a_number_is_written_as_a_text_then_it_was_offered() -> None:
    cards = (ToolkitCard(id=1, name="Weather", description="", score=1.0),)  # type: ignore[arg-type]
    asked = MakePlan(query="q", toolkits=cards)
    steps = [{"number": 1, "goal": "g", "toolkit": one, "needs": []} for one in ("1", 1.0, 1)]
    assert list(asked.not_offered({"steps": steps, "unmet": []})) == []
