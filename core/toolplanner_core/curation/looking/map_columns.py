"""What the map can be coloured and filtered by: one entry a column, each read when it is wanted.

A column gives a category or a figure for each point of the catalogue. Reading asks the workspace
and may take half a second, so it is done on a reader thread, once until the catalogue changes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from toolplanner_core.clustering.groups import mean_cosines
from toolplanner_core.curation.grouping.toolkit_sums import toolkit_sums
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.words.wording import duration, score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_figures import CallFigures, call_figures
from toolplanner_core.workspace.map_facts import (
    ApiFacts,
    api_facts,
    centralities,
    edited_toolkits,
)
from toolplanner_core.workspace.placements import load_placements

TOOLKIT = "toolkit"
REGION = "region"


class Categories(NamedTuple):
    """A category for each point: `codes` (n,) int32 index into `names`, -1 for `nothing`.

    `colours` are numbers of their own for life, if the categories have any.
    """

    codes: np.ndarray
    names: Sequence[str]
    nothing: str = "None"
    colours: Sequence[int] = ()


class Scale(NamedTuple):
    """A figure for each point: `values` (n,) float64, nan for none.

    `text` writes one; `ends` of the scale if they are given by its meaning.
    """

    values: np.ndarray
    text: Callable[[float], str]
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class ColumnSource:
    """What columns are read from; what several of them need is read once.

    Args:
        catalogue: points, toolkits and regions.
    """

    workspace: Workspace
    catalogue: CuratedCatalogue

    @cached_property
    def facts(self) -> list[ApiFacts]:
        """The catalogue's facts of each API."""
        return api_facts(self.workspace)

    @cached_property
    def calls(self) -> dict[int, CallFigures]:
        """How calls ended, by row id."""
        return call_figures(self.workspace)

    def of_rowids(self, pairs: Sequence[tuple[int, float]]) -> np.ndarray:
        """Figures by row id as a figure for each point, nan for the others."""
        values = np.full(len(self.catalogue.rowids), np.nan)
        if pairs:
            rowids, figures = zip(*pairs, strict=True)
            places = self.catalogue.places_of(np.array(rowids, np.int64))
            there = places >= 0
            values[places[there]] = np.array(figures, float)[there]
        return values

    def of_toolkits(self, figures: np.ndarray) -> np.ndarray:
        """Figures by position of the toolkit as a figure for each point."""
        return np.append(figures.astype(float), np.nan)[self.catalogue.labels]


class MapColumn(NamedTuple):
    """A column.

    Attributes:
        id: stable name.
        title: for people.
        read: blocks; on a reader thread.
    """

    id: str
    title: str
    read: Callable[[ColumnSource], Categories | Scale]


def _of_facts(field: str) -> Callable[[ColumnSource], list[tuple[int, Any]]]:
    return lambda source: [(fact.rowid, getattr(fact, field)) for fact in source.facts]


def _of_calls(field: str) -> Callable[[ColumnSource], list[tuple[int, Any]]]:
    def read(source: ColumnSource) -> list[tuple[int, Any]]:
        called = ((rowid, getattr(c, field)) for rowid, c in source.calls.items() if c.n)
        return [(rowid, value) for rowid, value in called if value is not None]

    return read


def _centralities(source: ColumnSource) -> Sequence[tuple[int, float]]:
    return centralities(source.workspace)


def _confidences(source: ColumnSource) -> Sequence[tuple[int, float]]:
    placed = load_placements(source.workspace)
    return [(rowid, placement.confidence) for rowid, placement in placed.items()]


def _texts(
    texts: Callable[[ColumnSource], Iterable[tuple[int, Any]]], nothing: str
) -> Callable[[ColumnSource], Categories]:
    """Reads texts by row id."""

    def read(source: ColumnSource) -> Categories:
        of = {rowid: str(text) for rowid, text in texts(source)}
        values = [of.get(rowid, "") for rowid in source.catalogue.rowids.tolist()]
        names = sorted({value for value in values if value}, key=str.casefold)
        code = {name: i for i, name in enumerate(names)} | {"": -1}
        return Categories(np.array([code[value] for value in values], np.int32), names, nothing)

    return read


def _fact(field: str, nothing: str = "Not known") -> Callable[[ColumnSource], Categories]:
    return _texts(_of_facts(field), nothing)


def _figures(
    figures: Callable[[ColumnSource], Sequence[tuple[int, float]]],
    text: Callable[[float], str],
    ends: tuple[float, float] | None = None,
) -> Callable[[ColumnSource], Scale]:
    """Reads figures by row id."""
    return lambda source: Scale(source.of_rowids(figures(source)), text, ends)


