"""Qt's own messages go to the log of this program, at the level they have.

Called once at start-up.
"""

import logging

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
