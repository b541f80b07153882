"""Python's collector of cycles, in the thread of the window only.

By itself it runs in whatever thread happens to allocate: a worker that reads a run then destroys a
dropped panel together with its timers and its place in Qt's lists, while the window's thread walks
through them; the process ends with a segmentation fault some turns later.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_PERIOD_MS = 500
_OLDEST = 2
_GROWTH = 0.25
"""How much has to be new before all is looked through: Python's own share."""


class GuiGarbageCollector(QObject):
    """Collects by a timer instead, in the generations and at the thresholds of Python.

    Args:
        parent: lives in the thread of the window.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_on = gc.isenabled()
        self._n_new, self._n_old = 0, 0
        gc.disable()
        self._timer = QTimer(self, interval=_PERIOD_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what is due now."""
        for generation, threshold in enumerate(gc.get_threshold()):
            # Counted by Python also while its own collecting is off.
            count = gc.get_count()[generation]
            if count <= threshold:
                return
            if generation == 0:
                self._n_new += count
            elif generation == _OLDEST and self._n_new < _GROWTH * self._n_old:
                return
            gc.collect(generation)
        self._n_new, self._n_old = 0, len(gc.get_objects())

    def close(self) -> None:
        """Leave collecting to Python again, as it was."""
        self._timer.stop()
        if self._was_on:
            gc.enable()
