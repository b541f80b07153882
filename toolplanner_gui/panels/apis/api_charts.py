"""What the charts below the titles of the table show, and what choosing in them filters by.

A chart counts what the filters of the other columns let through: it shows what choosing in it would
leave. No widgets; used by the table of APIs.
"""

from collections.abc import Iterable

import numpy as np

from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.histograms import (
    Steps,
    counts_in,
    steps_of,
    top_values,
    value_name,
)
from toolplanner_core.curation.looking.map_columns import column
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS, TOOL, ApiTableModel
from toolplanner_gui.viewmodels.curate.filters import ApiFilter, names_in_words, names_of
from toolplanner_gui.widgets.header_charts import LINES, HeaderBar, HeaderChart

_Values = Categories | Scale


class ApiCharts:
    """Charts and filters of the columns of a table.

    Args:
        model: whose values they are.
    """

    def __init__(self, model: ApiTableModel) -> None:
        self._model = model
        self._steps: dict[int, tuple[_Values, Steps]] = {}

    def chart(
        self, place: int, one: ApiFilter | None, mask: np.ndarray | None
    ) -> HeaderChart | None:
        """The chart of a column; none for names, and before its values were read.

        Args:
            place: of the column.
            one: its filter.
            mask: rows that the other filters let through; all if none.
        """
        values = self._model.values(place)
        if isinstance(values, Categories):
            return _values_chart(values, one, mask)
        return None if values is None else self._scale_chart(place, values, one, mask)

    def filter_of(
        self, place: int, chart: HeaderChart, bars: Iterable[int], before: ApiFilter | None
    ) -> ApiFilter | None:
        """The filter that chosen bars mean; none if it would let nothing through.

        Args:
            bars: positions; of a scale the first and the last count.
            before: the filter that they are added to, and taken from if they are part of it.
        """
        values, chosen = self._model.values(place), list(bars)
        if isinstance(values, Scale):
            steps = self._steps_of(place, values)
            low = float(steps.lows[min(chosen)])
            high = float(steps.highs[max(chosen)])
            if before is not None and before.span is not None:
                low, high = min(low, before.span[0]), max(high, before.span[1])
            return self.filter_of_span(place, low, high)
        own = [chart.bars[bar].key for bar in chosen]
        if before is None or not before.values:
            return self.filter_of_names(place, own)
        if set(own) <= set(before.values):
            return self.filter_of_names(place, [n for n in before.values if n not in own])
        return self.filter_of_names(place, [*before.values, *own])

    def filter_of_names(self, place: int, names: Iterable[str]) -> ApiFilter | None:
        """Let the APIs of these categories through; "" stands for those without one."""
        values, wanted = self._model.values(place), tuple(dict.fromkeys(names))
        if not isinstance(values, Categories) or not wanted:
            return None
        by = TABLE_COLUMNS[place]
        made = ApiFilter(
            id=by,
            words=f"{title_of(by)}: {names_in_words(values, wanted)}",
            rowids=np.zeros(0, np.int64),
            values=wanted,
        )
        rowids = self._model.table.rowids[np.isin(values.codes, made.codes(values))]
        return ApiFilter(id=by, words=made.words, rowids=rowids, values=wanted)

    def filter_of_span(self, place: int, low: float, high: float) -> ApiFilter | None:
        """Let the APIs whose figure lies between two ends, these included, through."""
        values = self._model.values(place)
        if not isinstance(values, Scale):
            return None
        own = (values.values >= low) & (values.values <= high)
        by, upper = TABLE_COLUMNS[place], values.said(high)
        is_one = values.text(low) == values.text(high)
        words = upper if is_one else f"{values.text(low)} to {upper}"
        return ApiFilter(
            id=by,
            words=f"{title_of(by)}: {words}",
            rowids=self._model.table.rowids[own],
            span=(low, high),
        )

    def _scale_chart(
        self, place: int, values: Scale, one: ApiFilter | None, mask: np.ndarray | None
    ) -> HeaderChart | None:
        steps = self._steps_of(place, values)
        totals, counts = counts_in(steps, None).tolist(), counts_in(steps, mask).tolist()
        if not totals:
            return None
        span = None if one is None else one.span
        bars: list[HeaderBar] = []
        ends = zip(steps.lows.tolist(), steps.highs.tolist(), strict=True)
        for i, (low, high) in enumerate(ends):
            first, last = values.text(low), values.said(high)
            label = last if values.text(high) == first else f"{first} to {last}"
            is_chosen = span is not None and span[0] <= low and high <= span[1]
            bars.append(
                HeaderBar(label=label, count=counts[i], total=totals[i], is_chosen=is_chosen)
            )
        low, high = values.text(float(steps.lows[0])), values.text(float(steps.highs[-1]))
        return HeaderChart(bars=bars, is_scale=True, low=low, high=high if high != low else "")

    def _steps_of(self, place: int, values: Scale) -> Steps:
        known = self._steps.get(place)
        if known is None or known[0] is not values:
            known = self._steps[place] = (values, steps_of(values))
        return known[1]


def title_of(name: str) -> str:
    """What a column of the table is called in full."""
    return "Tool" if name == TOOL else column(name).title


def _values_chart(
    values: Categories, one: ApiFilter | None, mask: np.ndarray | None
) -> HeaderChart:
    chosen = one.codes(values) if one is not None and one.values else ()
    totals = np.bincount(values.codes + 1, minlength=len(values.names) + 1)
    bars = [
        HeaderBar(
            label=value_name(values, code),
            count=count,
            total=int(totals[code + 1]),
            is_chosen=code in chosen,
            key=names_of(values, [code])[0],
        )
        for code, count in top_values(values, mask, LINES, chosen)
    ]
    return HeaderChart(bars=bars, is_scale=False)
