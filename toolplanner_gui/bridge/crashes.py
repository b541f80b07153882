"""What to do with an error that nobody has caught: into the log, and a report for the person.

The report names the program, the system and the places in the code. It holds no message of the
error and no path of the machine: both can carry what somebody was working on.
"""

import logging
import platform
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Signal, qVersion

from toolplanner_core.resources import what_is_built

_log = logging.getLogger(__name__)


class Crashes(QObject):
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
        self._noticed.emit(report_of(error))

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)


def report_of(error: BaseException) -> str:
    """What a person can send to those who make the program."""
    lines = [
        f"ToolPlanner {what_is_built()}",
        f"{platform.platform()}, Python {platform.python_version()}, Qt {qVersion()}",
    ]
    seen: BaseException | None = error
    while seen is not None:
        lines.append(f"{type(seen).__module__}.{type(seen).__qualname__}".removeprefix("builtins."))
        lines += [
            f"  {_place(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(seen.__traceback__)
        ]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines)


def _place(file: str) -> str:
    """A file of code without the folders that are this machine's."""
    parts = Path(file).parts
    roots = ("toolplanner_core", "toolplanner_gui", "site-packages")
    begin = next((i for i, part in enumerate(parts) if part in roots), len(parts) - 1)
    return "/".join(parts[begin:])
