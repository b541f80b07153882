"""AnyTool over a scripted endpoint: who searches, what the pool comes to, who is woken and why."""

import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from fixtures.scripted_endpoint import Answers, Turn
from fixtures.scripted_run import ScriptedProvider, bad, make_api, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.workspace import Workspace


def _api(name: str, category: str) -> Any:
    return replace(make_api(name), category=category)


_TOOLS = ("ice", "meteo", "rain", "sky", "sun", "wind")
WEATHER = [_api(f"{tool}_now", "Weather") for tool in _TOOLS]
KITS = {
    "Weather": WEATHER,
    "Places": [_api("geo_find", "Places"), _api("atlas_find", "Places")],
}
"""Two categories: one with six tools, more than one agent takes; one with two."""
_WHO = {
    "You search a catalogue": "meta",
    "You search one category": "category",
    "You search the APIs": "tool",
    "You answer a person's query": "solver",
    "You are shown a person's query": "check",
    "You judge an answer": "review",
}


def who(body: dict[str, Any]) -> str:
    """Who asks; agents of categories and tools by the first thing that they were told of."""
    system, about = body["messages"][0]["content"], body["messages"][1]["content"]
    kind = next(name for begin, name in _WHO.items() if system.startswith(begin))
    if kind == "category":
        return f"category {about.partition('The tools of ')[2].partition(':')[0]}"
    if kind == "tool":
        return f"tools {about.partition('<apis>')[2].strip().partition(':')[0]}"
    return kind


def cast(lines: dict[str, list[Any]], asked: list[str] | None = None) -> list[Any]:
    """A script by who asks: each takes its own lines, and finishes its search after the last."""
    taken: defaultdict[str, int] = defaultdict(int)

    def answer(body: dict[str, Any]) -> Any:
        name = who(body)
        mine = lines.get(name, [])
        number = taken[name]
        taken[name] += 1
        if asked is not None:
            asked.append(name)
        line = mine[number] if number < len(mine) else Turn("", [("finish_search", {})])
        return json.dumps(line) if isinstance(line, dict) else line

    return [Answers(answer)]


def calls(*several: tuple[str, dict[str, Any]]) -> Turn:
    return Turn("", several)


def go(workspace: Workspace, script: list[Any], **options: Any) -> Spoken:
    provider = options.pop(
        "provider", ScriptedProvider({"meteo_now": bad(500), "sky_now": ok({"celsius": 3})})
    )
    return speak_run(workspace, "anytool", script, provider=provider, kits=KITS, **options)


CREATE, TOOLS = "create_agent_category_level", "create_agent_tool_level"
ADD, CHECK = "add_apis_into_api_pool", ("check_if_request_solvable", {})
LIST = ("get_tools_in_category", {})
NO = {"solvable": False, "reason": "only one source"}
YES = {"solvable": True, "reason": ""}
UP = ("give_up", {"reason": "the forecast is broken", "failed_functions": ["meteo_now_for_meteo"]})
ANSWER = ("give_answer", {"final_answer": "It is 3 degrees.", "no_call_needed": True})
PUBLISHED = {
    "meta": [
        calls(("get_tools_in_category", {"category": "Weather"})),
        calls((CREATE, {"category": "Weather"}), (CREATE, {"category": "Places"})),
    ],
    "category Weather": [
        calls((TOOLS, {"tools": ["meteo", "ice"]})),
        calls(LIST),
        calls((TOOLS, {"tools": ["sky"]})),
    ],
    "tools meteo": [calls((ADD, {"apis": ["meteo_now"]})), calls(CHECK)],
    "tools sky": [calls((ADD, {"apis": ["sky_now"]}), CHECK)],
    "check": [NO, YES],
    "solver": [
        calls(("meteo_now_for_meteo", {"q": "Oslo"})),
        calls(UP),
        calls(("sky_now_for_sky", {"q": "Oslo"})),
        calls(ANSWER),
    ],
    "review": [{"solved": True, "reason": ""}],
}


BECAUSE = "because solver 1 failed: it gave up: the forecast is broken"


