"""Tool-Planner inside a toolkit and between toolkits: who is tried next, what is exhausted, and
plans over single APIs. Real gate, log and SQLite; scripted model, provider and catalogue."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok

from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.plan import Status
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.toolkits.steps import named_by
from toolplanner_core.workspace import Workspace

A1, A2, A3 = make_api("alpha_1"), make_api("alpha_2"), make_api("alpha_3")
B1 = make_api("beta_1")
KITS = {"Alpha": [A1, A2, A3], "Beta": [B1]}


def go(
    workspace: Workspace,
    model: ScriptedModel,
    provider: ScriptedProvider,
    *,
    query: str = "do it",
    kits: Any = None,
    **options: Any,
) -> tuple[RunSummary, RunTree]:
    parts = make_parts(kits or KITS, model, provider, **options)
    summary = asyncio.run(run(workspace, RunSpec(query=query), parts=parts))
    return summary, load_tree(workspace, summary.run)


def called(provider: ScriptedProvider) -> list[str]:
    return [name for name, _ in provider.calls]


def asked(model: ScriptedModel, question: str) -> list[Any]:
    return [r.question for r in model.asked if r.question.id == question]


def test_next_api_when_a_model_chooses_then_it_sees_what_failed_and_what_is_left(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]])
    model.answers = {"choose_api": [{"why": "it is newer", "api": 2}]}
    provider = ScriptedProvider({"alpha_1": bad(500)})
    summary, tree = go(workspace, model, provider)
    assert summary.status is Status.ANSWERED
    assert called(provider) == ["alpha_1", "alpha_3"]
    [question] = asked(model, "choose_api")
    assert [api.name for api in question.candidates] == ["alpha_2", "alpha_3"]
    assert [card.api_title for card in question.failures] == ["alpha · alpha_1"]
    assert "q (string)" in question.messages()[1].content
    assert tree.nodes[NodePath("plan.1/step.1/attempt.2")].data["api"] == A3.id


def test_next_api_when_the_model_gives_the_toolkit_up_then_it_is_exhausted_and_says_why(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])], [("other", 2, [])]])
    model.answers = {"choose_api": [{"why": "all of them need a key", "api": 0}]}
    provider = ScriptedProvider({"alpha_1": bad(500)})
    summary, tree = go(workspace, model, provider)
    assert called(provider) == ["alpha_1", "beta_1"]
    assert summary.replans == 1
    cause = tree.nodes[NodePath("plan.2")].cause_text
    assert cause == "because no API of Alpha could do the step: all of them need a key"


def test_next_api_when_the_model_chooses_nothing_usable_then_the_next_by_rank(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]])
    model.answers = {"choose_api": [{"api": 7}, {"api": "x"}]}
    provider = ScriptedProvider({"alpha_1": bad(500)})
    summary, _ = go(workspace, model, provider)
    assert summary.status is Status.ANSWERED
    assert called(provider) == ["alpha_1", "alpha_2"]


@pytest.mark.parametrize("how", ["rank", "random"])
def test_next_api_when_no_model_is_to_choose_then_none_is_asked(
    workspace: Workspace, how: str
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]])
    provider = ScriptedProvider({"alpha_1": bad(500), "alpha_2": bad(500)})
    summary, _ = go(workspace, model, provider, next_api=how)
    assert summary.status is Status.ANSWERED
    assert asked(model, "choose_api") == []
    assert called(provider)[-1] == "alpha_3"


def weather(arguments: Mapping[str, Any]) -> Any:
    return bad(404, "no such place") if arguments.get("q") == "Atlantis" else ok({"t": 4})


def of_place(question: Any) -> dict[str, Any]:
    return {"q": question.goal.split()[-1]}


def test_exhaustion_when_one_place_is_unknown_then_the_toolkit_still_answers_for_another(
    workspace: Workspace,
) -> None:
    names = ("alpha_1", "alpha_2", "alpha_3")
    model = ScriptedModel(
        plans=[
            [("weather in Atlantis", 1, []), ("weather in Berlin", 1, [])],
            [("weather in Berlin", 1, [])],
        ],
        arguments=dict.fromkeys(names, of_place),
    )
    provider = ScriptedProvider(dict.fromkeys(names, weather))
    summary, _ = go(workspace, model, provider, parallel=False)
    assert provider.calls[-1] == ("alpha_1", {"q": "Berlin"})
    assert summary.answer == "weather in Berlin done"
    assert summary.status is Status.UNSOLVED and "weather in Atlantis" in summary.reason
    [replan] = asked(model, "replan")
    assert 1 in {card.id for card in replan.toolkits}
    assert replan.spent == ((1, "weather in Atlantis"),)


def test_exhaustion_when_the_service_is_down_then_no_step_goes_there_again(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(
        plans=[[("one", 1, []), ("two", 1, [])], [("one", 2, []), ("two", 2, [])]]
    )
    provider = ScriptedProvider({f"alpha_{i}": bad(503) for i in (1, 2, 3)})
    summary, _ = go(workspace, model, provider, parallel=False)
    assert summary.status is Status.ANSWERED
    assert called(provider) == ["alpha_1", "alpha_2", "alpha_3", "beta_1", "beta_1"]
    [replan] = asked(model, "replan")
    assert 1 not in {card.id for card in replan.toolkits}


def test_replan_when_it_repeats_what_failed_then_it_is_told_so(workspace: Workspace) -> None:
    model = ScriptedModel(
        plans=[
            [("Atlantis", 1, []), ("Berlin", 1, [])],
            [("Atlantis", 1, []), ("Berlin", 1, [])],
            [("Atlantis", 2, []), ("Berlin", 1, [])],
        ],
        arguments=dict.fromkeys(("alpha_1", "alpha_2", "alpha_3"), of_place),
    )
    provider = ScriptedProvider(dict.fromkeys(("alpha_1", "alpha_2", "alpha_3"), weather))
    summary, _ = go(workspace, model, provider, parallel=False)
    assert summary.status is Status.ANSWERED
    assert summary.replans == 1
    assert len(asked(model, "replan")) == 2


def test_plan_when_toolkits_are_off_then_single_apis_are_planned_and_siblings_stay(
    workspace: Workspace,
) -> None:
    # Numbers of single APIs: alpha_1 = 1, alpha_2 = 2, alpha_3 = 3, beta_1 = 4.
    model = ScriptedModel(plans=[[("one", 1, [])], [("one", 2, [])], [("one", 3, [])]])
    provider = ScriptedProvider({"alpha_1": bad(500), "alpha_2": bad(500)})
    summary, tree = go(workspace, model, provider, toolkits=False)
    assert summary.status is Status.ANSWERED
    assert called(provider) == ["alpha_1", "alpha_2", "alpha_3"]
    assert (summary.fallbacks, summary.replans) == (0, 2)
    assert asked(model, "choose_api") == []
    [plan] = asked(model, "make_plan")
    assert plan.toolkits[0].name == "alpha · alpha_1"
    first, second = asked(model, "replan")
    assert [card.id for card in first.toolkits] == [2, 3, 4]
    assert [card.id for card in second.exhausted] == [1, 2]
    step = tree.nodes[NodePath("plan.3/step.1")]
    assert step.data["api"] == A3.id and "toolkit" not in step.data


def test_step_when_the_query_names_an_api_then_it_is_tried_first(workspace: Workspace) -> None:
    kits = {"Weather": [make_api("skyview_now"), make_api("stormglass_tides")]}
    provider = ScriptedProvider()
    model = ScriptedModel(plans=[[("tides in Nice", 1, [])]])
    query = "Using the Stormglass API, when is the tide in Nice?"
    summary, _ = go(workspace, model, provider, query=query, kits=kits)
    assert called(provider) == ["stormglass_tides"]
    assert "instead" not in summary.answer


def test_step_when_another_api_answers_than_the_named_one_then_the_result_says_so(
    workspace: Workspace,
) -> None:
    kits = {"Weather": [make_api("skyview_now"), make_api("stormglass_tides")]}
    provider = ScriptedProvider({"stormglass_tides": bad(500)})
    model = ScriptedModel(plans=[[("tides in Nice", 1, [])]])
    query = "Using the Stormglass API, when is the tide in Nice?"
    summary, _ = go(workspace, model, provider, query=query, kits=kits)
    assert called(provider) == ["stormglass_tides", "skyview_now"]
    assert "skyview · skyview_now answered instead" in summary.answer


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("Use the getZipCode API for Springfield", ["getZipCode"]),
        ("the zip code of Springfield with getZipCode please", ["getZipCode"]),
        ("the weather in Lyon, by the Weather API", ["Weather"]),
        ("the weather in Lyon", []),
        ("go by weather alone", []),
        ("what is the gas price there with gas price forecasts", []),
    ],
)
def test_named_by_when_queries_speak_of_apis_then_only_what_is_meant(
    query: str, named: list[str]
) -> None:
    apis = [make_api(name) for name in ("getZipCode", "Weather", "Gas Price")]
    assert [api.name for api in named_by(query, apis)] == named


def test_members_when_there_are_more_than_nine_then_the_best_for_the_step_are_tried(
    workspace: Workspace,
) -> None:
    members = [make_api(f"many_{i}") for i in range(12)]
    provider = ScriptedProvider({api.name: bad(500) for api in members})
    model = ScriptedModel(plans=[[("one", 1, [])], []])
    go(workspace, model, provider, kits={"Many": members}, member_order="random")
    # The scripted catalogue ranks by number: chance orders the best nine, no others.
    assert sorted(called(provider)) == [f"many_{i}" for i in range(9)]


@pytest.mark.parametrize(("most", "tried"), [(9, 9), (11, 11), (None, 12)])
def test_members_when_more_than_nine_are_asked_for_then_as_many_are_tried(
    workspace: Workspace, most: int | None, tried: int
) -> None:
    apis = [make_api(f"alpha_{number}") for number in range(12)]
    provider = ScriptedProvider({api.name: bad(404) for api in apis})
    go(
        workspace, ScriptedModel(plans=[[("one", 1, [])]]), provider,
        kits={"Alpha": apis}, max_in_toolkit=most, next_api="rank", max_replans=0,
    )  # fmt: skip
    assert len(called(provider)) == tried


@pytest.mark.parametrize(("most", "told"), [(100, 100), (None, 800)])
def test_plans_when_texts_of_toolkits_are_long_then_as_much_is_shown_as_asked_for(
    workspace: Workspace, most: int | None, told: int
) -> None:
    text = "word " * 160
    card = ToolkitCard(id=ToolkitId(1), name="Alpha", description=text)
    seen = MakePlan(query="q", toolkits=(card,), toolkit_text=most).messages()[1].content
    assert abs(seen.count("word") * 5 - told) < 10
    model = ScriptedModel(plans=[[("one", 1, [])], [("one", 2, [])]])
    down = ScriptedProvider({api.name: bad(500) for api in (A1, A2, A3)})
    go(workspace, model, down, kits={"Alpha": [A1, A2, A3], "Beta": [B1]}, toolkit_text=most)
    for planning in ("make_plan", "replan"):
        assert [question.toolkit_text for question in asked(model, planning)] == [most]


def test_replan_when_there_were_plans_before_then_it_is_shown_all_of_them(
    workspace: Workspace,
) -> None:
    kits = {"Alpha": [A1], "Beta": [B1], "Gamma": [A2], "Delta": [A3]}
    plans = [[("one", number, [])] for number in range(1, 5)]
    model = ScriptedModel(plans=plans)
    down = {api.name: bad(500) for api in (A1, B1, A2)}
    go(workspace, model, ScriptedProvider(down), kits=kits)
    questions = asked(model, "replan")
    shown = [[plan.steps[0].toolkit for plan in (*q.older, q.plan)] for q in questions]
    assert shown == [[1], [1, 2], [1, 2, 3]]
    assert "plan 2:" in questions[-1].messages()[1].content
