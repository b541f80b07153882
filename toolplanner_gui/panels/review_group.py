"""The toolkits that a question would merge in one step: a tick-box for each that would join.

Shown on the card of the review (`panels/review_card.py`), right of the toolkit that stays.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from toolplanner_core.curation.questions.queue.card import Side
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import one_line
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label

_NAME = 44
_MEMBERS = 3


class JoiningToolkit(QWidget):
    """One toolkit that would join: whether it does, and what it holds."""

    def __init__(self, side: Side) -> None:
        super().__init__()
        self.toolkit = side.toolkit
        self.box = QCheckBox(one_line(side.name, _NAME).replace("&", "&&"))
        self.box.setChecked(True)
        self.box.setToolTip(plain_tooltip(f"{side.name}\nUnticked it stays as it is"))
        self.box.setAccessibleName(f"Merge {side.name}")
        self.figures = text_label(side.figures, role="dim", is_wrapped=True)
        members = [f"• {title}" for title in side.members[:_MEMBERS]]
        n = side.more + max(0, len(side.members) - _MEMBERS)
        more = [f"and {n:,} more"] if n else []
        self.members = text_label("\n".join((*members, *more)), is_wrapped=True)
        column_of(self.box, self.figures, self.members, of=self, gap=SPACE)


class JoiningToolkits(QWidget):
    """All that would join.

    Signals:
        left_out_changed: a person left some out: a frozenset of ids of toolkits.
    """

    left_out_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[JoiningToolkit] = []
        heading = text_label("Join it", role="section")
        self._column = column_of(heading, of=self, gap=GAP)
        self._column.addStretch(1)

    @property
    def left_out(self) -> frozenset[ToolkitId]:
        """Those without a tick."""
        return frozenset(
            row.toolkit for row in self.rows if row.toolkit is not None and not row.box.isChecked()
        )

    def show_sides(self, sides: Sequence[Side]) -> None:
        """Show these; the same toolkits keep their ticks, and the keyboard where it is."""
        if [row.toolkit for row in self.rows] == [side.toolkit for side in sides]:
            return
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = [JoiningToolkit(side) for side in sides]
        for place, row in enumerate(self.rows):
            self._column.insertWidget(place + 1, row)
            row.box.toggled.connect(self._on_toggled)

    def _on_toggled(self, _on: bool) -> None:
        self.left_out_changed.emit(self.left_out)
