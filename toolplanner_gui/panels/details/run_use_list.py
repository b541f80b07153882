"""The runs that used a toolkit or an API: how the run ended, how these calls went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.telling.run_list import describe_run, run_look
from toolplanner_core.words.wording import one_line, when
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of, pages_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

if TYPE_CHECKING:
    from toolplanner_core.runs.uses import RunUse

_WHEN_WIDTH = 76
_MOST_LOW = 6


class RunUseList(QWidget):
    """A list; says so where there is none.

    Signals:
        run_wanted: a run was clicked, or Return pressed on it; its number, the node of the call.
    """

    run_wanted = Signal(object, object)

    def __init__(self, name: str, *, is_low: bool = False) -> None:
        super().__init__()
        self._is_low = is_low
        self.model = TableModel(("Run and its calls", "When"), self, numbers=(1,))
        self.view = QuietTree(name, is_flat=True)
        self.view.set_model(self.model, {1: _WHEN_WIDTH})
        self._none = text_label("No run has called it.", role="dim", is_wrapped=True)
        self._pages = pages_of(self._none, self.view)
        column_of(self._pages, of=self)
        self.view.activated.connect(self._on_chosen)
        self.view.clicked.connect(self._on_chosen)

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """Show these, the newest first."""
        self.model.update_rows([_row(use) for use in uses])
        self._pages.setCurrentWidget(self.view if uses else self._none)
        if self._is_low:
            self.setFixedHeight((min(len(uses), _MOST_LOW) + 1) * ROW_HEIGHT + 2 * SPACE)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.run_wanted.emit(*index.data(KEY_ROLE))


def _row(use: "RunUse") -> Row:
    look, summary = run_look(use.summary), use.summary
    return Row(
        cells=(
            f"{use.words} · {summary.run}  {one_line(summary.query, 80)}",
            when(summary.started_us / 1e6, is_short=True),
        ),
        key=(summary.run, use.path),
        icon=lambda: make_icon(look.icon, look.token),
        tooltip=f"{use.words}\n{describe_run(summary)}",
    )
