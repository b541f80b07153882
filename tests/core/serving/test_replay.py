"""`toolplanner serve --replay RUN`: a mock server whose replies are those of a run to the byte."""

from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import toolplanner
from fixtures.gateway_client import ERAS, over_stdio, texts_of

from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.workspace import Workspace

FLAT = ("--mode", "flat", "--toolkit", "Currency exchange", "--toolkit", "Public holidays")
HUB, LINE = "ExchangeHub_Convert_currency", "FxLine_Exchange"
MONEY = {"from": "USD", "to": "EUR", "amount": 250}
CALLS: list[tuple[str, dict[str, Any]]] = [
    (HUB, MONEY),
    (LINE, {"source": "USD", "target": "EUR", "quantity": 3}),
    (LINE, {"source": "USD", "target": "XXX", "quantity": 3}),
    (HUB, {"from": "USD"}),
    (LINE, {"quantity": 3, "target": "EUR", "source": "USD"}),
]
"""The first falls back where ExchangeHub is made to fail; others fail by themselves."""


async def all_texts(client: Any) -> list[list[str]]:
    return [texts_of(await client.call_tool(name, arguments)) for name, arguments in CALLS]


@pytest.mark.parametrize("era", ERAS)
def test_replay_when_the_same_is_asked_then_the_same_is_read_and_nobody_is_called(
    demo: Path, era: str
) -> None:
    first = over_stdio(demo, all_texts, *FLAT, "--fault", "500:api=ExchangeHub*", era=era)
    assert first[0][-1].startswith("Answered by FxLine")
    again = over_stdio(demo, all_texts, *FLAT, "--replay", "1", era=era)
    assert again == first
    with Workspace.open(demo) as workspace:
        newest, oldest = list_runs(workspace)
    assert (newest.api_calls, newest.failed_calls) == (oldest.api_calls, oldest.failed_calls)


def test_replay_when_something_else_is_asked_then_it_says_what_is_missing(demo: Path) -> None:
    over_stdio(demo, all_texts, *FLAT)

    async def talk(client: Any) -> Any:
        return await client.call_tool(HUB, {**MONEY, "amount": 251})

    other = over_stdio(demo, talk, *FLAT, "--replay", "1")
    assert other.is_error
    [text] = texts_of(other)
    assert "Run 1 has no reply of ExchangeHub · Convert currency" in text
    assert 'It has replies for: {"amount":"250"' in text


def test_replay_when_the_run_is_not_there_then_the_gateway_does_not_start(demo: Path) -> None:
    refused = toolplanner("serve", demo, "--replay", "7")
    assert (refused.status, refused.out) == (2, "")
    assert "7" in refused.err
