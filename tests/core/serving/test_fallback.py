"""Where a service fails, another API answers only if it can be asked for exactly the same, and the
agent reads who did: against the demo world, with injected faults, through the one gate."""

import asyncio
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.sharing.exports.tools import names_of
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.domain.plan import Status
from toolplanner_core.keys import register_secrets
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.judging.verdicts import store_verdict
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.runs.presentation.states import status_look
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.session import ServingSession
from toolplanner_core.serving.tools import ServedTools, ToolReply
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.toolkits import toolkit_of

PROFILE = ServingProfile(mode=ServingMode.SEARCH)
MONEY = {"from": "USD", "to": "EUR", "amount": 250}
HUB, LINE = "ExchangeHub_Convert_currency", "FxLine_Exchange"


def called(demo: Path, *calls: tuple[str, dict[str, Any]], faults: tuple[str, ...]) -> list[Any]:
    """What an agent reads of calls by `call_tool`, after it has found the tools."""
    profile = dataclasses.replace(PROFILE, faults=faults)

    async def go(workspace: Workspace) -> list[ToolReply]:
        search = WorkspaceCatalogue(workspace)
        catalogue = ServedCatalogue(workspace, profile, search)
        tools = ServedTools(catalogue, profile)
        session = ServingSession(workspace, profile, search, client="test")
        try:
            catalogue.listed()
            return [
                await tools.call(session, "call_tool", {"name": name, **more})
                for name, more in calls
            ]
        finally:
            await session.close()
            search.close()

    with Workspace.open(demo) as workspace:
        return asyncio.run(go(workspace))


def test_service_when_it_fails_and_another_can_be_asked_the_same_then_that_answers(
    demo: Path,
) -> None:
    [reply] = called(demo, (HUB, {"arguments": MONEY}), faults=("500:api=ExchangeHub*",))
    assert not reply.is_error, reply
    data, note = reply.texts
    assert "218.91" in json.dumps(json.loads(data)), "250 dollars, not the rate of one"
    assert note.startswith(
        "Answered by FxLine · Exchange, in the place of ExchangeHub · Convert currency,"
        " which failed: "
    )
    assert 'Sent: source="USD", target="EUR", quantity=250 (you gave from, to, amount).' in note
    assert len(note) // 4 <= 120
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert summary.fallbacks == 1
        nodes = load_tree(workspace, summary.run).nodes
        assert [str(nodes[p].state) for p in nodes if "attempt" in p.rpartition("/")[2]] == [
            "fell_back", "ok"
        ]  # fmt: skip


@pytest.mark.parametrize("how", ["a value has no place", "ask"])
def test_service_when_it_fails_and_no_other_may_be_called_then_others_are_offered(
    demo: Path, how: str
) -> None:
    more: dict[str, Any] = {"arguments": MONEY}
    faults = ("500:api=ExchangeHub*",)
    if how == "ask":
        more["fallback"] = "ask"
    else:  # nobody else of the toolkit surely takes the amount
        exclude(demo, LINE)
    [reply] = called(demo, (HUB, more), faults=faults)
    assert reply.is_error
    [text] = reply.texts
    assert text.startswith("ExchangeHub · Convert currency failed: ")
    assert "may do it, and was not called: call_tool(name=" in text
    if how == "ask":
        assert 'arguments={"source": "USD", "target": "EUR", "quantity": 250}' in text
    else:
        assert "Has no sure place in it: amount=250." in text
    with Workspace.open(demo) as workspace:
        assert list_runs(workspace)[0].api_calls == 1


@pytest.mark.parametrize(
    ("call", "answered_by", "sent"),
    [
        (
            ("PumpWatch_Cheapest_petrol_near_a_city", {"city": "Springfield, Illinois"}),
            "TankTicker · Gas prices in city",
            'location="Springfield, Illinois"',
        ),
        (
            ("GeoBatch_Single_geocode_legacy", {"place": "Rome"}),
            "GeoBatch · Geocode v2",
            'place="Rome"',
        ),
        (
            ("PantryPal_Recipes_with_ingredient", {"ingredient": "chickpeas"}),
            "CookBookly · Search recipes by ingredient",
            'ingredients="chickpeas"',
        ),
    ],
    ids=["other form", "retired", "nothing found"],
)
def test_apis_that_fail_in_the_demo_when_another_says_the_same_then_that_answers(
    demo: Path, call: tuple[str, dict[str, Any]], answered_by: str, sent: str
) -> None:
    [reply] = called(demo, (call[0], {"arguments": call[1]}), faults=())
    assert not reply.is_error, reply
    assert f"Answered by {answered_by}, in the place of" in reply.texts[-1]
    assert f"Sent: {sent}" in reply.texts[-1]


