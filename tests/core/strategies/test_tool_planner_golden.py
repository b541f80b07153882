"""The examples of the paper's appendix K as golden runs: the real client against a scripted
endpoint, and a table of what is asked and called, in order, beside what algorithm 1 prescribes.

Source: Tool-Planner, arXiv 2406.03807, appendix K.1 to K.6, with its toolkits, APIs and failures.
"""

import re
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedProvider, bad, make_api, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.workspace import Workspace


def api(tool: str) -> Any:
    return make_api(f"{tool}_run")


HOUSING = {
    "Real Estate Listings": [api("PropertyListings"), api("HomeFinder")],
    "Crime Data": [api("CrimeRate")],
    "Local Amenities": [api("Parks")],
    "Geolocation": [api("geoNames"), api("getZipCodeByCity")],
}
TRIP = {
    "Gas Prices": [api("GasPrices")],
    "Helicopter Specifications": [api("Helicopters")],
    "Gas Price Predictions": [api("GasPredictions")],
}
SHIPPING = {
    "Shipping and Logistics": [api("EasyPost")],
    "System Health Check": [api("StatusPage"), api("Pingdom"), api("UptimeRobot")],
}
PICNIC = {
    "Mapping and Geolocation": [api("GoogleMaps"), api("MapboxStatic"), api("MapboxMaps")],
    "Places and Points of Interest": [api("GooglePlaces")],
    "Geocoding and Mapping Services": [api("MapQuest")],
}


def step(number: int, goal: str, toolkit: int, *needs: int) -> dict[str, Any]:
    return {"number": number, "goal": goal, "toolkit": toolkit, "needs": [*needs]}


def plan(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"search": [], **more, "steps": list(steps), "unmet": []}


def revision(keep: list[int], *steps: dict[str, Any]) -> dict[str, Any]:
    return {"keep": keep, "steps": list(steps), "unmet": []}


SAID = "Oslo, 3 bedrooms, getZipCode, New York City, Bell 206, Canadian, SQUAKE, English"
FILL = {"arguments": {"q": SAID}}
"""All values of the queries: an answer that is found without them is doubtful."""
NEXT = {"state": "found", "next": "next_step"}
DONE = {"answer": "All of it.", "solved": True, "reason": ""}


def choose(number: int) -> dict[str, Any]:
    return {"why": "another one", "api": number}


# What is asked and called, in order, and why the algorithm prescribes it.
Row = tuple[str, str]


def planned(*tools: str) -> list[Row]:
    rows: list[Row] = [("Make a plan", "P = plan over toolkits")]
    for tool in tools:
        rows += [
            ("Fill the arguments", "an API of the step's toolkit; the one that the user names"),
            (tool, "call it"),
            ("Analyse the result", "ok: the state, next step as planned"),
        ]
    return rows


FOUR_STEPS = planned("PropertyListings", "CrimeRate", "Parks", "getZipCodeByCity")
THREE_STEPS = planned("GasPrices", "Helicopters", "GasPredictions")
ANSWERED: Row = ("Compose the answer", "answer from all states")

IN_TOOLKIT: list[Row] = [
    ("Make a plan", "P = plan over toolkits"),
    ("Fill the arguments", "step 1"),
    ("EasyPost", "call it"),
    ("Analyse the result", "ok: next step"),
    ("Fill the arguments", "step 2"),
    ("StatusPage", "fails"),
    ("Choose the next API", "same toolkit, another API; the plan does not change"),
    ("Fill the arguments", "the one it chose"),
    ("Pingdom", "fails"),
    ("Choose the next API", "again, shown both failures"),
    ("Fill the arguments", "the last one"),
    ("UptimeRobot", "call it"),
    ("Analyse the result", "ok"),
]
CROSS_TOOLKIT: list[Row] = [
    ("Make a plan", "P = plan over toolkits"),
    ("Fill the arguments", "step 1"),
    ("GoogleMaps", "fails"),
    ("Choose the next API", "same toolkit"),
    ("Fill the arguments", "the next"),
    ("MapboxStatic", "fails"),
    ("Choose the next API", "same toolkit"),
    ("Fill the arguments", "the last"),
    ("MapboxMaps", "fails: all of the toolkit were tried"),
    ("Revise the plan", "P' without the exhausted toolkit, goes on at the common ancestor"),
    ("Fill the arguments", "step 1 by another toolkit"),
    ("MapQuest", "call it"),
    ("Analyse the result", "ok: next step as planned"),
    ("Fill the arguments", "step 2"),
    ("GooglePlaces", "call it"),
    ("Analyse the result", "ok"),
    ("Fill the arguments", "step 3, the same toolkit again"),
    ("GooglePlaces", "call it"),
    ("Analyse the result", "ok"),
]