WOKEN_TREE = [
    "✗ Search and solve | it gave up: the forecast is broken",
    "  ✓ Meta-agent | stopped after 2 questions",
    "    ✓ Search",
    "    ✓ Search",
    "    ✓ Category Weather | stopped after 2 questions",
    "      ✓ Search",
    "      ✓ Search",
    "      ✓ Tools meteo, ice | stopped after 2 questions",
    "        ✓ Search",
    "        ✓ meteo · meteo_now",
    "        ✓ Search",
    "        ✓ Is the pool enough",
    "    ✓ Category Places | all 2 tools given to one agent",
    "      ✓ Tools atlas, geo | its search is at its end",
    "        ✓ Search",
    "  ✗ Solve with 1 API | it gave up: the forecast is broken",
    "    ✂ meteo · meteo_now | nothing came of it",
    "      ✓ Think and act",
    "      ✗ meteo · meteo_now | server error 500",
    "      ✂ Gives up | it gave up: the forecast is broken",
    "        ✓ Think and act",
    f"✓ Reflect, search on and solve | {BECAUSE}",
    f"  ✓ Tools meteo, ice, again | its search is at its end | {BECAUSE}",
    "    ✓ Search",
    f"  ✓ Category Weather, again | its search is at its end | {BECAUSE}",
    "    ✓ Search",
    "    ✓ Search",
    "    ✓ Tools sky | the pool was found to be enough",
    "      ✓ Search",
    "      ✓ sky · sky_now",
    "      ✓ Is the pool enough",
    "  ✓ Solve with 1 API",
    '    ✓ sky · sky_now | {"celsius": 3}',
    "      ✓ Think and act",
    "      ✓ sky · sky_now",
    "      ✓ Gives the answer | It is 3 degrees.",
    "        ✓ Think and act",
    "    ✓ Judge the answer",
]


def test_anytool_when_the_first_pool_does_not_do_then_wakes_who_has_not_finished_from_the_bottom_up(
    workspace: Workspace,
) -> None:
    asked: list[str] = []
    spoken = go(workspace, cast(PUBLISHED, asked), max_questions=2)
    assert spoken.summary.status in NOT_REFUTED, spoken.summary.reason
    [verdict] = spoken.summary.verdicts
    assert (verdict["source"], verdict["solved"]) == ("strategy", True), "its judge's last word"
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.tree == WOKEN_TREE
    by_who: defaultdict[str, list[Any]] = defaultdict(list)
    for body in spoken.requests:
        by_who[who(body)].append(body)
    woken = by_who["tools meteo"][2]["messages"]
    assert woken[-1]["content"].startswith(
        "The APIs found so far could not answer the query:\n<reason>\nit gave up: the forecast"
    )
    assert [m["content"] for m in woken if m["role"] == "tool"] == [
        "meteo_now is in the pool now.", "No, not yet: only one source",
    ]  # fmt: skip
    first, second = by_who["solver"][0], by_who["solver"][2]
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        "meteo_now_for_meteo", "give_answer", "give_up_and_restart", "give_up",
    ]  # fmt: skip
    assert second["tools"][0]["function"]["name"] == "sky_now_for_sky"
    assert "meteo" not in json.dumps(second), "what an API of no use said is forgotten"
    assert replay_spoken(workspace, spoken.summary, KITS).identical
    nodes = load_tree(workspace, spoken.summary.run).nodes.values()
    agent = next(node for node in nodes if node.title == "Tools meteo, ice")
    assert agent.data["looked"] == "meteo (1 API), ice (1 API)"
    assert agent.data["added"] == "meteo · meteo_now"
    [last] = [n for n in nodes if n.kind == "search_round" and n.number == 2]
    assert (last.data["woken"], last.data["removed"], last.data["pool"]) == (
        "Tools meteo, ice, Category Weather, Meta-agent", "meteo · meteo_now", 1,
    )  # fmt: skip


@pytest.mark.parametrize("at", ["check_solvable.1", "found_api.1", "pool_solver.1"])
def test_anytool_when_forked_then_what_was_found_before_is_not_asked_again(
    workspace: Workspace, at: str
) -> None:
    spoken = go(workspace, cast(PUBLISHED), max_questions=2)
    nodes = load_tree(workspace, spoken.summary.run).nodes
    path = next(path for path in nodes if path.endswith(at))
    spec = fork(workspace, spoken.summary.run, path)
    assert spec.fork is not None
    records = read_run(workspace, spoken.summary.run)
    before = [r for r in records if r.seq <= spec.fork.seq and r.type == "model.asked"]
    child = go(workspace, cast(PUBLISHED), spec=spec, max_questions=2)
    assert child.summary.model_calls - len(before) == len(child.requests)
    assert replay_spoken(workspace, child.summary, KITS).identical


def test_anytool_when_the_pool_is_full_then_everybody_stops_and_the_solver_begins(
    workspace: Workspace,
) -> None:
    look = calls(("get_tools_descriptions", {"tools": ["ice"]}))
    three = ["ice", "meteo", "rain"]
    lines = {
        "meta": [calls((CREATE, {"category": "Weather"})), *[look] * 19],
        "category Weather": [calls((TOOLS, {"tools": three})), *[look] * 19],
        "tools ice": [calls((ADD, {"apis": [f"{tool}_now" for tool in three]}))],
        "solver": [calls(ANSWER)],
        "review": [{"solved": True, "reason": ""}],
    }  # fmt: skip
    spoken = go(workspace, cast(lines), pool=2)
    assert spoken.summary.status in NOT_REFUTED
    offered = next(body for body in spoken.requests if who(body) == "solver")["tools"]
    names = [tool["function"]["name"] for tool in offered]
    assert names[:2] == ["ice_now_for_ice", "meteo_now_for_meteo"]
    assert "      ✓ Tools ice, meteo, rain | the pool is full (2 APIs)" in spoken.tree
    assert replay_spoken(workspace, spoken.summary, KITS).identical


