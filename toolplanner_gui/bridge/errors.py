"""An exception as something a person can read: what happened, why, what to do, and the details."""

import traceback
from dataclasses import dataclass

from toolplanner_core.errors import ToolPlannerError, WorkspaceMoved
from toolplanner_core.words.places import PREFERENCES, PROVIDERS_DIALOG


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a banner shows; `details` is for a report, behind "Show details"; `offered` is the id of
    the menu entry that helps, "" = none does; `about` is the stop of a run that it is about: it is
    over with it."""

    what: str
    why: str = ""
    todo: str = ""
    details: str = ""
    offered: str = ""
    about: object = None


def describe(error: BaseException, *, doing: str = "") -> Problem:
    """The problem behind an exception.

    Args:
        error: ours are sentences already; anything else is a fault of the program and says so.
        doing: what was being done, such as "Import", put before a foreign error.
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, ToolPlannerError):
        what = f"{error.where}: {error.what}" if error.where else error.what
        offered = "file.save_as" if isinstance(error, WorkspaceMoved) else ""
        if PROVIDERS_DIALOG in error.todo:
            offered = "run.providers"
        elif PREFERENCES in error.todo:
            offered = "edit.preferences"
        return Problem(what=what, why=error.why, todo=error.todo, details=details, offered=offered)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return Problem(
            what=f"{place}{error.strerror or error}",
            todo="Check that the file and its folder exist and can be read and written",
            details=details,
        )
    return Problem(
        what=f"{doing or 'This'} stopped because of a fault in the program",
        why=f"{type(error).__name__}: {error}",
        todo="What was stored before is safe. Please report the details",
        details=details,
    )
