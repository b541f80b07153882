"""Import a catalogue into a workspace.

The same source is what has the same name, which is a part of every id. A location may hold a part
of it only: a folder with some of the files, one document of many. So what is gone is told of tools
of which something came; of a whole catalogue also of tools of which nothing did, unless most of the
catalogue is missing: then it was a part of it, too.

Memory is bounded by the group: it goes to the writer while the next one is read.

Records stream from a source plug-in; what is new or changed is staged on disk in groups, one
transaction per group of files, and becomes the catalogue's in one last transaction. So memory is
bounded, a cancel or a crash leaves the catalogue as it was, and importing the same again writes
nothing but the date.
"""

import hashlib
import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import WorkspaceError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.documentation_changes import ApiChange, change_of
from toolplanner_core.sources.format_detection import resolve_source
from toolplanner_core.sources.functionality import functionality_of
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.import_filter import ImportFilter
from toolplanner_core.sources.import_report import DETAILS_KEPT, ImportReport
from toolplanner_core.sources.location import Fetch, Location, fetch_address
from toolplanner_core.sources.source import FoundBeside, LeftOut, Mended, Record, Rejected
from toolplanner_core.words.word_splitting import search_form
from toolplanner_core.workspace import Workspace, importing, staging
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.importing import KnownApi

_MOST = 0.5


def missing_api_ids(
    known: Mapping[ApiId, KnownApi],
    seen: Collection[ApiId],
    tools: Collection[tuple[str, str]],
    *,
    is_whole: bool,
) -> list[ApiId]:
    """Ids of what was there and did not come again.

    Args:
        known: what the source has brought before.
        seen: ids of all that came, what a person left out included.
        tools: categories and, within them, the catalogue's own names of tools of which something
            came: a tool of the same name in another category is another one.
        is_whole: as in `SourcePlugin`.
    """
    came = sum(api in seen for api in known)
    is_all = is_whole and came >= _MOST * len(known)
    return [
        api
        for api, one in known.items()
        if api not in seen and (is_all or (one.category, one.tool) in tools)
    ]


_GROUP = 1_000
"""Staged APIs after which the end of a file ends the group."""
_GROUP_CAP = 4 * _GROUP
"""Staged APIs after which a group ends within a file."""
_CHECK_EVERY = 100
"""Records between two looks at whether a person cancelled."""


