"""An exception as something a person can read: what happened, why, what to do, and the details."""

from dataclasses import dataclass

from PySide6.QtCore import qVersion

from toolplanner_core.errors import (
    BadInput,
    Cancelled,
    EmbedderUnavailable,
    ModelUnavailable,
    NetworkError,
    NetworkTimeout,
    NotFound,
    ReplyUnusable,
    SandboxMissing,
    ToolPlannerError,
    WorkerDied,
    WorkspaceError,
    WorkspaceFull,
    WorkspaceMoved,
)
from toolplanner_core.jobs.isolation import build_fault_report
from toolplanner_core.words.window_places import PREFERENCES, PROVIDERS_DIALOG

_USUAL: dict[type[ToolPlannerError], str] = {
    BadInput: "Change it and try again",
    NotFound: "It may be gone since: choose another one",
    WorkspaceFull: "Make room, or save it elsewhere with File > Save as",
    WorkspaceError: "Open another file, or a copy of this one",
    NetworkTimeout: "Try again later",
    ReplyUnusable: "Try another address, or ask who runs the server",
    NetworkError: "Check the address and the connection, then try again",
    EmbedderUnavailable: "Choose another embedder in Toolkits > Prepare",
    ModelUnavailable: f"Look at {PREFERENCES}: address, key and name of the model",
    SandboxMissing: "Choose another strategy beside Run",
    WorkerDied: "Try again with fewer APIs or other programs closed; else report the details",
    Cancelled: "Begin again when you like",
    ToolPlannerError: "Try again; if it stays so, report the details",
}
"""What to do where an error does not say it better itself."""


AN_EDIT = "an edit"
"""What a problem is about that the next edit which is made ends."""
A_RUN = "a run"
"""What a problem is about that ends as soon as another run begins or is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a banner shows; `details` is for a report, behind "Show details"; `offered` are the ids
    of menu entries that help; `about` is the stop of a run that it is about, `AN_EDIT` or
    `A_RUN`: it is over with it, with the next edit that is made, or with the next run."""

    what: str
    why: str = ""
    todo: str = ""
    details: str = ""
    offered: tuple[str, ...] = ()
    about: object = None
    is_moved: bool = False
    """The file is not where it was: over as soon as it is back."""


def describe(error: BaseException, *, doing: str = "") -> Problem:
    """The problem behind an exception.

    Args:
        error: ours are sentences already; anything else is a fault of the program and says so.
        doing: what was being done, such as "Import", put before a foreign error.
    """
    details = build_fault_report(error, beside=f"Qt {qVersion()}")
    if isinstance(error, ToolPlannerError):
        what = f"{error.where}: {error.what}" if error.where else error.what
        is_moved = isinstance(error, WorkspaceMoved)
        offered = ("file.save_as",) if is_moved else ()
        todo = error.todo or next(_USUAL[kind] for kind in type(error).mro() if kind in _USUAL)
        if PROVIDERS_DIALOG in todo:
            offered = ("run.providers",)
        elif PREFERENCES in todo:
            offered = ("edit.preferences",)
        return Problem(
            what=what,
            why=error.why,
            todo=todo,
            details=details,
            offered=offered,
            is_moved=is_moved,
        )
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
