"""The beat of what runs or is held: a strength that swells and fades, only where motion is wanted.

Used by the run tree. The system's wish for less motion is asked at every start: style hints say it
with an animation time of 0.
"""

import math

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStyle, QWidget

_STEP_MS = 150
_STEPS = 10


class PulseAnimation(QObject):
    """Beats while it is started.

    Args:
        widget: what is going to be drawn; nothing beats while it is hidden.
    """

    beaten = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._step = 0
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._on_step)

    @property
    def strength(self) -> float:
        """How strong the mark is now, 0.25 to 1; 1 while nothing moves."""
        if not self._timer.isActive():
            return 1.0
        return 0.625 + 0.375 * math.cos(2 * math.pi * self._step / _STEPS)

    def set_active(self, is_active: bool) -> None:
        """Begin or end to beat."""
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        is_wanted = self._widget.style().styleHint(hint, None, self._widget) > 0
        if not (is_active and is_wanted):
            self._timer.stop()
        elif not self._timer.isActive():
            self._step = 0
            self._timer.start()

    def _on_step(self) -> None:
        self._step = (self._step + 1) % _STEPS
        if self._widget.isVisible():
            self.beaten.emit()
