"""All values of a column of the table, to filter by: a list to tick, or two ends of a range.

Opens below the title (F, or a right click on it) and filters at once; a click beside it closes it.
The charts show the most frequent values only, here any of five thousand toolkits is found by words.
"""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QWidget

from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.histograms import top_values, value_name
from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_gui.panels.apis.api_charts import ApiCharts, title_of
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS
from toolplanner_gui.viewmodels.curate.filters import ApiFilter, names_of
from toolplanner_gui.viewmodels.table_model import Row, TableModel
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.search_field import SearchField
from toolplanner_gui.widgets.views import QuietTree, quiet_number

_MOST = 300
"""Values that are listed; others are found by words."""
_SIZE = (340, 340)
_NUMBER = 72
_IS = "="
"""Before each value as the key of its row: the value of APIs without one is empty."""


class ColumnValues(QFrame):
    """Filters by the values of one column.

    Args:
        place: of the column.
        one: its filter now.
        mask: rows that the other filters let through; all if none.
        change: takes the filter that is wanted, none to show all.
    """

    def __init__(
        self,
        charts: ApiCharts,
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
            quiet_number(spin)
            spin.setDecimals(0 if is_whole else 3)
            spin.setSingleStep(1 if is_whole else (high - low) / 20 or 1)
            spin.setRange(low, high)
            spin.setValue(at)
            spin.valueChanged.connect(self._on_ends)
        fields = row_of(self.ends[0], text_label("to", role="dim"), self.ends[1], 1, gap=GAP)
        box = self.layout()
        assert box is not None
        box.addItem(fields)
        box.addWidget(text_label(f"{values.text(low)} to {values.said(high)}", role="dim"))
        self.setFocusProxy(self.ends[0])

    def _on_ends(self) -> None:
        low, high = (spin.value() for spin in self.ends)
        self._change(self._charts.filter_of_span(self._place, min(low, high), max(low, high)))

    def _show_all(self) -> None:
        self._change(None)
        self.close()