def test_service_when_it_fails_then_all_that_the_planner_would_try_are_named(demo: Path) -> None:
    """Also those to which no value can be carried."""
    call = ("PinDrop_Locate", {"arguments": {"text": "Berlin"}})
    [reply] = called(demo, call, faults=())
    with Workspace.open(demo) as workspace:
        apis = apis_by_rowid(workspace, all_rowids(workspace)).values()
        [asked] = [api for api in apis if (api.tool, api.name) == ("PinDrop", "Locate")]
        toolkit = toolkit_of(workspace, asked.id)
        assert toolkit is not None
        near = f"{asked.title} {asked.description}"
        search = WorkspaceCatalogue(workspace)
        known = [each.api for each in asyncio.run(search.members(toolkit, near=near))]
        search.close()
        others = [api for api in known if api.id != asked.id]
        names = names_of(workspace, others).values()
    assert len(names) == 7
    assert [name for name in names if name not in reply.texts[0]] == []
    assert "Of the same toolkit, too: " in reply.texts[0]


def exclude(demo: Path, name: str) -> None:
    with Workspace.open(demo) as workspace:
        apis = apis_by_rowid(workspace, all_rowids(workspace))
        [rowid] = [row for row, api in apis.items() if api.tool == name.partition("_")[0]]
        do(workspace, Exclude(rowids=(rowid,)))


@pytest.mark.parametrize(
    ("more", "faults"),
    [
        ({"arguments": {**MONEY, "from": "Narnian crowns"}}, ()),
        ({"arguments": {"from": "USD"}}, ()),
        ({"arguments": MONEY, "fallback": "never"}, ("500:api=ExchangeHub*",)),
    ],
    ids=["wrong value", "missing argument", "never"],
)
def test_call_when_no_service_failed_or_nobody_wants_it_then_nothing_else_is_tried(
    demo: Path, more: dict[str, Any], faults: tuple[str, ...]
) -> None:
    [reply] = called(demo, (HUB, more), faults=faults)
    assert reply.is_error
    assert "may do it" not in reply.texts[0]
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert summary.api_calls <= 1
        assert summary.fallbacks == 0


def test_toolkit_when_all_that_may_be_called_fail_then_each_is_named(demo: Path) -> None:
    faults = ("500:api=ExchangeHub*", "timeout:api=FxLine*")
    [reply] = called(demo, (HUB, {"arguments": MONEY}), faults=faults)
    assert reply.is_error
    assert reply.texts[0].count(" failed: ") == 2


@pytest.mark.parametrize("fallback", ["auto", "ask"])
def test_secrets_when_they_are_among_the_arguments_then_no_text_and_no_file_has_them(
    demo: Path, fallback: str
) -> None:
    """What was sent is told where another API answers, and where one is only offered."""
    canary = f"canary-{fallback}-7f3a99d2c1e8"
    register_secrets(canary)
    place = {"arguments": {"location": f"Vienna {canary}"}, "fallback": fallback}
    faults = ("500:api=TileBrush*",)
    [reply] = called(demo, ("TileBrush_Map_image", place), faults=faults)
    assert ("MapShot" in str(reply)) or ("CartoCard" in str(reply))
    assert canary not in str(reply)
    with Workspace.open(demo) as workspace:
        assert len(list_runs(workspace)) == 1
    assert canary.encode() not in demo.read_bytes()


@pytest.mark.parametrize(
    ("calls", "faults", "status", "said"),
    [
        (2, ("500:api=*",), Status.NOTHING_SERVED, "2 calls (2 failed) and 0 searches served"),
        (2, ("500:api=*,next=1",), Status.SERVED, "2 calls (1 failed) and 0 searches served"),
        (1, (), Status.SERVED, "1 call and 0 searches served"),
    ],
)
def test_session_when_no_call_brought_a_reply_then_its_run_says_so_and_is_not_as_one_that_served(
    demo: Path, calls: int, faults: tuple[str, ...], status: Status, said: str
) -> None:
    asked = [(HUB, {"arguments": MONEY, "fallback": "never"})] * calls
    replies = called(demo, *asked, faults=faults)
    is_all_failed = status is Status.NOTHING_SERVED
    assert all(reply.is_error for reply in replies) is is_all_failed
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert (summary.status, summary.answer) == (status, said)
        assert summary.outcome == status
        look = status_look(summary.status, summary.strategy)
        assert (look.token == "failed", look.icon == "check-circle") == (
            is_all_failed,
            not is_all_failed,
        )
        root = load_tree(workspace, summary.run).root
        assert root is not None
        assert root.state is (NodeState.FAILED if is_all_failed else NodeState.OK)
        # What a person says of it does not turn it into one that served.
        verdict = AnswerVerdict(source=VerdictSource.PERSON, solved=True)
        store_verdict(workspace, summary.run, verdict)
        assert [run.status for run in list_runs(workspace)] == [status]
