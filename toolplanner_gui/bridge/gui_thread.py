"""From other threads to the GUI thread: calls, and batches of items.

Run a function on the GUI thread, asked for from any thread. The one place where threads cross:
jobs, run events and searches all come home through `post`.

What other threads send to the GUI thread, in pieces that do not hold it up. The log of a run hands
its events out 20 times a second (`log/run_log.py`); they are taken as they come. What has piled up
behind a busy window comes in pieces, with turns of the event loop between them.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal


class GuiThreadCalls(QObject):
    """Queue of calls for the thread that made it (the GUI thread)."""

    _asked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], Any]) -> None:
        """Run `call` soon on the GUI thread, in the order of posting. Any thread; never blocks."""
        if not self._is_closed:
            self._asked.emit(call)

    def close(self) -> None:
        """Drop what is still queued and take nothing more: the windows are going."""
        self._is_closed = True

    def _on_asked(self, call: Callable[[], Any]) -> None:
        if not self._is_closed:
            call()


T = TypeVar("T")
MOST_ITEMS = 500
"""In one piece: some 20 ms of folding events and growing rows."""


class BatchInbox(QObject, Generic[T]):
    """Items in, lists out.

    Args:
        calls: the way to the GUI thread.
        deliver: called on the GUI thread with the items since the last time, in order.
    """

    def __init__(
        self,
        calls: GuiThreadCalls,
        deliver: Callable[[list[T]], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._calls = calls
        self._deliver = deliver
        self._lock = threading.Lock()
        self._items: list[T] = []
        self._is_awake = False

    def put(self, items: Sequence[T]) -> None:
        """Add items. Any thread; never blocks."""
        with self._lock:
            self._items.extend(items)
            must_wake, self._is_awake = not self._is_awake, True
        if must_wake:
            self._calls.post(self._deliver_some)

    def flush(self) -> None:
        """Deliver at once all that is there. GUI thread."""
        with self._lock:
            items, self._items = self._items, []
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
            QTimer.singleShot(0, self, self._deliver_some)