def test_anytool_when_the_tokens_are_spent_then_neither_agents_nor_solver_ask_anything_more(
    workspace: Workspace,
) -> None:
    lines = {"meta": [calls((CREATE, {"category": "Places"}))] * 20}
    spoken = go(workspace, cast(lines), token_cap=4 * 18)
    assert spoken.summary.status is Status.UNSOLVED
    assert "the 72 tokens of the run are spent" in spoken.summary.reason
    assert len(spoken.requests) <= 5, "two agents at once may pass the cap by one question"


def test_anytool_when_everybody_has_finished_then_an_answer_judged_unsolved_is_the_last_word(
    workspace: Workspace,
) -> None:
    lines = {
        "meta": [calls((CREATE, {"category": "Places"}))],
        "tools atlas": [calls((ADD, {"apis": ["geo_find"]}))],
        "solver": [calls(ANSWER)],
        "review": [{"solved": False, "reason": "no weather in it"}],
    }
    spoken = go(workspace, cast(lines), solver="react")
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == (
        "judged unsolved: no weather in it; every agent has finished its search"
    )
    assert spoken.summary.answer == "It is 3 degrees."


def test_anytool_when_an_answer_stands_on_an_earlier_round_then_the_judge_sees_what_came_back(
    workspace: Workspace,
) -> None:
    lines = {
        "meta": [calls((CREATE, {"category": "Places"}))],
        "tools atlas": [calls((ADD, {"apis": ["geo_find"]})), calls((ADD, {"apis": ["geo_find"]}))],
        "solver": [calls(("geo_find_for_geo", {"q": "Oslo"})), calls(ANSWER), calls(ANSWER)],
        "review": [{"solved": False, "reason": "look again"}, {"solved": True, "reason": ""}],
    }
    spoken = go(workspace, cast(lines), solver="react", max_questions=2)
    assert spoken.summary.status in NOT_REFUTED, spoken.summary.reason
    assert spoken.summary.api_calls == 1
    asked = [body["messages"][1]["content"] for body in spoken.requests if who(body) == "review"]
    assert all('"q": "Oslo"' in each.replace('\\"', '"') for each in asked)
    assert len(asked) == 2


def test_anytool_when_names_are_invented_then_each_is_told_so_and_nothing_is_made(
    workspace: Workspace,
) -> None:
    lines = {
        "meta": [
            calls((CREATE, {"category": "Sports"}), ("fly", {}), (CREATE, "{")),
            calls((CREATE, {"category": "Places"})),
            calls((CREATE, {"category": "Places"})),
        ],
        "tools atlas": [
            calls((ADD, {"apis": ["geo_lost"]}), CHECK),
            calls((ADD, {"apis": ["geo_find", "geo_find"]}), (ADD, {"apis": ["geo_find"]})),
        ],
        "solver": [calls(ANSWER)],
        "review": [{"solved": True, "reason": ""}],
    }  # fmt: skip
    spoken = go(workspace, cast(lines))
    told = [m["content"] for b in spoken.requests for m in b["messages"] if m["role"] == "tool"]
    for text in (
        "There is no category Sports. Use the names as they were listed.",
        "There is no function fly. Use the names as they were listed.",
        "The arguments are no JSON object",
        "Places has an agent already.",
        "There is no API geo_lost. Use the names as they were listed.",
        "The pool is empty: add APIs first.",
        "geo_find is in the pool already, or the pool is full.",
    ):
        assert text in told
    assert spoken.summary.status in NOT_REFUTED
    assert sum("Category Places" in line for line in spoken.tree) == 1


def test_anytool_when_a_person_chooses_who_is_woken_then_only_that_agent_searches_on(
    workspace: Workspace,
) -> None:
    offered: list[str] = []

    def act() -> None:
        for held in debugger.held[:1]:
            offered.extend(each.title for each in held.stop.alternatives)
            taken = held.stop.alternatives[1].id
            decision = StopDecision(choice=Choice.TAKE, taken=taken)
            debugger.resume(StepCommand.CONTINUE, decision=decision)

    debugger = Debugger([parse_breakpoint("at=before_reflection,hits=1")], on_change=act)
    company = {"debugger": debugger}
    spoken = go(workspace, cast(PUBLISHED), max_questions=2, max_rounds=2, company=company)
    assert offered[:4] == [
        "All who have not finished (3)", "Tools meteo, ice", "Category Weather", "Meta-agent",
    ]  # fmt: skip
    again = [line.partition(" |")[0].strip() for line in spoken.tree if ", again" in line]
    assert again == ["✓ Tools meteo, ice, again"]
    assert replay_spoken(workspace, spoken.summary, KITS).identical


