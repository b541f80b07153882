"""Prices of models: which row fits, what a reply costs, and what stays unknown."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import (
    FREE,
    Price,
    find_price,
    format_prices,
    list_prices,
    own_prices,
    person_prices,
    price_of,
    read_prices,
    save_person_prices,
    save_prices,
)
from toolplanner_core.settings import Settings, save_settings
from toolplanner_core.workspace import Workspace

PRICE = Price(models=("m",), input=2.0, cached=0.5, output=8.0)


def test_table_when_read_then_every_price_says_of_when_and_from_whom_it_is() -> None:
    prices = list_prices()
    assert len(prices) > 20
    for price in prices:
        assert len(price.as_of) >= len("2026-01"), price
        assert price.source and price.output >= price.input > 0, price
    names = [name for price in prices for name in price.models]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "dollars"),
    [
        ("gpt-4o", 2.5),
        ("GPT-4o-2024-08-06", 2.5),
        ("gpt-4o-mini", 0.15),
        ("gpt-4o-mini-2024-07-18", 0.15),
        ("gpt-4o-audio-preview", None),
        ("claude-sonnet-4-5-20250929", 3.0),
        ("openai/gpt-4o", None),
        ("llama3.1:8b", None),
    ],
)
def test_price_when_looked_up_then_fits_the_whole_name_only(
    workspace: Workspace, name: str, dollars: float | None
) -> None:
    price = price_of(workspace, f"openai:{name}")
    assert (price.input if price else None) == dollars


def test_cost_when_tokens_are_known_then_cached_ones_are_cheaper() -> None:
    assert PRICE.cost_of(Usage(input_tokens=1000, output_tokens=100)) == pytest.approx(0.0028)
    usage = Usage(input_tokens=1000, output_tokens=100, cached_tokens=400)
    assert PRICE.cost_of(usage) == pytest.approx(0.0022)
    assert PRICE.cost_of(Usage()) is None, "an endpoint that reports no tokens"
    assert FREE.cost_of(Usage()) == 0.0
    no_cached = Price(models=("m",), input=2.0, output=8.0)
    assert no_cached.cost_of(usage) == pytest.approx(0.0028)


@given(st.integers(1, 10**7), st.integers(0, 10**7), st.integers(0, 10**7))
def test_cost_when_more_is_cached_then_never_dearer(sent: int, got: int, cached: int) -> None:
    with_cache = PRICE.cost_of(Usage(input_tokens=sent, output_tokens=got, cached_tokens=cached))
    plain = PRICE.cost_of(Usage(input_tokens=sent, output_tokens=got))
    assert with_cache is not None and plain is not None
    assert 0 < with_cache <= plain


def test_own_prices_when_set_then_come_first_and_wrong_ones_change_nothing(
    workspace: Workspace,
) -> None:
    save_prices(workspace, [{"models": "gpt-4o*", "input": 1, "output": 2}])
    price = price_of(workspace, "openai:gpt-4o")
    assert price is not None and (price.input, price.cached) == (1.0, None)
    for wrong in (
        {"models": [], "input": 1, "output": 1},
        {"models": ["a"], "input": -1, "output": 1},
        {"models": ["a"], "input": float("nan"), "output": 1},
        {"models": ["a"], "input": "1", "output": 1},
        {"models": ["a"], "input": 1},
    ):
        with pytest.raises(BadInput):
            save_prices(workspace, [wrong])
    assert [price.models for price in own_prices(workspace)] == [("gpt-4o*",)]
    assert price_of(workspace, "offline") == FREE
    assert find_price("x", ()) is None


def test_command_when_prices_are_set_and_removed_then_listed(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    command_here("new", path)
    assert command_here("prices", "set", path, "my-*", "--input", "0.5", "--output", 1).status == 0
    first = command_here("prices", "list", path, "--json").data[0]
    assert (first["models"], first["input"], first["output"]) == (["my-*"], 0.5, 1.0)
    assert "my-*" in command_here("prices", "list", path).out
    assert command_here("prices", "set", path, "x", "--input", "nan", "--output", 1).status == 2
    assert command_here("prices", "remove", path, "my-*").status == 0
    assert command_here("prices", "remove", path, "my-*").status == 2


def test_prices_of_a_person_when_saved_then_before_list_prices_and_after_the_workspace(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    save_person_prices(read_prices("gpt-4o* 1 2\n\n my-model  0.5 1.5 0.05 \n"))
    mine = price_of(workspace, "openai:gpt-4o")
    assert mine is not None and (mine.input, mine.source) == (1.0, "your own price")
    assert format_prices(person_prices()) == "gpt-4o* 1 2\nmy-model 0.5 1.5 0.05"
    rows = command_here("prices", "list", workspace.path, "--json").data
    assert rows[0]["models"] == ["gpt-4o*"] and len(rows) == len(list_prices()) + 2
    save_prices(workspace, [{"models": "gpt-4o", "input": 9, "output": 9}])
    theirs = price_of(workspace, "openai:gpt-4o")
    assert theirs is not None and theirs.input == 9.0


@pytest.mark.parametrize("line", ["m", "m 1", "m 1 2 3 4", "m one 2", "m -1 2", "m nan 2"])
def test_prices_of_a_person_when_a_line_is_wrong_then_said(line: str) -> None:
    with pytest.raises(BadInput):
        read_prices(f"good 1 2\n{line}")


def test_prices_of_a_person_when_the_file_is_spoilt_then_the_others_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    good = {"models": ["m"], "input": 1, "output": 2}
    save_settings(Settings(prices=({"models": []}, good, {**good, "input": "much"})))
    assert [price.models for price in person_prices()] == [("m",)]
