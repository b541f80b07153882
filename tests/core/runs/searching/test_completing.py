"""Completion of a search over runs."""

import pytest

from toolplanner_core.runs.searching.query import completions, last_word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sta", ["status:"]),
        ("petrol tok", ["tokens>"]),
        ("status:ov", ["status:over_budget"]),
        ('x toolkit:"fu', ['toolkit:"Fuel prices"']),
        ("toolkit:cur", ["toolkit:Currency"]),
        ("strategy:tool", ["strategy:tool-planner"]),
        ("model:gpt", []),
        ("label:go", ["label:golden", 'label:"golden petrol"']),
        ("", []),
        ("petrol ", []),
    ],
)
def test_completion_offers_fields_and_values_that_are_known(text: str, expected) -> None:
    found = completions(
        text,
        toolkits=["Currency", "Fuel prices"],
        strategies=["tool-planner"],
        labels=["golden", "golden petrol"],
    )
    assert [x for x in found if x != "toolkit:"] == expected


def test_last_word_keeps_open_quotes_together() -> None:
    assert last_word('a toolkit:"Fuel pri') == 'toolkit:"Fuel pri'
    assert last_word('"exchange rate" b') == "b"
