"""Says how well a set of points belongs together: while it is drawn, and once it is selected.

Called by the canvas; the figure is worked out beside the GUI (coherence.py).
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.map_finding import coherence, coherence_in_words
from toolplanner_core.words.formatting import counted
from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.overlay_cards import ToolHint


class CohesionHint(QObject):
    """Words for the hint and the legend.

    Args:
        stage: the points.
        hint: says it of a shape that is being drawn.
        background: where it is worked out.

    Signals:
        told: the words for the selection are others.
    """

    told = Signal()

    def __init__(self, stage: LayerStack, hint: ToolHint, background: BackgroundWorker) -> None:
        super().__init__(stage)
        self._stage = stage
        self._hint = hint
        self._background = background
        self.words = ""

    def measure(self) -> None:
        """Work out anew what to say of the selection."""
        self.words = ""
        points, near = self._stage.points, self._stage.neighbours
        mask = points.selection.mask
        if near is None or len(near) != len(mask) or points.selection.count < 2:
            return

        def tell(share: float | None) -> None:
            if points is self._stage.points and share is not None:
                self.words = coherence_in_words(share)
                self.told.emit()

        self._background.start("coherence", lambda: coherence(near, mask), tell)

    def tell_shape(self, count: int, share: float | None) -> None:
        """Say what a shape holds that is being drawn."""
        held = "" if share is None else f" · {coherence_in_words(share)} in meaning"
        self._hint.say(f"{counted(count, 'API')}{held}")

    def end_shape(self, shape: object) -> None:
        """Stop saying it when the shape has ended."""
        if shape is None:
            self._hint.say("")
