"""The list of trials as an item model: a cell is made when it is painted, so that 100,000 cost
nothing."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject

from toolplanner_core.lab.looking.reading import ExperimentReading, TrialOutcome, outcome_of
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.lab_store import JudgedTrial
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import (
    KEY_ROLE,
    RIGHT,
    ROOT,
    Columns,
    Index,
    Role,
    plain_tooltip,
)

LOOKS = {
    TrialOutcome.SOLVED: ("check-circle", "ok"),
    TrialOutcome.PARTLY: ("circle-half-full", "fell_back"),
    TrialOutcome.UNSOLVED: ("close-circle", "failed"),
    TrialOutcome.NOT_JUDGED: ("help-circle-outline", "waiting"),
    TrialOutcome.BROKEN: ("alert-circle", "failed"),
    TrialOutcome.NOT_MEASURED: ("cloud-off-outline", "waiting"),
    TrialOutcome.TO_COME: ("circle-outline", "waiting"),
}
_LONGEST = 160


class TrialModel(Columns, QAbstractTableModel):
    """Shows trials in the eyes of one judge."""

    titles = ("Query", "Outcome", "Arm", "Seed")
    numbers = (3,)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trials: Sequence[JudgedTrial] = ()
        self._reading: ExperimentReading | None = None
        self._judge = ""

    def show(
        self, trials: Sequence[JudgedTrial], reading: ExperimentReading | None, judge: str
    ) -> None:
        """Show other trials."""
        self.beginResetModel()
        self._trials, self._reading, self._judge = trials, reading, judge
        self.endResetModel()

    def trial_at(self, position: int) -> JudgedTrial | None:
        """The trial of a row."""
        return self._trials[position] if 0 <= position < len(self._trials) else None

    def position_of(self, number: int) -> int | None:
        """The row of a trial by its number."""
        found = (at for at, each in enumerate(self._trials) if each.trial.number == number)
        return next(found, None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._trials)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or self._reading is None:
            return None
        each, column = self._trials[index.row()], index.column()
        if role == Role.DisplayRole:
            return self._text(each, column)
        if role == KEY_ROLE:
            return each.trial.number
        if role == Role.DecorationRole and column == 0:
            return make_icon(*LOOKS[outcome_of(each, self._judge)])
        if role == Role.TextAlignmentRole and column in self.numbers:
            return RIGHT
        if role == Role.ToolTipRole:
            text = self._reading.texts[each.trial.query]
            return plain_tooltip(f"{text}\n{each.why}" if each.why else text)
        return None

    def _text(self, each: JudgedTrial, column: int) -> str:
        assert self._reading is not None
        if column == 0:
            return one_line(self._reading.texts[each.trial.query], _LONGEST)
        if column == 1:
            return outcome_of(each, self._judge)
        return each.trial.arm if column == 2 else str(each.trial.seed)