def done(steps: int) -> list[Any]:
    return [FILL, NEXT] * steps


CASES = {
    "K.1, K.4: no error, an API that the query names": (
        HOUSING,
        "Suggest a quiet neighborhood with 3 bedrooms, low crime and parks nearby, and its zip"
        " codes using the getZipCodeByCity API.",
        {},
        [
            plan(
                step(1, "quiet neighborhoods with 3 bedrooms", 1),
                step(2, "crime rates there", 2, 1),
                step(3, "parks there", 3, 1),
                step(4, "zip codes there", 4, 1),
            ),
            *done(4),
        ],
        FOUR_STEPS,
    ),
    "K.2, K.3: three independent needs": (
        TRIP,
        "The average gas price in New York City, specifications of the Bell 206, and gas price"
        " predictions for tomorrow in Canadian cities.",
        {},
        [
            plan(step(1, "gas price", 1), step(2, "Bell 206", 2), step(3, "predictions", 3)),
            *done(3),
        ],
        THREE_STEPS,
    ),
    "K.5: an in-toolkit error": (
        SHIPPING,
        "Find a reliable transitaire and check the health of the SQUAKE authentication system.",
        {"StatusPage_run": bad(500), "Pingdom_run": bad(503)},
        [
            plan(step(1, "reliable transitaires", 1), step(2, "health of SQUAKE", 2)),
            *done(1),
            FILL, choose(1), FILL, choose(1), *done(1),
        ],
        IN_TOOLKIT,
    ),
    "K.6: a cross-toolkit error": (
        PICNIC,
        "A map tile with English labels, nearby grocery stores and farmers markets for a picnic.",
        {"GoogleMaps_run": bad(401), "MapboxStatic_run": bad(401), "MapboxMaps_run": bad(401)},
        [
            plan(step(1, "map tile", 1), step(2, "grocery stores", 2), step(3, "markets", 2)),
            FILL, choose(1), FILL, choose(1), FILL,
            revision([], step(4, "map tile", 3), step(5, "grocery stores", 2),
                     step(6, "markets", 2)),
            *done(3),
        ],
        CROSS_TOOLKIT,
    ),
}  # fmt: skip


def in_order(spoken: Spoken) -> list[str]:
    """Titles of questions and tools of calls, in the order of the tree: one step at a time."""
    asked = {"Make a plan", "Fill the arguments", "Analyse the result", "Choose the next API"}
    asked |= {"Revise the plan", "Compose the answer"}
    calls = iter(spoken.calls)
    found: list[str] = []
    for line in spoken.tree:
        title = re.sub(r"^\s*\S+ ", "", line).split(" | ")[0]
        depth = (len(line) - len(line.lstrip())) // 2
        if title in asked:
            found.append(title)
        elif " · " in title and depth == 3:
            tool, _ = next(calls)
            found.append(tool.removesuffix("_run"))
            assert tool.removesuffix("_run") in title
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda name: name.split(":")[0])
def test_tool_planner_when_run_on_the_papers_examples_then_asks_what_the_algorithm_prescribes(
    workspace: Workspace, case: str
) -> None:
    kits, query, replies, script, table = CASES[case]
    provider = ScriptedProvider({**replies})
    spoken = speak_run(
        workspace,
        "tool-planner",
        [*script, DONE],
        provider=provider,
        spec=RunSpec(query=query, strategy="tool-planner"),
        kits=kits,
        parallel=False,
    )
    assert spoken.summary.status is Status.ANSWERED
    assert in_order(spoken) == [title for title, _ in [*table, ANSWERED]]
    assert replay_spoken(workspace, spoken.summary, kits).identical


