"""Which transitions of the graph of tools are drawn on the map: those at what is selected.

Told by the graph panel while it is seen, drawn by the map panel.
"""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import ApiId


class Arrow(NamedTuple):
    """A transition from one API to another; `title` is of the second; `weight` from 0 to 100."""

    before: ApiId
    after: ApiId
    title: str
    weight: int


class Transitions(QObject):
    """What is drawn now. GUI thread.

    Signals:
        changed: other arrows, or none.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.arrows: Sequence[Arrow] = ()
        """The greatest weight first."""
        self.words = ""
        """What they are, in one line."""

    def show(self, arrows: Sequence[Arrow], words: str) -> None:
        """Draw these instead; none takes all away."""
        if list(arrows) != list(self.arrows) or words != self.words:
            self.arrows, self.words = tuple(arrows), words
            self.changed.emit()
