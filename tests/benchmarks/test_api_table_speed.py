"""The table of APIs at 45,000 rows: shown, filtered, brushed, sorted in a turn of the window.

Targets: open within 100 ms, a filter within 50 ms, of the GUI thread (`figures.py`).
"""

import time
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.figures import Figures
from PySide6.QtCore import Qt

from toolplanner_core.curation.looking.api_columns import ApiTable, alphabetical
from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.map_columns import COLUMNS
from toolplanner_gui.panels.api_column_filters import ColumnCharts
from toolplanner_gui.panels.apis_panel import ApiTableView
from toolplanner_gui.viewmodels.curate.api_table import (
    FIGURES,
    TABLE_COLUMNS,
    USUAL_COLUMNS,
    ApiTableModel,
)
from toolplanner_gui.viewmodels.curate.filters import TYPED, ApiFilter, ApiFilters

_APIS = 45_000
_KINDS = {"toolkit": 5_000, "region": 30, "category": 49, "method": 5, "risk": 3, "source": 2}


@pytest.fixture(scope="module")
def table() -> ApiTable:
    chance = np.random.default_rng(0)
    words = [f"get {chance.integers(1_000_000)} weather of {i % 977}" for i in range(_APIS)]

    def kinds(n: int) -> Categories:
        return Categories(
            chance.integers(-1, n, _APIS).astype(np.int32), [f"K{i}" for i in range(n)]
        )

    columns: dict[str, Categories | Scale] = {}
    for each in COLUMNS:
        scale = Scale(chance.lognormal(size=_APIS), lambda v: f"{v:.2f}")
        columns[each.id] = scale if each.id in FIGURES else kinds(_KINDS.get(each.id, 2))
    return ApiTable(
        rowids=np.arange(1, _APIS + 1, dtype=np.int64),
        names=words,
        words=words,
        order=alphabetical(words),
        tools=kinds(10_000),
        columns=columns,
    )


def own_ms(work: Callable[[], object], rounds: int = 5) -> float:
    times: list[float] = []
    for _ in range(rounds):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return min(times) * 1000


def test_table_of_45k_is_shown_filtered_and_sorted_in_a_turn(
    qtbot, table: ApiTable, figures: Figures
) -> None:
    model = ApiTableModel()
    view = ApiTableView(model, USUAL_COLUMNS)
    qtbot.addWidget(view)
    view.resize(900, 320)
    view.header.show_charts(True)
    view.show()
    filters, charts = ApiFilters(), ColumnCharts(model)

    def show() -> None:
        model.show_only(filters.mask(table.rowids))
        found = {
            place: charts.chart(place, filters.get(name), filters.mask(table.rowids, without=name))
            for place, name in enumerate(TABLE_COLUMNS)
            if name in USUAL_COLUMNS
        }
        view.header.set_charts({place: one for place, one in found.items() if one is not None})
        view.grab()

    def typed() -> None:
        rowids = table.rowids[model.with_words("weather 12")]
        filters.put(ApiFilter(id=TYPED, words="", rowids=rowids))
        show()

    def chosen(name: str, bars: range) -> Callable[[], None]:
        place = TABLE_COLUMNS.index(name)

        def work() -> None:
            chart = charts.chart(place, None, None)
            assert chart is not None
            one = charts.filter_of(place, chart, bars, None)
            assert one is not None
            filters.put(one)
            show()

        return work

    assert figures.ms(
        "table of 45,000 APIs: shown", own_ms(lambda: (model.set_table(table, None), show())), 100
    )
    assert figures.ms("table of 45,000 APIs: words typed", own_ms(typed), 50)
    assert figures.ms(
        "table of 45,000 APIs: range brushed", own_ms(chosen("cohesion", range(9))), 50
    )
    assert figures.ms(
        "table of 45,000 APIs: category chosen", own_ms(chosen("category", range(1))), 50
    )
    assert 0 < model.rowCount() < _APIS
    filters.clear()
    columns = iter([0, 2, 0, 2, 0])
    falling = Qt.SortOrder.DescendingOrder
    assert figures.ms(
        "table of 45,000 APIs: sorted", own_ms(lambda: model.sort(next(columns), falling)), 50
    )
