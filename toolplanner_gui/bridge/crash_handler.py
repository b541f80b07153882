"""What to do with an error that nobody has caught: into the log, and a report for the person."""

import logging
import sys
import threading
from types import TracebackType

from PySide6.QtCore import QObject, Signal, qVersion

from toolplanner_core.jobs.isolation import build_fault_report

_log = logging.getLogger(__name__)


class CrashHandler(QObject):
    """Takes the place of Python's own printing of such errors, until `close`.

    Signals:
        happened: there is a report, a text; on the GUI thread, wherever the error was.
    """

    happened = Signal(str)
    _noticed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # By way of this object, which lives on the GUI thread.
        self._noticed.connect(self.happened)
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error

    def close(self) -> None:
        """Let Python print them again."""
        sys.excepthook, threading.excepthook = self._before

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        _log.critical("An error that nobody has caught", exc_info=(kind, error, trace))
        self._noticed.emit(build_fault_report(error, beside=f"Qt {qVersion()}"))

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)
