"""Named states of the toolkits: save one, go back to it, forget its name.

A snapshot is a name for a point of the history, which keeps every state there ever was; it costs
nothing and is never out of step. Going to one can itself be undone by going back.
"""

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.edit_history import (
    Snapshot,
    put_snapshot,
    read_head,
    read_snapshots,
    remove_snapshot,
)


def save_snapshot(workspace: Workspace, name: str, *, note: str = "") -> Snapshot:
    """Name the state as it is now.

    Raises:
        BadInput: the name is empty or taken.
    """
    name = " ".join(name.split())
    if not name:
        raise BadInput("A snapshot needs a name")

    def work(db: Database) -> Snapshot:
        if not put_snapshot(db, name=name, edit=read_head(db), note=note):
            raise BadInput(f"There is a snapshot “{name}” already", todo="Choose another name")
        return next(snapshot for snapshot in read_snapshots(db) if snapshot.name == name)

    return workspace.writer.run(work, durable=True)


def list_snapshots(workspace: Workspace) -> list[Snapshot]:
    """All of them, the oldest first."""
    return read_snapshots(workspace.reader())


def get_snapshot(workspace: Workspace, name: str) -> Snapshot:
    """One by its name.

    Raises:
        NotFound: there is none.
    """
    for snapshot in list_snapshots(workspace):
        if snapshot.name == name:
            return snapshot
    names = ", ".join(f"“{snapshot.name}”" for snapshot in list_snapshots(workspace))
    raise NotFound(
        f"There is no snapshot “{name}”", todo=f"There are: {names}" if names else "Save one first"
    )


def forget_snapshot(workspace: Workspace, name: str) -> None:
    """Take the name away; the history stays.

    Raises:
        NotFound: there is none.
    """
    get_snapshot(workspace, name)
    workspace.writer.run(lambda db: remove_snapshot(db, name))
