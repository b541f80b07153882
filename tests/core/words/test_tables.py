"""Tables of the world stand alone: what reads texts needs no rule of the offline planner."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from toolplanner_core.resources import resource_root
from toolplanner_core.words import tables
from toolplanner_core.words.currencies import currency_spans
from toolplanner_core.words.dates import find_dates
from toolplanner_core.words.query_values import find_query_values, unanswered_units

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CACHED = (
    tables.table, tables.entries, tables.codes, tables.spelled, tables.words,
    tables.ordered_words, tables.currencies, tables.pattern, tables.compiled,
)  # fmt: skip


@pytest.fixture
def world_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Resources without the tables of the offline planner."""
    shutil.copytree(resource_root() / "world", tmp_path / "world")
    monkeypatch.setattr(tables, "resource_root", lambda: tmp_path)
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.usefixtures("world_alone")
def test_texts_when_the_offline_planner_is_not_there_then_are_read_all_the_same() -> None:
    assert [code for _, code in currency_spans("200 GBP in euros")] == ["GBP", "EUR"]
    assert [value.text for value in find_query_values("75 pounds in Zagreb")] == [
        "75 pounds",
        "Zagreb",
    ]
    assert [each.first.day for each in find_dates("on 24 December", NOW)] == [24]
    assert unanswered_units("How many kilometres is it?", "It is far.", [], []) != []
    with pytest.raises(FileNotFoundError):
        tables.table("roles")
