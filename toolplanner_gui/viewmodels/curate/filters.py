"""Which APIs are shown: several filters at the same time, each of which can be taken away again.

The map fades what they do not let through, the table leaves it out, and no gesture selects it. A
filter is the set of row ids that it lets through, so that it holds for the map, for the table and
for APIs without a point alike; an edit does not take rows away under the hand. Part of
`context.map_look`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.column_source import Categories

TYPED, CHOSEN, FOUND = "typed", "chosen", "found"
"""Filters that are of no column: words of the table, the selection, what a search found."""

_SAID = 3
"""Categories of a filter that are named."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApiFilter:
    """One filter.

    Attributes:
        id: of its column, or one of the words above; there is one filter of an id.
        words: what it lets through, for people.
        rowids: `(m,) int64`, the APIs that it lets through.
        values: names of the categories that it lets through, "" for APIs without one; empty for
            other filters. Names, since the numbers of categories are others after an edit.
        span: least and greatest figure that it lets through; none for other filters.
    """

    id: str
    words: str
    rowids: np.ndarray
    values: tuple[str, ...] = ()
    span: tuple[float, float] | None = None

    def codes(self, categories: Categories) -> tuple[int, ...]:
        """The categories that it lets through, as numbers of a column."""
        wanted = set(self.values)
        found = tuple(i for i, name in enumerate(categories.names) if name in wanted)
        return (*found, -1) if "" in wanted else found


def names_of(categories: Categories, codes: Iterable[int]) -> tuple[str, ...]:
    """The names of categories as a filter keeps them."""
    return tuple("" if code < 0 else categories.names[code] for code in codes)


def names_in_words(categories: Categories, names: Sequence[str]) -> str:
    """What a filter says of its categories: the first of them by name."""
    said = ", ".join(name or categories.nothing for name in names[:_SAID])
    more = len(names) - _SAID
    return f"{said} and {more:,} more" if more > 0 else said


class ApiFilters(QObject):
    """The filters that are set, the oldest first. GUI thread.

    Signals:
        changed: other APIs are let through, or for other reasons.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._set: dict[str, ApiFilter] = {}

    def __iter__(self) -> Iterator[ApiFilter]:
        return iter(self._set.values())

    def __len__(self) -> int:
        return len(self._set)

    def get(self, name: str) -> ApiFilter | None:
        """The filter with this id."""
        return self._set.get(name)

    def put(self, one: ApiFilter) -> None:
        """Set a filter, in the place of the one with its id."""
        self._set[one.id] = one
        self.changed.emit()

    def drop(self, name: str) -> None:
        """Take a filter away."""
        if self._set.pop(name, None) is not None:
            self.changed.emit()

    def clear(self) -> None:
        """Take all away."""
        if self._set:
            self._set.clear()
            self.changed.emit()

    def mask(self, rowids: np.ndarray, *, without: str = "") -> np.ndarray | None:
        """Which APIs are let through, `(n,) bool`; none if there is no filter.

        Args:
            rowids: `(n,) int64`.
            without: id of a filter that does not count.
        """
        parts = [one.rowids for one in self if one.id != without]
        if not parts:
            return None
        mask = np.isin(rowids, parts[0])
        for part in parts[1:]:
            mask &= np.isin(rowids, part)
        return mask
