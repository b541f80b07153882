"""`serve --mode toolkits`: one tool a toolkit, which shows what fits a need and calls its APIs."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.client_here import talk_here
from fixtures.command_line import command_here
from fixtures.gateway_client import ERAS, over_stdio, texts_of

from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.toolkit_tools import toolkit_of_tool_name, toolkit_tool_name
from toolplanner_core.tool_schemas.dialect import Tool, dialects
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits

MONEY = {"from": "USD", "to": "EUR", "amount": 250}
HUB = "ExchangeHub_Convert_currency"
NEED = "Convert 250 USD to EUR"
TOKENS = 2_800
"""Of the list of the demo; design/gateway.md section 3 has 2,285 for another form of it."""


def tool_of(demo: Path, name: str) -> str:
    """The name of a toolkit's tool."""
    with Workspace.open(demo) as workspace:
        [found] = [each for each in list_toolkits(workspace) if each.name == name]
    return toolkit_tool_name(found)


def test_auto_when_toolkits_are_few_and_apis_many_then_toolkits_are_listed(demo: Path) -> None:
    listed = command_here("serve", demo, "--dry-list").data
    *kits, more = [tool["name"] for tool in listed]
    assert more == "more"
    assert tool_of(demo, "Currency exchange") in kits
    assert len(kits) == len(set(kits))
    assert len(kits) <= 40
    assert len(json.dumps(listed)) // 4 <= TOKENS
    for tool in listed[:-1]:
        assert set(tool["inputSchema"]["properties"]) == {"need", "api", "arguments"}
        assert toolkit_of_tool_name(tool["name"]) is not None
        assert len(tool["name"]) <= 46
    for dialect in dialects:
        tools = [
            Tool(name=t["name"], description=t["description"], parameters=t["inputSchema"])
            for t in listed
        ]
        assert [each for tool in tools for each in dialect.refusals(dialect.write(tool))] == []


@pytest.mark.parametrize("era", ERAS)
def test_toolkit_when_only_a_need_is_said_then_three_apis_are_shown_and_one_is_called(
    demo: Path, era: str
) -> None:
    kit = tool_of(demo, "Currency exchange")

    async def talk(client: Any) -> tuple[Any, Any]:
        shown = await client.call_tool(kit, {"need": NEED})
        return shown, await client.call_tool(kit, {"api": HUB, "arguments": json.dumps(MONEY)})

    shown, called = talk_here(demo, talk, era=era)
    tools, note = texts_of(shown)
    found = [json.loads(line) for line in tools.splitlines()]
    assert len(found) == 3
    assert HUB in [tool["name"] for tool in found]
    assert all(tool["inputSchema"]["type"] == "object" for tool in found)
    assert f'call {kit} again: {{"api": "{found[0]["name"]}"' in note
    assert json.loads(texts_of(called)[0])["result"] == pytest.approx(218.91)
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert (summary.api_calls, summary.model_calls) == (1, 0)
        assert load_tree(workspace, summary.run).nodes["lookup.1"].data["need"] == NEED


def test_toolkit_when_a_model_is_set_then_a_need_alone_is_called_and_said_with_what(
    demo: Path,
) -> None:
    kit = tool_of(demo, "Currency exchange")

    async def talk(client: Any) -> tuple[Any, Any]:
        whole = await client.call_tool(kit, {"need": NEED})
        return whole, await client.call_tool(kit, {"need": "something about money"})

    whole, unsaid = talk_here(demo, talk, ServingProfile(model="offline"))
    value, note = texts_of(whole)
    assert not whole.is_error, value
    assert "218.91" in value
    assert note.startswith("Called ")
    assert "250" in note
    assert unsaid.is_error
    assert "does not say" in texts_of(unsaid)[0]
    with Workspace.open(demo) as workspace:
        [summary] = list_runs(workspace)
        assert summary.api_calls == 1, "nothing is sent for a need that does not say enough"
        assert summary.model_calls >= 2


def test_toolkit_when_its_service_fails_for_a_need_then_another_api_stands_in(demo: Path) -> None:
    kit = tool_of(demo, "Currency exchange")

    async def talk(client: Any) -> Any:
        return await client.call_tool(kit, {"need": NEED})

    called = over_stdio(demo, talk, "--model", "offline", "--fault", "500:api=ExchangeHub*")
    assert not called.is_error, texts_of(called)
    assert "in the place of ExchangeHub" in texts_of(called)[-1]


def test_toolkit_when_asked_for_nothing_or_what_is_not_served_then_says_what_to_do(
    demo: Path,
) -> None:
    kit = tool_of(demo, "Currency exchange")
    asked: list[tuple[str, dict[str, Any]]] = [
        (kit, {}),
        (kit, {"need": NEED, "arguments": 3}),
        ("Anything_tk999", {"need": NEED}),
        (kit, {"api": "no_such_api", "arguments": {}}),
    ]

    async def talk(client: Any) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments in asked]

    replies = talk_here(demo, talk)
    assert all(reply.is_error for reply in replies)
    nothing, wrong, gone, unknown = (texts_of(reply)[0] for reply in replies)
    assert 'Neither "need" nor "api"' in nothing
    assert "is no object" in wrong
    assert "not served any more" in gone
    assert "no tool called 'no_such_api'" in unknown


def test_model_when_it_is_not_known_then_the_gateway_does_not_start(demo: Path) -> None:
    refused = command_here("serve", demo, "--model", "nobody:x")
    assert (refused.status, refused.out) == (2, "")
    assert "nobody" in refused.err
