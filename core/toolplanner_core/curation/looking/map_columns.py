"""What the map can be coloured and filtered by: one entry a column, each read when it is wanted.

A column gives a category or a figure for each point of the catalogue. Reading asks the workspace
and may take half a second, so it is done on a reader thread, once until the catalogue changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from toolplanner_core.clustering.groups import mean_cosines
from toolplanner_core.curation.grouping.toolkit_sums import toolkit_sums
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.words.wording import score
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
    """A category for each point: `codes` (n,) int32 index into `names`, -1 for `nothing`."""

    codes: np.ndarray
    names: Sequence[str]
    nothing: str = "None"


class Scale(NamedTuple):
    """A figure for each point: `values` (n,) float64, nan for none.

    `text` writes one; `ends` of the scale if they are given by its meaning.
    """

    values: np.ndarray
    text: Callable[[float], str]
    ends: tuple[float, float] | None = None


class ColumnSource:
    """What columns are read from; what several of them need is read once.

    Args:
        catalogue: points and toolkits.
        region_of: (k,) region of each toolkit, -1 for none.
        regions: their names.
    """

    def __init__(
        self,
        workspace: Workspace,
        catalogue: CuratedCatalogue,
        *,
        region_of: np.ndarray,
        regions: Sequence[str],
    ) -> None:
        self.workspace = workspace
        self.catalogue = catalogue
        self.region_of = region_of
        self.regions = regions

    @cached_property
    def facts(self) -> list[ApiFacts | None]:
        """The catalogue's facts of each point."""
        found = api_facts(self.workspace)
        places = self.catalogue.places_of(np.array([fact.rowid for fact in found], np.int64))
        facts: list[ApiFacts | None] = [None] * len(self.catalogue.rowids)
        for place, fact in zip(places.tolist(), found, strict=True):
            if place >= 0:
                facts[place] = fact
        return facts

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MapColumn:
    """A column.

    Attributes:
        id: stable name.
        title: for people.
        read: blocks; on a reader thread.
    """

    id: str
    title: str
    read: Callable[[ColumnSource], Categories | Scale]


def _fact(field: str, nothing: str = "Not known") -> Callable[[ColumnSource], Categories]:
    def read(source: ColumnSource) -> Categories:
        values = ["" if fact is None else str(getattr(fact, field)) for fact in source.facts]
        return _coded(values, nothing)

    return read


def _fact_figure(field: str, unit: str) -> Callable[[ColumnSource], Scale]:
    def read(source: ColumnSource) -> Scale:
        values = [np.nan if fact is None else float(getattr(fact, field)) for fact in source.facts]
        return Scale(np.array(values, float), _counted_in(unit))

    return read


def _coded(values: Sequence[str], nothing: str) -> Categories:
    names = sorted({value for value in values if value}, key=str.casefold)
    code = {name: i for i, name in enumerate(names)} | {"": -1}
    return Categories(np.array([code[value] for value in values], np.int32), names, nothing)


def _yes_no(is_so: np.ndarray, yes: str, no: str) -> Categories:
    return Categories(np.where(is_so, 0, 1).astype(np.int32), (yes, no))


def _read_toolkit(source: ColumnSource) -> Categories:
    catalogue = source.catalogue
    return Categories(catalogue.labels, [t.name for t in catalogue.toolkits], "No toolkit")


def _read_region(source: ColumnSource) -> Categories:
    region = np.append(source.region_of, -1).astype(np.int32)
    return Categories(region[source.catalogue.labels], source.regions, "No region")


def _read_size(source: ColumnSource) -> Scale:
    sizes = np.array([t.size for t in source.catalogue.toolkits], float)
    return Scale(source.of_toolkits(sizes), _counted_in("APIs"))


def _read_cohesion(source: ColumnSource) -> Scale:
    sums = toolkit_sums(source.workspace)
    figures = np.full(len(source.catalogue.toolkits), np.nan)
    if sums is not None:
        held = mean_cosines(sums.sums, sums.counts)
        known = dict(zip(sums.toolkits, held.tolist(), strict=True))
        figures = np.array([known.get(t.id, np.nan) for t in source.catalogue.toolkits], float)
    return Scale(source.of_toolkits(figures), score)


def _read_centrality(source: ColumnSource) -> Scale:
    return Scale(source.of_rowids(centralities(source.workspace)), score)


def _read_placement(source: ColumnSource) -> Scale:
    placed = load_placements(source.workspace)
    pairs = [(rowid, placement.confidence) for rowid, placement in placed.items()]
    return Scale(source.of_rowids(pairs), _percent, (0.0, 1.0))


def _read_health(source: ColumnSource) -> Scale:
    pairs = [(rowid, calls.health) for rowid, calls in source.calls.items() if calls.n]
    return Scale(source.of_rowids(pairs), _percent, (0.0, 1.0))


def _read_calls(source: ColumnSource) -> Scale:
    pairs = [(rowid, float(calls.n)) for rowid, calls in source.calls.items()]
    return Scale(source.of_rowids(pairs), _counted_in("calls"))


def _read_last_error(source: ColumnSource) -> Categories:
    values = [""] * len(source.catalogue.rowids)
    rowids = np.fromiter(source.calls, np.int64, len(source.calls))
    places = source.catalogue.places_of(rowids).tolist()
    for place, calls in zip(places, source.calls.values(), strict=True):
        if place >= 0:
            values[place] = calls.last_error
    return _coded(values, "No failure")


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


def _counted_in(unit: str) -> Callable[[float], str]:
    def text(value: float) -> str:
        return f"{value:,.0f} {unit}"

    return text


def _percent(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


COLUMNS = (
    MapColumn(id=TOOLKIT, title="Toolkit", read=_read_toolkit),
    MapColumn(id=REGION, title="Region", read=_read_region),
    MapColumn(id="source", title="Source", read=_fact("source")),
    MapColumn(id="category", title="Category", read=_fact("category", "No category")),
    MapColumn(id="method", title="HTTP method", read=_fact("method", "No method")),
    MapColumn(id="risk", title="Risk of a call", read=_fact("risk")),
    MapColumn(id="size", title="Size of the toolkit", read=_read_size),
    MapColumn(id="cohesion", title="Cohesion of the toolkit", read=_read_cohesion),
    MapColumn(id="centrality", title="Centrality in the toolkit", read=_read_centrality),
    MapColumn(id="pinned", title="Pinned", read=_read_pinned),
    MapColumn(id="edited", title="Edited by hand", read=_read_edited),
    MapColumn(id="excluded", title="Excluded", read=_read_excluded),
    MapColumn(id="placement", title="Confidence of placing", read=_read_placement),
    MapColumn(id="health", title="Success of calls", read=_read_health),
    MapColumn(id="calls", title="Number of calls", read=_read_calls),
    MapColumn(id="last_error", title="Last failure", read=_read_last_error),
    MapColumn(
        id="documentation",
        title="Length of documentation",
        read=_fact_figure("documentation_length", "characters"),
    ),
    MapColumn(
        id="parameters",
        title="Number of parameters",
        read=_fact_figure("parameter_count", "parameters"),
    ),
)


def column(name: str) -> MapColumn:
    """The column with this id.

    Raises:
        KeyError: there is none.
    """
    return {each.id: each for each in COLUMNS}[name]
