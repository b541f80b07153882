"""What columns of the map and of the table of APIs are made of: a category or a figure for each
point, and the source that they are read from."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures, read_attempts
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.map_facts import ApiFacts, api_facts

_OF_NO_EDIT = ("facts", "calls", "n_calls")
"""What no edit of toolkits can change."""


class Categories(NamedTuple):
    """A category for each point: `codes` (n,) int32 index into `names`, -1 for `nothing`.

    `colours` are numbers of their own for life, if the categories have any.
    """

    codes: np.ndarray
    names: Sequence[str]
    nothing: str = "None"
    colours: Sequence[int] = ()


class Scale(NamedTuple):
    """A figure for each point: `values` (n,) float64, nan for `nothing`.

    `text` writes one, without its `unit`; `ends` of the scale if they are given by its meaning.
    """

    values: np.ndarray
    text: Callable[[float], str]
    ends: tuple[float, float] | None = None
    unit: str = ""
    nothing: str = "not known"

    def with_unit(self, value: float) -> str:
        """A figure with its unit, such as "1 API" and "2 APIs"."""
        text = self.text(value)
        unit = self.unit.removesuffix("s") if text == "1" else self.unit
        return f"{text} {unit}".rstrip()


@dataclass(frozen=True, eq=False)
class ColumnSource:
    """What columns are read from; what several of them need is read once.

    Args:
        catalogue: points, toolkits and regions.
    """

    workspace: Workspace
    catalogue: CuratedCatalogue

    def seen_as(self, catalogue: CuratedCatalogue) -> "ColumnSource":
        """The same for a catalogue after an edit: what the edit cannot change is not read again."""
        other = ColumnSource(self.workspace, catalogue)
        other.__dict__.update({k: self.__dict__[k] for k in _OF_NO_EDIT if k in self.__dict__})
        return other

    @cached_property
    def facts(self) -> list[ApiFacts]:
        """The catalogue's facts of each API."""
        return api_facts(self.workspace)

    @cached_property
    def calls(self) -> dict[int, CallFigures]:
        """How calls that say something about an API ended, by row id."""
        return call_figures(self.workspace)

    @cached_property
    def n_calls(self) -> dict[int, int]:
        """How many calls of each API were sent in all runs, examples included, by row id: those
        that the details list."""
        sent = Counter(row.api for row in read_attempts(self.workspace, limit=None) if row.was_sent)
        return {rowid: sent[api] for api, rowid in rowids_of(self.workspace, list(sent)).items()}

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
