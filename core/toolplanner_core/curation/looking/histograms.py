"""How the values of a column spread: figures in steps, categories by their most frequent values.

Counted over the rows that other filters let through, so that a chart shows what choosing in it
would leave. Used by the table of APIs, which draws them below its titles.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toolplanner_core.curation.looking.column_source import Categories, Scale

STEPS = 20
_TAIL = 0.98
"""Beyond this share of the figures one step holds all: some APIs have a hundred parameters."""


class Steps(NamedTuple):
    """Figures in steps.

    Attributes:
        places: `(n,) int16` step of each row, -1 for one without a figure.
        lows: `(k,) float64` least figure in each step; its lower edge where it is empty.
        highs: `(k,) float64` greatest figure in each step; its upper edge where it is empty.
    """

    places: np.ndarray
    lows: np.ndarray
    highs: np.ndarray


def steps_of(scale: Scale, most: int = STEPS) -> Steps:
    """Put the figures of a column into at most so many steps; none if there is no figure."""
    values = scale.values
    known = np.isfinite(values)
    index = np.full(len(values), -1, np.int16)
    if not known.any():
        return Steps(index, np.zeros(0), np.zeros(0))
    own = values[known]
    low, high, top = float(own.min()), float(np.quantile(own, _TAIL)), float(own.max())
    if scale.ends is not None:
        low, high = min(low, scale.ends[0]), max(top, scale.ends[1])
    is_whole = bool(np.all(own == np.round(own))) and scale.ends is None
    if is_whole:
        high = min(top, max(high, low + most - 1))
        width = max(1.0, float(np.ceil((high - low + 1) / most)))
        k = int(min(most, (high - low) // width + 1))
    else:
        width, k = ((high - low) / most, most) if high > low else (1.0, 1)
    index[known] = np.clip((own - low) / width, 0, k - 1).astype(np.int16)
    edges = low + width * np.arange(k + 1)
    lows, highs = edges[1:].copy(), edges[:-1].copy()
    np.minimum.at(lows, index[known], own)
    np.maximum.at(highs, index[known], own)
    is_empty = np.bincount(index[known], minlength=k) == 0
    lows[is_empty], highs[is_empty] = edges[:-1][is_empty], edges[1:][is_empty]
    return Steps(index, lows, highs)


def counts_in(steps: Steps, mask: np.ndarray | None) -> np.ndarray:
    """`(k,) int64`, rows of a mask in each step; all rows if there is none."""
    places = steps.places if mask is None else steps.places[mask]
    return np.bincount(places[places >= 0], minlength=len(steps.lows))


def top_values(
    categories: Categories, mask: np.ndarray | None, most: int, also: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """Code and number of rows of the most frequent values, most first.

    Args:
        mask: rows that count, `(n,) bool`; all if none.
        most: so many values.
        also: codes that are listed however rare they are, in place of the last ones.
    """
    codes = categories.codes if mask is None else categories.codes[mask]
    counts = np.bincount(codes + 1, minlength=len(categories.names) + 1)
    order = np.argsort(-counts, kind="stable")[:most] - 1
    found = [code for code in order.tolist() if counts[code + 1]]
    kept = [code for code in found if code in also]
    rare = [code for code in also if code not in found][: most - len(kept)]
    others = [code for code in found if code not in also][: most - len(kept) - len(rare)]
    found = [code for code in found if code in kept or code in others]
    return [(code, int(counts[code + 1])) for code in [*found, *rare]]


def value_name(categories: Categories, code: int) -> str:
    """What a code means."""
    return categories.nothing if code < 0 else categories.names[code]
