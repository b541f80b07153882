"""Work of tens of milliseconds beside the GUI: colours and label plans, after the first paint.

Short numpy work on arrays that nobody writes to: a thread is right, a process would cost more than
the work. Results come back as a queued signal, only the newest of each kind counts. Called by the
canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event, Lock
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot


class BackgroundWorker(QObject):
    """Runs functions one after the other in a thread of its own.

    Args:
        parent: whoever owns it; results that come after its end are dropped.
    """

    _finished = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="map")
        self._newest: dict[str, int] = {}
        self._pending = 0
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._handing, self._is_gone = Lock(), Event()
        parent.destroyed.connect(partial(_end, self._pool, self._handing, self._is_gone))

    @property
    def is_busy(self) -> bool:
        """Whether something has been started whose result has not been handed over."""
        return self._pending > 0

    def start(self, kind: str, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Run `work` in the thread, then `then` with its result in the GUI thread.

        Args:
            kind: a newer work of the same kind makes the result of an older one void.
            work: touches no Qt object.
            then: called unless a newer one was started or the parent is gone.
        """
        number = self._newest.get(kind, 0) + 1
        self._newest[kind] = number
        self._pending += 1

        def run() -> None:
            # A failed work is handed over as well, so that it is raised where someone sees it.
            error: BaseException | None = None
            result: Any = None
            try:
                if self._newest.get(kind) == number:
                    result = work()
            except Exception as caught:  # noqa: BLE001 - raised again in the GUI thread
                error = caught
            # The C++ half goes with its window: not while a result is handed over, and none after.
            with self._handing:
                if not self._is_gone.is_set():
                    self._finished.emit((kind, number, result, error, then))

        self._pool.submit(run)

    @Slot(object)
    def _on_finished(
        self, done: tuple[str, int, Any, BaseException | None, Callable[[Any], None]]
    ) -> None:
        kind, number, result, error, then = done
        self._pending = max(self._pending - 1, 0)
        if error is not None:
            raise error
        if self._newest.get(kind) == number:
            then(result)


def _end(pool: ThreadPoolExecutor, handing: Lock, is_gone: Event) -> None:
    with handing:
        is_gone.set()
    pool.shutdown(wait=False, cancel_futures=True)
