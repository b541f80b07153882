"""Arguments as people type them at a stop in the terminal."""

from typing import Any

import pytest

from toolplanner_core.cli.stepping import DECISIONS, typed_arguments
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import AFTER_QUESTION
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.stops import Stop


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("days=3", {"days": 3}),
        ("city=New York days=3", {"city": "New York", "days": 3}),
        ('city="New York"  units=metric', {"city": "New York", "units": "metric"}),
        ('where={"a": [1, 2]} n=1', {"where": {"a": [1, 2]}, "n": 1}),
        ("days= city=Rome", {"days": None, "city": "Rome"}),
        ("date=2026-11-21", {"date": "2026-11-21"}),
        ("formula=a=b", {"formula": "a=b"}),
    ],
)
def test_typed_arguments_when_typed_without_quotes_then_read(
    text: str, found: dict[str, object]
) -> None:
    assert typed_arguments(text) == found


def test_typed_arguments_when_there_is_no_name_then_refused() -> None:
    with pytest.raises(BadInput, match="NAME=VALUE"):
        typed_arguments("New York")


def turn(**more: Any) -> Stop:
    """A stop after a turn with two calls."""
    said = {
        "text": "I look.",
        "calls": [
            {"name": "look", "arguments": {"q": "a", "n": 1}},
            {"name": "look", "arguments": "[broken"},
        ],
    }
    place = NodePath("act.1")
    return Stop(point=AFTER_QUESTION, path=place, node=place, title="Act", data=said, **more)


@pytest.mark.parametrize(
    ("command", "text", "calls"),
    [
        ("t I know better", "I know better", [{"q": "a", "n": 1}, "[broken"]),
        ("e q=Oslo n=", "I look.", [{"q": "Oslo"}, "[broken"]),
        ("e 2 q=Oslo", "I look.", [{"q": "a", "n": 1}, {"q": "Oslo"}]),
    ],
)
def test_turn_when_it_is_changed_at_a_stop_then_the_rest_stays(
    command: str, text: str, calls: list[Any]
) -> None:
    letter, _, rest = command.partition(" ")
    value = DECISIONS[letter](turn(), rest).value
    assert value["text"] == text
    assert [call["arguments"] for call in value["calls"]] == calls


def test_turn_when_another_function_is_named_then_it_is_called_with_the_same() -> None:
    value = DECISIONS["a"](turn(), "2 find").value
    assert [call["name"] for call in value["calls"]] == ["look", "find"]
    with pytest.raises(BadInput, match="no call 3"):
        DECISIONS["a"](turn(), "3 find")
    with pytest.raises(BadInput, match="no dialogue"):
        DECISIONS["t"](turn(schema={"type": "object"}), "x")