def test_choose_api_when_asked_then_shows_the_previous_actions(workspace: Workspace) -> None:
    kits, query, replies, script, _ = CASES["K.5: an in-toolkit error"]
    provider = ScriptedProvider({**replies})
    spec = RunSpec(query=query, strategy="tool-planner")
    spoken = speak_run(
        workspace, "tool-planner", [*script, DONE], provider=provider, spec=spec, kits=kits,
        parallel=False,
    )  # fmt: skip
    [first, second] = [
        index
        for index, request in enumerate(spoken.requests)
        if "failed with the APIs that were called so far" in request["messages"][0]["content"]
    ]
    [(_, one)], [(_, two)] = spoken.messages(first), spoken.messages(second)
    assert "StatusPage · StatusPage_run" in one and "Pingdom_run: server_error" not in one
    assert "server_error" in two and two.count("arguments {") == 2
    assert "1: UptimeRobot · UptimeRobot_run -- does UptimeRobot_run" in two


def test_planner_when_it_looks_for_more_then_the_shortlist_grows_and_the_tree_shows_it(
    workspace: Workspace,
) -> None:
    search = {"search": ["helicopter data", "fuel"], "steps": [], "unmet": []}
    script = [search, {**search, "search": ["x"]}, plan(step(1, "Bell 206", 2)), *done(1), DONE]
    script[2].pop("search")
    spoken = speak_run(
        workspace,
        "tool-planner",
        script,
        provider=ScriptedProvider({"Helicopters_run": ok({"rotor": 2})}),
        kits=TRIP,
        shortlist=1,
    )
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.tree[1] == "✓ Search · helicopter data, fuel"
    assert spoken.tree[3] == "✓ Search · x"
    offered = [m[0][1] for m in (spoken.messages(0), spoken.messages(1))]
    assert "Helicopter" not in offered[0] and "Helicopter" in offered[1]
    assert '"search"' not in spoken.requests[2]["messages"][0]["content"]


def test_analysis_when_no_api_of_the_kind_can_help_then_the_plan_is_revised_at_once(
    workspace: Workspace,
) -> None:
    give_up = {"state": "these APIs know no SQUAKE", "next": "new_plan"}
    script = [
        plan(step(1, "health of SQUAKE", 2)), FILL, give_up,
        revision([], step(2, "health of SQUAKE", 1)), *done(1), DONE,
    ]  # fmt: skip
    spoken = speak_run(workspace, "tool-planner", script, kits=SHIPPING, parallel=False)
    assert [name for name, _ in spoken.calls] == ["StatusPage_run", "EasyPost_run"]
    assert spoken.summary.replans == 1
    assert any("these APIs know no SQUAKE" in line for line in spoken.tree)


def test_replan_when_it_keeps_a_step_by_number_then_it_is_not_done_again(
    workspace: Workspace,
) -> None:
    script = [
        plan(step(1, "transitaires", 1), step(2, "health of SQUAKE", 2, 1)),
        *done(1), FILL, choose(0),
        revision([1], step(3, "ask the carriers", 1, 1)), *done(1), DONE,
    ]  # fmt: skip
    provider = ScriptedProvider({"StatusPage_run": bad(500)})
    spoken = speak_run(
        workspace, "tool-planner", script, kits=SHIPPING, provider=provider, parallel=False
    )
    assert [name for name, _ in spoken.calls] == ["EasyPost_run", "StatusPage_run", "EasyPost_run"]
    assert any(
        line.strip().startswith("↻ transitaires") or "taken over" in line for line in spoken.tree
    )
    [replan] = [r for r in spoken.requests if "You revise a plan" in r["messages"][0]["content"]]
    assert "1: transitaires (toolkit 1) [finished]" in replan["messages"][1]["content"]
    assert "Number new steps from 3." in replan["messages"][0]["content"]
