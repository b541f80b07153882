"""Every exception this program raises on purpose, as one tree.

    ToolPlannerError                what went wrong, why, and what to do
    ├── UserError                   the input or the machine, not the program: shown as a sentence
    │   ├── BadInput                a file, option or record that cannot be used
    │   ├── NotFound                an id or name that the workspace does not hold
    │   ├── WorkspaceError
    │   │   ├── WorkspaceMissing    no file at that path
    │   │   ├── WorkspaceExists     a new workspace would overwrite a file
    │   │   ├── NotAWorkspace       a file, but not one of ours
    │   │   ├── WorkspaceTooNew     written by a newer ToolPlanner
    │   │   ├── WorkspaceDamaged    SQLite's integrity check failed
    │   │   ├── WorkspaceAltered    somebody else changed its tables, or put triggers in
    │   │   ├── WorkspaceMoved      the file went elsewhere while it was open
    │   │   └── WorkspaceFull       the disk or quota is full, or the file is read-only
    │   ├── NetworkError            an address gave nothing, or nothing that may be taken
    │   │   ├── NetworkRefused      a rule for the network, or a person, does not allow it
    │   │   │   └── RedirectRefused a server that was asked led on to such an address
    │   │   ├── NetworkTimeout      it was not there in time
    │   │   └── ReplyUnusable       too large, wrongly packed, or leading on without end
    │   ├── EmbedderUnavailable     weights or packages of an embedder are missing
    │   ├── ModelUnavailable        a language model has no key, address or answer
    │   └── SandboxMissing          programs written by a model cannot run on this machine
    ├── PartsFailed                 a fault of ours: some parts of a whole were made plainly
    ├── WorkerDied                  a worker process ended without an answer
    └── Cancelled                   a person stopped the work; nothing is wrong

A tool or model that fails *inside a run* is an event with an error class (`domain/failure.py`),
not an
exception. Programming mistakes stay what Python makes of them.
"""


class ToolPlannerError(Exception):
    """Base of all deliberate errors.

    Args:
        what: what went wrong, one sentence without a full stop needed.
        where: file, line, JSON path or command the sentence is about.
        why: the cause, if it is known and not plain from `what`.
        todo: what the reader can do now.
    """

    def __init__(self, what: str, *, where: str = "", why: str = "", todo: str = "") -> None:
        self.what = what
        self.where = where
        self.why = why
        self.todo = todo
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """All parts as one line of plain text."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return " ".join(
            part if part.endswith((".", "?")) else f"{part}."
            for part in (head, self.why, self.todo)
            if part
        )

    @property
    def short(self) -> str:
        """What went wrong and what to do, where the place says the rest."""
        return type(self)(self.what, todo=self.todo).sentence

    def __reduce__(self) -> tuple[object, ...]:
        """Survive the trip back from a worker process."""
        return (_rebuild, (type(self), self.what, self.where, self.why, self.todo))


def _rebuild(
    kind: type[ToolPlannerError], what: str, where: str, why: str, todo: str
) -> ToolPlannerError:
    return kind(what, where=where, why=why, todo=todo)


class UserError(ToolPlannerError):
    """The input or the machine is at fault; the command line exits with 2."""


class BadInput(UserError):
    """A file, option or record that cannot be used."""


class NotFound(UserError):
    """An id or name that the workspace does not hold."""


class WorkspaceError(UserError):
    """The workspace file cannot be used as asked."""


class WorkspaceMissing(WorkspaceError):
    """There is no file at the path."""


class WorkspaceExists(WorkspaceError):
    """A new workspace would overwrite an existing file."""


class NotAWorkspace(WorkspaceError):
    """The file exists but is not a ToolPlanner workspace."""


class WorkspaceTooNew(WorkspaceError):
    """The file was written by a newer version of the program."""


class WorkspaceDamaged(WorkspaceError):
    """SQLite's integrity check failed."""


class WorkspaceAltered(WorkspaceError):
    """Another program or person changed the tables of the file, or put views or triggers in."""


class WorkspaceMoved(WorkspaceError):
    """The file was moved, renamed, replaced or deleted while it was open."""


class WorkspaceFull(WorkspaceError):
    """The disk or quota is full, or the file cannot be written."""


class NetworkError(UserError):
    """An address gave nothing, or nothing that may be taken: no connection, or it was cut."""


class NetworkRefused(NetworkError):
    """A rule for the network, or a person, does not allow it; nothing was sent there."""


class RedirectRefused(NetworkRefused):
    """A server that was asked led on to where nothing may be sent."""


class NetworkTimeout(NetworkError):
    """It was not there in time."""


class ReplyUnusable(NetworkError):
    """What came is too large, wrongly packed, or leads on without end."""


class EmbedderUnavailable(UserError):
    """Weights or packages of an embedder are missing on this machine."""


class ModelUnavailable(UserError):
    """A language model cannot be reached: no key, no address, or no such name."""


class SandboxMissing(UserError):
    """There is no sandbox here for programs that a model writes."""


class PartsFailed(ToolPlannerError):
    """Some parts of a whole could not be made and stand plainly; all else is done. Told, not
    raised (`jobs/isolation.py`)."""


class WorkerDied(ToolPlannerError):
    """A worker process ended without an answer (killed, out of memory, crashed)."""


class Cancelled(ToolPlannerError):
    """A person stopped the work; the command line exits with 130."""

    def __init__(
        self, what: str = "Cancelled", *, where: str = "", why: str = "", todo: str = ""
    ) -> None:
        super().__init__(what, where=where, why=why, todo=todo)
