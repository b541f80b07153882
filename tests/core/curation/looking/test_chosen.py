"""A selection as an edit needs it, toolkits by words of their names, columns of their list."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.curated import FOOD, MONEY, WEATHER, curated_workspace
from toolplanner_core.curation.looking.chosen import choose
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.details import toolkit_in_words
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn, cell, sort_key, tooltip
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace.call_statistics import CallFigures


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[CuratedCatalogue]:
    with curated_workspace(tmp_path) as opened:
        yield read_catalogue(opened)


def test_chosen_when_apis_of_two_toolkits_are_selected_then_shares_and_words_say_so(
    catalogue: CuratedCatalogue,
) -> None:
    mask = catalogue.mask_of_toolkits([FOOD, MONEY])
    rowids = catalogue.rowids_of(mask, [FOOD, MONEY])
    chosen = choose(catalogue, mask, rowids, toolkit=None, made={"by": "lasso"})
    sizes = {toolkit.id: n for toolkit, n in chosen.shares}
    assert sizes.keys() == {FOOD, MONEY}
    assert sum(sizes.values()) + chosen.n_homeless == len(rowids)
    assert chosen.words == f"{len(rowids)} APIs of 2 toolkits"
    assert chosen.one_toolkit is None and not chosen.toolkits
    whole = choose(
        catalogue, mask, rowids, toolkit=None, made={"by": "toolkits", "toolkits": [FOOD, MONEY]}
    )
    assert [toolkit.id for toolkit in whole.toolkits] == [FOOD, MONEY]
    assert whole.words == "2 toolkits"


def test_chosen_when_nothing_is_selected_then_it_is_empty(catalogue: CuratedCatalogue) -> None:
    none = np.zeros(len(catalogue.rowids), bool)
    chosen = choose(catalogue, none, np.empty(0, np.int64), toolkit=None, made={})
    assert chosen.is_empty and chosen.ids == ()
    one = choose(catalogue, none, np.empty(0, np.int64), toolkit=WEATHER, made={})
    assert one.one_toolkit == catalogue.toolkit(WEATHER)


def test_named_when_words_are_given_then_names_that_hold_all_are_found(
    catalogue: CuratedCatalogue,
) -> None:
    name = catalogue.name_of(WEATHER)
    assert [t.id for t in catalogue.named(f" {name.upper()[:4]} ")] == [WEATHER]
    assert catalogue.named(f"{name} nowhere") == []
    names = {"A weather station": 2, "Weather days": 59, "Weather": 38, "Rainyweather": 90}
    kits = [
        Toolkit(id=ToolkitId(i), name=each, description="", size=n)
        for i, (each, n) in enumerate(names.items(), 1)
    ]
    found = replace(catalogue, toolkits=tuple(kits)).named(" weather")
    assert [t.name for t in found] == [
        "Weather", "Weather days", "A weather station", "Rainyweather",
    ]  # fmt: skip
    assert len(catalogue.named("")) == len(catalogue.toolkits)


class _Figures:
    def cohesion(self, toolkit: ToolkitId) -> float | None:
        return {FOOD: 0.25, MONEY: 0.75}.get(toolkit)

    def health(self, toolkit: ToolkitId) -> CallFigures | None:
        return CallFigures(n_ok=3, n_failed=1, last_error="timeout") if toolkit == FOOD else None


def test_fit_when_a_toolkit_has_one_api_then_it_has_none_and_says_why(
    catalogue: CuratedCatalogue,
) -> None:
    food = catalogue.toolkit(FOOD)
    assert food is not None
    alone = replace(food, size=1)
    assert cell(food, ToolkitColumn.COHESION, _Figures()) == "0.25"
    assert cell(alone, ToolkitColumn.COHESION, _Figures()) == "–"
    assert tooltip(alone, ToolkitColumn.COHESION, None) == "1 API, no fallback possible"
    said = toolkit_in_words(alone, cohesion=1.0, calls=None)
    assert said == "1 API, no fallback possible"


@pytest.mark.parametrize(
    ("size", "n", "said"),
    [
        (4, 4, "4 APIs · all excluded from planning"),
        (4, 1, "4 APIs · 1 excluded from planning"),
        (1, 1, "1 API, no fallback possible · excluded from planning"),
        (4, 0, "4 APIs"),
    ],
)
def test_toolkit_when_apis_are_excluded_then_its_line_says_so(
    catalogue: CuratedCatalogue, size: int, n: int, said: str
) -> None:
    food = catalogue.toolkit(FOOD)
    assert food is not None
    kit = replace(food, size=size)
    assert toolkit_in_words(kit, cohesion=None, calls=None, n_excluded=n) == said


@pytest.mark.parametrize("is_down", [False, True])
def test_order_when_a_figure_is_unknown_then_it_stands_last_either_way(
    catalogue: CuratedCatalogue, is_down: bool
) -> None:
    key = sort_key(ToolkitColumn.COHESION, _Figures(), is_down=is_down)
    order = [toolkit.id for toolkit in sorted(catalogue.toolkits, key=key)]
    assert order[:2] == ([MONEY, FOOD] if is_down else [FOOD, MONEY])
    food = catalogue.toolkit(FOOD)
    assert food is not None
    assert cell(food, ToolkitColumn.HEALTH, _Figures()) == "75%"  # 3 of 4
    assert tooltip(food, ToolkitColumn.HEALTH, _Figures()).startswith("3 of 4 calls ok")
