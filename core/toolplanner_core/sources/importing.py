"""Import a catalogue into a workspace.

Records stream from a source plug-in; what is new or changed is staged on disk in groups, one
transaction per group of files, and becomes the catalogue's in one last transaction. So memory is
bounded, a cancel or a crash leaves the catalogue as it was, and importing the same again writes
nothing but the date.
"""

import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from toolplanner_core.errors import WorkspaceError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.fetching import fetch_address
from toolplanner_core.sources.intake import Intake
from toolplanner_core.sources.leaving_out import LeaveOut
from toolplanner_core.sources.location import Fetch, Location
from toolplanner_core.sources.reading import reading_of
from toolplanner_core.sources.reports import ImportReport
from toolplanner_core.sources.source import LeftOut, Record
from toolplanner_core.workspace import Workspace, importing, staging


def import_source(
    workspace: Workspace,
    location: Location | Path,
    *,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
    leave_out: LeaveOut | None = None,
    fetch: Fetch = fetch_address,
    progress: Progress | None = None,
) -> ImportReport:
    """Import what is at a location; blocks for seconds, so never on the GUI thread.

    Args:
        format_id: id of a source format; None looks at the content.
        source_name: name of the catalogue; part of every id, so keep it between imports. None
            takes the format's id.
        options: an instance of the format's options, or values by name; None takes the defaults.
        leave_out: what a person does not want.
        fetch: gets what an address holds.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit;
            nothing was changed.
        NotFound: there is no such format.
        Cancelled: a person stopped it; nothing was changed.
        WorkspaceFull: the disk is full; nothing was changed.
    """
    reading = reading_of(
        location, fetch=fetch, format_id=format_id, source_name=source_name, options=options
    )
    with closing(reading.records()) as records:
        return import_apis(
            workspace,
            leave_out.applied(records) if leave_out else records,
            source_name=reading.name,
            format_id=reading.plugin.id,
            location=reading.location.address,
            is_whole=reading.plugin.is_whole,
            progress=progress,
        )


def import_apis(
    workspace: Workspace,
    apis: Iterable[Record | LeftOut],
    *,
    source_name: str,
    format_id: str,
    location: str,
    is_whole: bool = True,
    progress: Progress | None = None,
) -> ImportReport:
    """Import APIs from anywhere; what `import_source` does once the records flow.

    Args:
        apis: every `Api` has `source_name` as its source.
        location: where they come from, for people.
        is_whole: as in `SourcePlugin`.

    Raises:
        BadInput: (from the records) the location cannot be read further.
        Cancelled, WorkspaceError: as in `import_source`.
    """
    run = Intake(workspace, source_name, progress or Progress())
    began_s = time.time()
    workspace.writer.run(staging.discard_leftovers)
    try:
        run.read(apis)
        # What brought nothing at all leaves no trace, not even a source without APIs.
        merged = importing.Merged(added=0, updated=0)
        if run.has_taken:
            run.look_for_gone(is_whole=is_whole)
            merged = _merge(workspace, run, source_name, format_id, location)
    except BaseException as error:
        if not isinstance(error, Exception):
            # Ctrl+C reaches this thread only: stop the writer's before it commits.
            run.progress.cancel()
        # A full disk may refuse this too; then the next opening or import clears it.
        with suppress(WorkspaceError):
            workspace.writer.run(lambda db: staging.discard(db, run.import_id))
        raise
    finally:
        staging.end_import(run.import_id)
    seconds = time.time() - began_s
    return run.report(merged, format_id=format_id, seconds=seconds)


def _merge(
    workspace: Workspace, run: Intake, source: str, format_id: str, location: str
) -> importing.Merged:
    """Make what was staged the catalogue's, in one transaction."""
    return workspace.writer.run(
        lambda db: importing.merge(
            db,
            run.import_id,
            source=source,
            format_id=format_id,
            location=location,
            changed=run.waiting,
            trivial=run.trivial,
            gone=run.gone,
            back=run.back,
            now_us=int(time.time() * 1e6),
            progress=run.progress,
        )
    )
