"""The log of the window, with what Qt says: a file in the folder that the system keeps for that.

Qt's own messages go to the log of this program, at the level they have. Called once at start-up.

The log of the window: a file in the folder that the system keeps for that, a megabyte at most. An
installed program has no terminal; what went wrong is read here. The two files before it are kept.
Secrets are blacked out in it, also in the words of errors.
"""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_log = logging.getLogger("qt")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
# The offscreen platform says this of every window that is shown; it means nothing there.
_MEANINGLESS = "This plugin does not support propagateSizeHints"


def route_qt_messages() -> None:
    """Send what Qt says to the logger "qt"."""
    qInstallMessageHandler(_log_message)


def _log_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    if not message.startswith(_MEANINGLESS):
        _log.log(_LEVELS.get(kind, logging.WARNING), "%s: %s", context.category, message)


_SIZE_BYTES = 1_000_000
_KEPT = 2


def log_path() -> Path:
    """The file."""
    return platformdirs.user_log_path("toolplanner", appauthor=False) / "window.log"


def start_log_file(path: Path | None = None) -> logging.Handler | None:
    """Write the program's log into its file from now on; None where that cannot be.

    Args:
        path: another file.
    """
    place = path or log_path()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            place, maxBytes=_SIZE_BYTES, backupCount=_KEPT, encoding="utf-8"
        )
    except OSError as error:
        logging.getLogger(__name__).warning("There is no log: %s", error)
        return None
    handler.setFormatter(_WithoutSecrets("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    return handler


class _WithoutSecrets(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        from toolplanner_core.runs.log.redaction import Redactor

        return Redactor().text(super().format(record))