def _yes_no(is_so: np.ndarray, yes: str, no: str) -> Categories:
    return Categories(np.where(is_so, 0, 1).astype(np.int32), (yes, no))


def _read_toolkit(source: ColumnSource) -> Categories:
    catalogue = source.catalogue
    return Categories(catalogue.labels, [t.name for t in catalogue.toolkits], "No toolkit")


def _read_region(source: ColumnSource) -> Categories:
    catalogue, regions = source.catalogue, source.catalogue.regions.values()
    region = np.append(catalogue.region_places(), -1).astype(np.int32)
    return Categories(
        region[catalogue.labels],
        [region.name for region in regions],
        "No region",
        [region.colour for region in regions],
    )


def _read_size(source: ColumnSource) -> Scale:
    sizes = np.array([t.size for t in source.catalogue.toolkits], float)
    return Scale(source.of_toolkits(sizes), _counted_in("APIs"))


def _read_cohesion(source: ColumnSource) -> Scale:
    sums = toolkit_sums(source.workspace)
    figures = np.full(len(source.catalogue.toolkits), np.nan)
    if sums is not None:
        held = np.where(sums.counts > 1, mean_cosines(sums.sums, sums.counts), np.nan)
        known = dict(zip(sums.toolkits, held.tolist(), strict=True))
        figures = np.array([known.get(t.id, np.nan) for t in source.catalogue.toolkits], float)
    return Scale(source.of_toolkits(figures), score)


def _read_edited(source: ColumnSource) -> Categories:
    edited = edited_toolkits(source.workspace)
    by_hand = np.array([t.id in edited for t in source.catalogue.toolkits], bool)
    is_so = np.append(by_hand, False)[source.catalogue.labels] | source.catalogue.pinned
    return _yes_no(is_so, "By hand", "By rule only")


def _read_pinned(source: ColumnSource) -> Categories:
    pinned = np.array([t.pinned for t in source.catalogue.toolkits], bool)
    whole = np.append(pinned, False)[source.catalogue.labels]
    codes = np.where(whole, 0, np.where(source.catalogue.pinned, 1, 2)).astype(np.int32)
    return Categories(codes, ("Whole toolkit pinned", "Pinned", "Not pinned"))


def _read_excluded(source: ColumnSource) -> Categories:
    return _yes_no(source.catalogue.excluded, "Excluded", "In use")


def _read_waiting(source: ColumnSource) -> Categories:
    return _yes_no(source.catalogue.waiting, "Changed, to be accepted", "In use")


def _counted_in(unit: str) -> Callable[[float], str]:
    def text(value: float) -> str:
        return f"{value:,.0f} {unit}"

    return text


def _percent(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


def _seconds(value: float) -> str:
    return duration(value / 1e3)


COLUMNS = (
    MapColumn(TOOLKIT, "Toolkit", _read_toolkit),
    MapColumn(REGION, "Region", _read_region),
    MapColumn("source", "Source", _fact("source")),
    MapColumn("category", "Category", _fact("category", "No category")),
    MapColumn("method", "HTTP method", _fact("method", "No method")),
    MapColumn("risk", "Risk of a call", _fact("risk")),
    MapColumn("size", "Size of the toolkit", _read_size),
    MapColumn("cohesion", "Fit of the toolkit", _read_cohesion),
    MapColumn("centrality", "Centrality in the toolkit", _figures(_centralities, score)),
    MapColumn("pinned", "Pinned", _read_pinned),
    MapColumn("edited", "Edited by hand", _read_edited),
    MapColumn("excluded", "Excluded", _read_excluded),
    MapColumn("waiting", "Changed documentation", _read_waiting),
    MapColumn("placement", "Confidence of placing", _figures(_confidences, _percent, (0.0, 1.0))),
    MapColumn("health", "Health", _figures(_of_calls("smoothed"), _percent, (0.0, 1.0))),
    MapColumn("latency", "Time of a reply", _figures(_of_calls("p50_ms"), _seconds)),
    MapColumn("calls", "Number of calls", _figures(_of_calls("n"), _counted_in("calls"))),
    MapColumn("last_error", "Last failure", _texts(_of_calls("last_error"), "No failure")),
    MapColumn(
        "documentation",
        "Length of documentation",
        _figures(_of_facts("documentation_length"), _counted_in("characters")),
    ),
    MapColumn(
        "parameters",
        "Number of parameters",
        _figures(_of_facts("parameter_count"), _counted_in("parameters")),
    ),
)


def column(name: str) -> MapColumn:
    """The column with this id.

    Raises:
        KeyError: there is none.
    """
    return {each.id: each for each in COLUMNS}[name]
