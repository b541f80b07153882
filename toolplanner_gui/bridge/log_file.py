"""The log of the window: a file in the folder that the system keeps for that, a megabyte at most.

An installed program has no terminal; what went wrong is read here. The two files before it are
kept. Secrets are blacked out in it, also in the words of errors.
"""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

_SIZE_BYTES = 1_000_000
_KEPT = 2


def log_path() -> Path:
    """The file."""
    return platformdirs.user_log_path("toolplanner", appauthor=False) / "window.log"


def keep_log(path: Path | None = None) -> logging.Handler | None:
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
        from toolplanner_core.runs.stages.redaction import Redactor

        return Redactor().text(super().format(record))
