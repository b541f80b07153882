"""What all pages have in common on which a person writes what shall happen at a stop."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.boxes import column_of


class DecisionPage(QWidget):
    """Emits `changed` when a person wrote or chose something else."""

    changed = Signal()
    listed = Signal()
    """What can be chosen was read."""

    @property
    def is_idle(self) -> bool:
        """Whether all that it shows is there."""
        return True

    @property
    def misfit(self) -> str:
        """Why no decision can come of it yet, "" if one can."""
        return ""

    def show_stop(self, stop: Stop) -> None:
        """Begin with a stop."""
        raise NotImplementedError

    def decision(self) -> StopDecision | None:
        """What the person wants instead, None to go on as it is."""
        raise NotImplementedError

    def shows_problem(self, sentence: str) -> bool:
        """Say in place why the decision does not fit, "" = nothing; False if there is no place."""
        del sentence
        return False

    def stack(self, *widgets: QWidget) -> None:
        """Put widgets one below the other."""
        column_of(*widgets, of=self, gap=SPACE)