def test_anytool_when_tools_of_an_agent_are_limited_then_k_holds_in_words_schema_and_deed(
    workspace: Workspace,
) -> None:
    """Source: section 5.3, table 7: K."""
    lines = {
        "meta": [calls((CREATE, {"category": "Weather"}))],
        "category Weather": [calls((TOOLS, {"tools": ["ice", "meteo", "rain"]}))],
    }
    spoken = go(workspace, cast(lines), tools_per_agent=2)
    first = next(body for body in spoken.requests if who(body) == "category Weather")
    assert "at most 2 to one" in first["messages"][0]["content"]
    [create] = [t["function"] for t in first["tools"] if t["function"]["name"] == TOOLS]
    assert create["parameters"]["properties"]["tools"]["maxItems"] == 2
    told = [m["content"] for b in spoken.requests for m in b["messages"] if m["role"] == "tool"]
    assert "At most 2 tools for one agent." in told
    at_once = go(workspace, cast({"meta": lines["meta"]}), tools_per_agent=6)
    assert "    ✓ Category Weather | all 6 tools given to one agent" in at_once.tree


def test_anytool_when_it_is_flat_then_one_agent_does_all_and_makes_no_other(
    workspace: Workspace,
) -> None:
    """Source: section 5.3, table 3: functions of all levels but those that create agents."""
    lines = {
        "meta": [
            calls(("get_apis_in_tool", {"tool": "sky"}), (CREATE, {"category": "Weather"})),
            calls(("get_tools_in_category", {"category": "Weather"})),
            calls(("get_tools_descriptions", {"tools": ["sky"]})),
            calls(("get_apis_in_tool", {"tool": "sky"})),
            calls((ADD, {"apis": ["sky_now"]}), CHECK),
        ],
        "check": [YES],
        "solver": [calls(("sky_now_for_sky", {"q": "Oslo"})), calls(ANSWER)],
        "review": [{"solved": True, "reason": ""}],
    }
    spoken = go(workspace, cast(lines), structure="flat")
    assert spoken.summary.status in NOT_REFUTED, spoken.summary.reason
    assert [tool["function"]["name"] for tool in spoken.requests[0]["tools"]] == [
        "get_tools_in_category", "get_tools_descriptions", ADD, CHECK[0], "get_apis_in_tool",
        "get_api_details", "finish_search",
    ]  # fmt: skip
    told = [m["content"] for m in spoken.requests[4]["messages"] if m["role"] == "tool"]
    assert told[:2] == [
        "There is no tool sky. Use the names as they were listed.",
        f"There is no function {CREATE}. Use the names as they were listed.",
    ]
    assert told[2].splitlines() == ["- ice", "- meteo", "- rain", "- sky", "- sun", "- wind"]
    assert "sky_now" in told[-1]
    offered = {t["function"]["name"]: t["function"] for t in spoken.requests[4]["tools"]}
    assert offered["get_apis_in_tool"]["parameters"]["properties"]["tool"]["enum"] == sorted(_TOOLS)
    assert [line for line in spoken.tree if "gent" in line] == [
        "  ✓ The one agent | the pool was found to be enough"
    ]
    assert replay_spoken(workspace, spoken.summary, KITS).identical


@pytest.mark.parametrize(
    ("woken", "levels"),
    [("tools", ["Tools meteo"]), ("categories", ["Tools meteo", "Category Weather"])],
)
def test_anytool_when_only_some_are_woken_then_those_above_sleep_on(
    workspace: Workspace, woken: str, levels: list[str]
) -> None:
    """Source: section 5.3, table 4."""
    spoken = go(workspace, cast(PUBLISHED), max_questions=2, woken=woken, max_rounds=2)
    again = [line.strip(" ✓✗").partition(",")[0] for line in spoken.tree if ", again" in line]
    assert again == levels


def test_anytool_when_nobody_is_left_who_may_be_woken_then_the_run_says_so(
    workspace: Workspace,
) -> None:
    lines = {
        "meta": [calls((CREATE, {"category": "Places"}))] * 2,
        "tools atlas": [calls((ADD, {"apis": ["geo_find"]}))],
        "solver": [calls(ANSWER)],
        "review": [{"solved": False, "reason": "no weather in it"}],
    }
    spoken = go(workspace, cast(lines), solver="react", max_questions=2, woken="tools")
    assert spoken.summary.reason.endswith("no agent is left that may be woken")
