"""Read a tape from the log of a stored run, with its long texts only where they are needed."""

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.events.event import Record, event_from_body
from toolplanner_core.runs.records import typed
from toolplanner_core.runs.tape.tape import Resolve
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve
from toolplanner_core.workspace.run_log import read_records


def read_prefix(workspace: Workspace, run: RunId, upto: int) -> list[Record]:
    """The first `upto` events of a run, long texts as marks.

    Raises:
        NotFound: no such run.
    """
    # Numbers begin at 1 and have no gaps, so the number of rows is the number of the last one.
    return typed(read_records(workspace, run, limit=upto))


def resolver(workspace: Workspace) -> Resolve:
    """A function that gives a record its long texts back."""

    def with_texts(record: Record) -> Record:
        body = record.event.to_body()
        whole = resolve(workspace, body)
        if whole is body:
            return record
        return record._replace(event=event_from_body(record.event.type, whole))

    return with_texts
