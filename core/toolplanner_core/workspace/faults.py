"""Whether an error is the workspace's: a full disk, a lock, a file that cannot be read.

The writer explains what SQLite says as it happens; readers let it through, from wherever they are
asked. Whoever would take it for somebody else's failure asks here.
"""

import sqlite3
import traceback

from toolplanner_core.errors import WorkspaceError
from toolplanner_core.workspace.writer import explain_sqlite_error

_HERE = __name__.rpartition(".")[0]
_ANY = "The workspace could not be"


def workspace_fault(error: BaseException) -> WorkspaceError | None:
    """The workspace's own error behind this one; None where it is somebody else's, such as that of
    a provider with a database of its own."""
    if isinstance(error, WorkspaceError):
        return error
    if not isinstance(error, sqlite3.Error) or not _came_through_here(error):
        return None
    explained = explain_sqlite_error(error, where="")
    cause = str(error) if explained.what.startswith(_ANY) else explained.what
    return WorkspaceError(f"{_ANY} read: {cause}", todo=explained.todo)


def fault_words(fault: WorkspaceError) -> str:
    """What is said of a run that it ended."""
    return fault.sentence if fault.what.startswith(_ANY) else f"{_ANY} written: {fault.sentence}"


def _came_through_here(error: sqlite3.Error) -> bool:
    places = traceback.walk_tb(error.__traceback__)
    return any(frame.f_globals.get("__name__", "").startswith(_HERE) for frame, _ in places)
