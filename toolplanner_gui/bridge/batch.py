"""Collects items from other threads and hands them to the GUI thread every 50 ms.

Why: one signal per event stalls the window (865 events/s one by one against 40,800 in batches,
architecture "Threads"). What has piled up behind a busy window comes in pieces, with turns of the
event loop between them. Used for the events of runs.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer

from toolplanner_gui.bridge.gui_calls import GuiCalls

T = TypeVar("T")
BATCH_MS = 50
MOST_ITEMS = 500
"""In one piece: some 20 ms of folding events and growing rows."""


class Batch(QObject, Generic[T]):
    """Items in, lists out.

    Args:
        calls: the way to the GUI thread.
        deliver: called on the GUI thread with the items since the last time, in order.
    """

    def __init__(
        self, calls: GuiCalls, deliver: Callable[[list[T]], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._calls = calls
        self._deliver = deliver
        self._lock = threading.Lock()
        self._items: list[T] = []
        self._is_awake = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(BATCH_MS)
        self._timer.timeout.connect(self._deliver_some)

    def put(self, items: Sequence[T]) -> None:
        """Add items. Any thread; never blocks."""
        with self._lock:
            self._items.extend(items)
            if self._is_awake:
                return
            self._is_awake = True
        self._calls.post(self._timer.start)

    def flush(self) -> None:
        """Deliver at once all that is there. GUI thread."""
        self._timer.stop()
        with self._lock:
            items, self._items = self._items, []
            self._is_awake = False
        if items:
            self._deliver(items)

    def _deliver_some(self) -> None:
        with self._lock:
            items, self._items = self._items[:MOST_ITEMS], self._items[MOST_ITEMS:]
            self._is_awake = bool(self._items)
            is_more = self._is_awake
        if items:
            self._deliver(items)
        if is_more:
            self._timer.start(0)
        else:
            self._timer.setInterval(BATCH_MS)
