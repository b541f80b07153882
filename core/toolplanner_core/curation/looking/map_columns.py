"""What the map is coloured by, and the columns of the table of APIs: each read when it is wanted.

A column gives a category or a figure for each point of the catalogue. Reading asks the workspace
and may take half a second, so it is done on a reader thread, once until the catalogue changes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from toolplanner_core.clustering.groups import mean_cosines
from toolplanner_core.curation.edits.provenance import moved_by_people
from toolplanner_core.curation.grouping.toolkit_sums import toolkit_sums
from toolplanner_core.curation.looking.column_source import Categories, ColumnSource, Scale
from toolplanner_core.words.formatting import duration, score
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.map_facts import centralities, edited_toolkits
from toolplanner_core.workspace.point_sets import load_placements

TOOLKIT = "toolkit"
REGION = "region"


class MapColumn(NamedTuple):
    """A column.

    Attributes:
        id: stable name.
        title: for people.
        read: blocks; on a reader thread.
        short: the title above a column of a table.
        is_edited: whether edits of toolkits can change it.
    """

    id: str
    title: str
    read: Callable[[ColumnSource], Categories | Scale]
    short: str
    is_edited: bool = False


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
    unit: str = "",
) -> Callable[[ColumnSource], Scale]:
    """Reads figures by row id."""
    return lambda source: Scale(source.of_rowids(figures(source)), text, ends, unit)


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
    return Scale(source.of_toolkits(sizes), _whole, unit="APIs")


def _read_alone(source: ColumnSource) -> Categories:
    is_alone = np.array([t.size == 1 for t in source.catalogue.toolkits], bool)
    codes = np.append(np.where(is_alone, 0, 1), -1)[source.catalogue.labels].astype(np.int32)
    return Categories(codes, ("Alone: no fallback possible", "With others"), "No toolkit")


def _read_called(source: ColumnSource) -> Categories:
    called = np.fromiter(source.n_calls, np.int64, len(source.n_calls))
    return _yes_no(np.isin(source.catalogue.rowids, called), "Called", "Never called")


def _read_calls(source: ColumnSource) -> Scale:
    made = source.of_rowids([*source.n_calls.items()])
    return Scale(np.nan_to_num(made, nan=0.0), _whole, unit="calls")


def _read_cohesion(source: ColumnSource) -> Scale:
    sums = toolkit_sums(source.workspace)
    figures = np.full(len(source.catalogue.toolkits), np.nan)
    if sums is not None:
        held = np.where(sums.counts > 1, mean_cosines(sums.sums, sums.counts), np.nan)
        known = dict(zip(sums.toolkits, held.tolist(), strict=True))
        figures = np.array([known.get(t.id, np.nan) for t in source.catalogue.toolkits], float)
    return Scale(source.of_toolkits(figures), score, nothing="none: alone or in no toolkit")


def _read_edited(source: ColumnSource) -> Categories:
    edited = edited_toolkits(source.workspace)
    by_hand = np.array([t.id in edited for t in source.catalogue.toolkits], bool)
    is_so = np.append(by_hand, False)[source.catalogue.labels] | source.catalogue.pinned
    moved = np.array(list(moved_by_people(source.workspace)), np.int64)
    is_so |= np.isin(source.catalogue.rowids, moved)
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


def _read_missing(source: ColumnSource) -> Categories:
    missing = np.array(missing_rowids(source.workspace), np.int64)
    is_so = np.isin(source.catalogue.rowids, missing)
    return _yes_no(is_so, "Not seen in the last crawl", "Seen")


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


def _seconds(value: float) -> str:
    return duration(value / 1e3)


_health = _figures(_of_calls("health"), _percent, (0.0, 1.0))
_last_error = _texts(_of_calls("last_error"), "No failure")
COLUMNS = (
    MapColumn(TOOLKIT, "Toolkit", _read_toolkit, "Toolkit", is_edited=True),
    MapColumn(REGION, "Region", _read_region, "Region", is_edited=True),
    MapColumn("source", "Source", _fact("source"), "Source"),
    MapColumn("category", "Category", _fact("category", "No category"), "Category"),
    MapColumn("method", "HTTP method", _fact("method", "No method"), "Method"),
    MapColumn("risk", "Risk of a call", _fact("risk"), "Risk"),
    MapColumn("size", "Size of the toolkit", _read_size, "Size", is_edited=True),
    MapColumn("alone", "Alone in its toolkit", _read_alone, "Alone", is_edited=True),
    MapColumn("cohesion", "Fit of the toolkit", _read_cohesion, "Toolkit fit", is_edited=True),
    MapColumn(
        "centrality",
        "Centrality in the toolkit",
        _figures(_centralities, score),
        "Centrality",
        is_edited=True,
    ),
    MapColumn("pinned", "Pinned", _read_pinned, "Pinned", is_edited=True),
    MapColumn("edited", "Edited by hand", _read_edited, "Edited", is_edited=True),
    MapColumn("excluded", "Excluded", _read_excluded, "Excluded", is_edited=True),
    MapColumn("waiting", "Changed documentation", _read_waiting, "Changed", is_edited=True),
    MapColumn("missing", "Seen in the last crawl", _read_missing, "Crawl"),
    MapColumn(
        "placement",
        "How likely its place was",
        _figures(_confidences, score, (0.0, 1.0)),
        "Likely",
        is_edited=True,
    ),
    MapColumn("called", "Called or never called", _read_called, "Called"),
    MapColumn("calls", "Number of calls", _read_calls, "Calls"),
    MapColumn("health", "Health: share of calls that worked", _health, "Health"),
    MapColumn("latency", "Time of a reply", _figures(_of_calls("p50_ms"), _seconds), "Reply"),
    MapColumn(
        "last_error", "Last failure", _texts(_of_calls("last_error"), "No failure"), "Failure"
    ),
    MapColumn(
        "documentation",
        "Length of documentation",
        _figures(_of_facts("documentation_length"), _whole, unit="characters"),
        "Length",
    ),
    MapColumn(
        "parameters",
        "Number of parameters",
        _figures(_of_facts("parameter_count"), _whole, unit="parameters"),
        "Parameters",
    ),
)


def column(name: str) -> MapColumn:
    """The column with this id.

    Raises:
        KeyError: there is none.
    """
    return {each.id: each for each in COLUMNS}[name]