class ImportRun:
    """One import while it reads: counts, rejections, and the group that is being filled.

    Attributes:
        import_id: of the rows that it has staged.
        known: what the source has brought before, by API id.
        new: titles of what it has not, the first ones, where there is any.
        waiting: of those what is documented otherwise now, in a way that matters.
        trivial: the same in a way that does not.
        gone, back: of those what did not come again, and what had not and is there now.
    """

    def __init__(self, workspace: Workspace, source: str, progress: Progress) -> None:
        self.progress = progress
        self.import_id = staging.begin_import()
        self.known = importing.known_apis(workspace, source)
        self.unchanged = 0
        self.new: list[str] = []
        self.changes: list[ApiChange] = []
        self.waiting: list[ApiId] = []
        self.trivial: list[ApiId] = []
        self.gone: list[ApiId] = []
        self.back: list[ApiId] = []
        self.rejected: list[Rejected] = []
        self.mended: list[Mended] = []
        self.mended_count = 0
        self.noted: list[FoundBeside] = []
        self.left_out = 0
        self._workspace = workspace
        self._source = source
        self._seen: set[ApiId] = set()
        self._tools: set[tuple[str, str]] = set()
        self._group: list[staging.StagedApi] = []
        self._staged = 0
        self._writing: Future[None] | None = None

    def read(self, records: Iterable[Record | LeftOut]) -> None:
        """Take in all records and stage what is new or changed."""
        for number, record in enumerate(records):
            if number % _CHECK_EVERY == 0:
                self.progress.check()
            if isinstance(record, Api):
                self._take(record)
            elif isinstance(record, Rejected):
                self.rejected.append(record)
            elif isinstance(record, LeftOut):
                self.left_out += 1
                # It is there all the same: what a person leaves out is not gone.
                self._seen.add(record.api.id)
            elif isinstance(record, FoundBeside):
                self.noted.append(record)
            elif isinstance(record, Mended):
                self.mended_count += 1
                if len(self.mended) < DETAILS_KEPT:
                    self.mended.append(record)
            else:
                self.progress.report("Reading", record.done, record.total, "files")
                if len(self._group) >= _GROUP:
                    self._flush()
        self._flush()
        self._wait()

    @property
    def has_taken(self) -> bool:
        """Whether any API came in, or was there as it is."""
        return bool(self._staged or self.unchanged)

    def look_for_gone(self, *, is_whole: bool) -> None:
        """Tell what was there and did not come again, or is back."""
        self.gone = missing_api_ids(self.known, self._seen, self._tools, is_whole=is_whole)
        self.back = [
            api for api, known in self.known.items() if known.is_missing and api in self._seen
        ]

    def report(self, merged: importing.Merged, *, format_id: str, seconds: float) -> ImportReport:
        """What came of it."""
        gone = [self.known[api] for api in self.gone[:DETAILS_KEPT]]
        return ImportReport(
            source=self._source,
            format_id=format_id,
            added=merged.added,
            updated=merged.updated,
            unchanged=self.unchanged,
            missing=len(self.gone),
            waiting=len(self.waiting),
            changes=self.changes,
            new=self.new,
            gone=[one.key for one in gone],
            gone_titles=[one.title for one in gone],
            rejected=self.rejected,
            left_out=self.left_out,
            mended=self.mended,
            mended_count=self.mended_count,
            noted=self.noted,
            seconds=seconds,
        )

    def _take(self, api: Api) -> None:
        if api.source != self._source:
            raise ValueError(f"{api.key} is of source {api.source!r}, not {self._source!r}")
        if api.id in self._seen:
            why = f"it has the same id as another API of this import ({api.id})"
            self.rejected.append(Rejected(where=api.key, why=why))
            return
        self._seen.add(api.id)
        self._tools.add((api.category, tool_key(api)))
        known = self.known.get(api.id)
        if known and known.doc_hash == api.doc_hash:
            self.unchanged += 1
            return
        if known:
            was = get_api(self._workspace, api.id)
            change = change_of(was, api, counted_hash=known.counted_hash)
            (self.waiting if change.matters else self.trivial).append(api.id)
            if len(self.changes) < DETAILS_KEPT:
                self.changes.append(change)
        elif self.known and len(self.new) < DETAILS_KEPT:
            self.new.append(api.title)
        self._group.append(_staged(api, self._staged))
        self._staged += 1
        if len(self._group) >= _GROUP_CAP:
            self._flush()

    def _flush(self) -> None:
        """Hand the group to the writer, once it has stored the one before: memory is bounded."""
        if not self._group:
            return
        self._wait()
        group, self._group = self._group, []
        self._writing = self._workspace.writer.submit(
            lambda db: staging.stage(db, self.import_id, group)
        )

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()
            self._writing = None


def _staged(api: Api, position: int) -> staging.StagedApi:
    functionality = functionality_of(api)
    names: Iterable[str] = api.parameters.get("properties", {})
    return staging.StagedApi(
        position=position,
        api=api,
        tool_key=tool_key(api),
        functionality=functionality,
        text_hash=hashlib.sha256(functionality.encode()).hexdigest(),
        search_name=search_form(api.name),
        search_parameters=" ".join(search_form(name) for name in names),
    )


def import_source(
    workspace: Workspace,
    location: Location | Path,
    *,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
    leave_out: ImportFilter | None = None,
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
    reading = resolve_source(
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
    run = ImportRun(workspace, source_name, progress or Progress())
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
    workspace: Workspace, run: ImportRun, source: str, format_id: str, location: str
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
