"""Another meaning of the colours than the toolkit: categories or a scale; no Qt.

A colouring holds a small number for each point, an index into the colours of its scheme, so that a
recoloured million is one array of bytes and a change of theme costs nothing. Made by the panel from
a column, called by points.py (drawing) and legend.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from toolplanner_gui.map.toolkit_colours import CATEGORY_COUNT, NO_CATEGORY, NO_VALUE, RAMP_STEPS

Scheme = Literal["categories", "ramp"]
LEGEND_ROWS = 100
"""Beyond, the rarest categories share a row."""
CENTRAL_SHARE = 0.02


class LegendRow(NamedTuple):
    """One line of a legend.

    Attributes:
        text: what the colour means.
        count: points of this colour and meaning.
        colour: index into the colours of the scheme.
        codes: categories that it stands for, -1 for points without one; several for "others".
    """

    text: str
    count: int
    colour: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnColouring:
    """What each point is coloured by.

    Attributes:
        id: of the column.
        title: of the column, for the legend.
        scheme: which colours the indices mean.
        index: `(n,) uint8`.
        rows: of the legend, most frequent first; of a scale only "no value".
        low: text at the low end of a scale.
        high: text at its high end.
    """

    id: str
    title: str
    scheme: Scheme
    index: np.ndarray
    rows: tuple[LegendRow, ...] = ()
    low: str = ""
    high: str = ""


def colour_categories(
    id: str,  # noqa: A002 - the name of the attribute
    title: str,
    codes: np.ndarray,
    names: Sequence[str],
    *,
    colours: np.ndarray | None = None,
    nothing: str = "None",
) -> ColumnColouring:
    """Colour points by a category.

    Args:
        id: of the column.
        title: of the column.
        codes: `(n,) int`, index into `names`, -1 for none.
        names: of the categories.
        colours: `(k,)` palette index of each category, several of which may share one; if none,
            the most frequent get one each and the rest is grey.
        nothing: what -1 means.
    """
    counts = np.bincount(codes + 1, minlength=len(names) + 1)
    order = np.argsort(-counts[1:], kind="stable")
    order = order[counts[1:][order] > 0]
    table = np.full(len(names) + 1, NO_CATEGORY, np.uint8)
    if colours is not None:
        table[1:] = colours
    else:
        own = order if len(order) <= CATEGORY_COUNT else order[: CATEGORY_COUNT - 1]
        table[own + 1] = np.arange(len(own))
    listed = order if len(order) <= LEGEND_ROWS else order[: LEGEND_ROWS - 1]
    rows = [
        LegendRow(str(names[i]), int(counts[i + 1]), int(table[i + 1]), (i,))
        for i in listed.tolist()
    ]
    rest = order[len(listed) :]
    if len(rest):
        many = int(counts[rest + 1].sum())
        # With colours of their own the rest has no single one to show.
        rows.append(LegendRow(f"{len(rest):,} others", many, NO_CATEGORY, tuple(rest.tolist())))
    if counts[0]:
        rows.append(LegendRow(nothing, int(counts[0]), NO_CATEGORY, (-1,)))
    return ColumnColouring(
        id=id, title=title, scheme="categories", index=table[codes + 1], rows=tuple(rows)
    )


def colour_values(
    id: str,  # noqa: A002 - the name of the attribute
    title: str,
    values: np.ndarray,
    *,
    text: Callable[[float], str],
    ends: tuple[float, float] | None = None,
    nothing: str = "not known",
) -> ColumnColouring:
    """Colour points by a figure, on a scale whose steps look equally far apart.

    Args:
        id: of the column.
        title: of the column.
        values: `(n,) float`, nan for none.
        text: how a figure is written.
        ends: what the two ends of the scale mean; without the outermost hundredths, which would
            leave one colour for all others and are told as beyond the ends, if none.
        nothing: what nan means.
    """
    is_known = np.isfinite(values)
    known = values[is_known]
    if ends is not None:
        low, high = ends
    elif len(known):
        low, high = (float(v) for v in np.quantile(known, [CENTRAL_SHARE, 1 - CENTRAL_SHARE]))
        if low == high:
            low, high = float(known.min()), float(known.max())
    else:
        low = high = 0.0
    extent = (high - low) or 1.0
    with np.errstate(invalid="ignore"):
        step = np.clip((values - low) * (RAMP_STEPS / extent), 0, RAMP_STEPS - 1)
    index = np.full(len(values), NO_VALUE, np.uint8)
    index[is_known] = step[is_known].astype(np.uint8)
    missing = len(values) - len(known)
    rows = (LegendRow(nothing, missing, NO_VALUE, (-1,)),) if missing else ()
    return ColumnColouring(
        id=id,
        title=title,
        scheme="ramp",
        index=index,
        rows=rows,
        low=_end(text, low, "≤", known.min() < low) if len(known) else "",
        high=_end(text, high, "≥", known.max() > high) if len(known) else "",
    )


def count_rows(rows: Sequence[LegendRow], codes: np.ndarray, mask: np.ndarray) -> tuple[int, ...]:
    """How many points of a mask each row of a legend stands for.

    Args:
        codes: `(n,) int`, the category of each point, -1 for none.
        mask: `(n,) bool`.
    """
    most = max((code for row in rows for code in row.codes), default=-1)
    counts = np.bincount(codes[mask] + 1, minlength=most + 2)
    return tuple(int(counts[np.array(row.codes) + 1].sum()) for row in rows)


def _end(text: Callable[[float], str], value: float, beyond: str, goes_on: bool) -> str:
    """The text at an end of a scale, which says where there are figures beyond it."""
    return f"{beyond} {text(value)}" if goes_on else text(value)
