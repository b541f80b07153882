"""Filters of the columns of the table of APIs: by charts below its titles, and by lists of values.

What the charts below the titles of the table show, and what choosing in them filters by. A chart
counts what the filters of the other columns let through: it shows what choosing in it would leave.
No widgets; used by the table of APIs.

All values of a column of the table, to filter by: a list to tick, or two ends of a range. Opens
below the title (F, or a right click on it) and filters at once; a click beside it closes it. The
charts show the most frequent values only, here any of five thousand toolkits is found by words.
"""

from collections.abc import Callable, Iterable

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QWidget

from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.histograms import (
    Steps,
    counts_in,
    steps_of,
    top_values,
    value_name,
)
from toolplanner_core.curation.looking.map_columns import column
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS, TOOL, ApiTableModel
from toolplanner_gui.viewmodels.curate.filters import ApiFilter, names_in_words, names_of
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.chart_header import LINES, HeaderBar, HeaderChart
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree, compact_spin_box

_Values = Categories | Scale


class ColumnCharts:
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
        by, upper = TABLE_COLUMNS[place], values.with_unit(high)
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
            first, last = values.text(low), values.with_unit(high)
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


_MOST = 300
"""Values that are listed; others are found by words."""
_SIZE = (340, 340)
_NUMBER = 72
_IS = "="
"""Before each value as the key of its row: the value of APIs without one is empty."""


class ColumnValueFilter(QFrame):
    """Filters by the values of one column.

    Args:
        place: of the column.
        one: its filter now.
        mask: rows that the other filters let through; all if none.
        change: takes the filter that is wanted, none to show all.
    """

    def __init__(
        self,
        charts: ColumnCharts,
        place: int,
        values: Categories | Scale,
        *,
        one: ApiFilter | None,
        mask: np.ndarray | None,
        change: Callable[[ApiFilter | None], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._charts, self._place, self._values, self._mask = charts, place, values, mask
        self._change = change
        self.names = list(one.values) if one is not None else []
        title = title_of(TABLE_COLUMNS[place])
        self.setAccessibleName(f"Filter by: {title}")
        self.all_button = push_button("Show all", self._show_all, role="link")
        head = row_of((text_label(title, role="heading"), 1), self.all_button)
        column_of(head, of=self, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP)
        if isinstance(values, Scale):
            self._add_ends(values, None if one is None else one.span)
        else:
            self._add_list(values)

    def open_below(self, corner: QPoint) -> None:
        """Open with its left top corner at a place of the screen."""
        self.move(corner)
        self.show()

    def _add_list(self, values: Categories) -> None:
        self.field = SearchField(f"Find among {counted(len(values.names), 'value')}")
        self.model = TableModel(("Value", "APIs"), self, numbers=(1,))
        self.view = QuietTree("Values of the column", is_flat=True)
        self.view.set_model(self.model, {1: _NUMBER})
        self.note = text_label(role="dim", is_wrapped=True)
        box = self.layout()
        assert box is not None
        for part in (self.field, self.view, self.note):
            box.addWidget(part)
        self.resize(*_SIZE)
        self.field.searched.connect(lambda _text: self._list(values))
        self.field.left_down.connect(self.view.setFocus)
        self.model.switched.connect(self._on_switched)
        self._list(values)
        self.setFocusProxy(self.field)

    def _list(self, values: Categories) -> None:
        words = self.field.text().casefold().split()
        chosen = {code for code in range(-1, len(values.names)) if self._name(code) in self.names}
        found = [
            (code, n)
            for code, n in top_values(values, self._mask, len(values.names) + 1, [*chosen])
            if all(word in value_name(values, code).casefold() for word in words)
        ]
        self.model.set_rows(
            [
                Row(
                    cells=(one_line(value_name(values, code)), count(n)),
                    key=f"{_IS}{self._name(code)}",
                    is_on=code in chosen,
                )
                for code, n in found[:_MOST]
            ]
        )
        more = len(found) - _MOST
        self.note.setText(f"{count(more)} more: type to find them." if more > 0 else "")
        self.note.setVisible(more > 0)

    def _name(self, code: int) -> str:
        assert isinstance(self._values, Categories)
        return names_of(self._values, [code])[0]

    def _on_switched(self, key: str, is_on: bool) -> None:
        name = key.removeprefix(_IS)
        others = [one for one in self.names if one != name]
        self.names = [*others, name] if is_on else others
        self._change(self._charts.filter_of_names(self._place, self.names))
        assert isinstance(self._values, Categories)
        top = self.view.verticalScrollBar().value()
        self._list(self._values)
        self.view.verticalScrollBar().setValue(top)

    def _add_ends(self, values: Scale, span: tuple[float, float] | None) -> None:
        known = values.values[np.isfinite(values.values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        is_whole = bool(np.all(known == np.round(known)))
        self.ends = (QDoubleSpinBox(), QDoubleSpinBox())
        for spin, name, at in zip(
            self.ends, ("Least", "Greatest"), span or (low, high), strict=True
        ):
            named(spin, f"{name} figure")
            compact_spin_box(spin)
            spin.setDecimals(0 if is_whole else 3)
            spin.setSingleStep(1 if is_whole else (high - low) / 20 or 1)
            spin.setRange(low, high)
            spin.setValue(at)
            spin.valueChanged.connect(self._on_ends)
        fields = row_of(self.ends[0], text_label("to", role="dim"), self.ends[1], 1, gap=GAP)
        box = self.layout()
        assert box is not None
        box.addItem(fields)
        box.addWidget(text_label(f"{values.text(low)} to {values.with_unit(high)}", role="dim"))
        self.setFocusProxy(self.ends[0])

    def _on_ends(self) -> None:
        low, high = (spin.value() for spin in self.ends)
        self._change(self._charts.filter_of_span(self._place, min(low, high), max(low, high)))

    def _show_all(self) -> None:
        self._change(None)
        self.close()
