"""Import a catalogue into a workspace, or preview what would come in.

Records stream from a source plug-in; what is new or changed is staged on disk in groups, one
transaction per group of files, and becomes the catalogue's in one last transaction. So memory is
bounded, a cancel or a crash leaves the catalogue as it was, and importing the same again writes
nothing but the date.
"""

import hashlib
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from toolplanner_core.domain.api import Api
from toolplanner_core.errors import BadInput, WorkspaceError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.values import checked, make_options
from toolplanner_core.sources.changes import ApiChange, change_of
from toolplanner_core.sources.detect import detect
from toolplanner_core.sources.fetching import fetch_address
from toolplanner_core.sources.functionality import functionality_of
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.location import Fetch, Location, LocationKind
from toolplanner_core.sources.reports import ImportPreview, ImportReport
from toolplanner_core.sources.source import (
    FileGroup,
    FoundBeside,
    Mended,
    Record,
    Rejected,
    SourcePlugin,
    sources,
)
from toolplanner_core.words.identifiers import search_form
from toolplanner_core.workspace import Workspace, importing, staging
from toolplanner_core.workspace.catalogue import get_api

_GROUP = 1_000
"""Staged APIs after which the end of a file ends the group."""
_GROUP_CAP = 4 * _GROUP
"""Staged APIs after which a group ends within a file."""
_CHECK_EVERY = 100
"""Records between two looks at whether a person cancelled."""
_DETAILS_KEPT = 1_000


def import_source(
    workspace: Workspace,
    location: Location | Path,
    *,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
    fetch: Fetch = fetch_address,
    progress: Progress | None = None,
) -> ImportReport:
    """Import what is at a location; blocks for seconds, so never on the GUI thread.

    Args:
        format_id: id of a source format; None looks at the content.
        source_name: name of the catalogue; part of every id, so keep it between imports. None
            takes the format's id.
        options: an instance of the format's options, or values by name; None takes the defaults.
        fetch: gets what an address holds.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit;
            nothing was changed.
        NotFound: there is no such format.
        Cancelled: a person stopped it; nothing was changed.
        WorkspaceFull: the disk is full; nothing was changed.
    """
    progress = progress or Progress()
    location, plugin, name = _choose(location, format_id, source_name, fetch)
    with closing(plugin.read(location, _options(plugin, options), source=name)) as records:
        return import_apis(
            workspace,
            records,
            source_name=name,
            format_id=plugin.id,
            location=location.address,
            is_whole=plugin.is_whole,
            progress=progress,
        )


def import_apis(
    workspace: Workspace,
    apis: Iterable[Record],
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
    run = _Import(workspace, source_name, progress or Progress())
    began_s = time.time()
    workspace.writer.run(staging.discard_leftovers)
    try:
        run.read(apis)
        import_id = run.import_id
        merged = workspace.writer.run(
            lambda db: importing.merge(
                db,
                import_id,
                source=source_name,
                format_id=format_id,
                location=location,
                now_us=int(time.time() * 1e6),
                progress=run.progress,
            )
        )
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
    gone = run.gone(is_whole=is_whole)
    return ImportReport(
        source=source_name,
        format_id=format_id,
        added=merged.added,
        updated=merged.updated,
        unchanged=run.unchanged,
        missing=len(gone),
        changes=run.changes,
        gone=gone[:_DETAILS_KEPT],
        rejected=run.rejected,
        mended=run.mended,
        mended_count=run.mended_count,
        noted=run.noted,
        seconds=time.time() - began_s,
    )


def preview_source(
    location: Location | Path,
    *,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
    fetch: Fetch = fetch_address,
    limit: int = 500,
    progress: Progress | None = None,
) -> ImportPreview:
    """Read the beginning of a location without writing anything.

    Args:
        options: as `import_source`.
        fetch: as `import_source`.
        limit: APIs and rejections to read at most.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit.
        Cancelled: a person stopped it.
    """
    progress = progress or Progress()
    location, plugin, name = _choose(location, format_id, source_name, fetch)
    first: list[Api] = []
    rejected: list[Rejected] = []
    noted: list[FoundBeside] = []
    group = None
    is_complete = True
    with closing(plugin.read(location, _options(plugin, options), source=name)) as records:
        for record in records:
            if isinstance(record, FileGroup):
                group = record
                progress.report("Looking", record.done, record.total, "files")
            elif len(first) + len(rejected) >= limit:
                is_complete = False
                break
            elif isinstance(record, Api):
                first.append(record)
            elif isinstance(record, Rejected):
                rejected.append(record)
            elif isinstance(record, FoundBeside):
                noted.append(record)
    return ImportPreview(
        source=name,
        format_id=plugin.id,
        apis=len(first),
        tools=len({(api.category, tool_key(api)) for api in first}),
        categories=len({api.category for api in first}),
        files_read=group.done if group else 0,
        files_total=group.total if group else None,
        is_complete=is_complete,
        first=tuple(first),
        rejected=tuple(rejected),
        noted=tuple(noted),
    )


def _options(plugin: SourcePlugin, given: Any) -> Any:
    of = f"{sources.what} {plugin.id}"
    if isinstance(given, Mapping):
        return make_options(plugin.options, cast("Mapping[str, Any]", given), of=of)
    return checked(plugin.options, given, of=of)


def _choose(
    location: Location | Path, format_id: str | None, source_name: str | None, fetch: Fetch
) -> tuple[Location, SourcePlugin, str]:
    location = Location.of(location)
    plugin = _by_address(location) if format_id is None else sources.get(format_id)
    if plugin is None or not plugin.reaches_addresses:
        location = location.fetched(fetch)
    if plugin is None:
        plugin = detect(location)
    elif location.kind is not LocationKind.URL or location.content is not None:
        location.check()
    if source_name is not None and not source_name.strip():
        raise BadInput("The name of the source is empty", todo="Give it a name, or none at all")
    return location, plugin, source_name or plugin.id


def _by_address(location: Location) -> SourcePlugin | None:
    """The format whose servers have such addresses: nothing can be fetched there to look at."""
    if location.kind is not LocationKind.URL or location.content is not None:
        return None
    path = urlsplit(location.where).path.rstrip("/")
    talking = (plugin for plugin in sources if plugin.address_ending)
    return next((plugin for plugin in talking if path.endswith(plugin.address_ending)), None)


class _Import:
    """One import while it reads: counts, rejections, and the group that is being filled."""

    def __init__(self, workspace: Workspace, source: str, progress: Progress) -> None:
        self.progress = progress
        self.import_id = staging.begin_import()
        self.known = importing.known_apis(workspace, source)
        self.unchanged = 0
        self.changes: list[ApiChange] = []
        self.rejected: list[Rejected] = []
        self.mended: list[Mended] = []
        self.mended_count = 0
        self.noted: list[FoundBeside] = []
        self._workspace = workspace
        self._source = source
        self._seen: set[str] = set()
        self._tools: set[str] = set()
        self._group: list[staging.StagedApi] = []
        self._staged = 0
        self._writing: Future[None] | None = None

    def read(self, records: Iterable[Record]) -> None:
        """Take in all records and stage what is new or changed."""
        for number, record in enumerate(records):
            if number % _CHECK_EVERY == 0:
                self.progress.check()
            if isinstance(record, Api):
                self._take(record)
            elif isinstance(record, Rejected):
                self.rejected.append(record)
            elif isinstance(record, FoundBeside):
                self.noted.append(record)
            elif isinstance(record, Mended):
                self.mended_count += 1
                if len(self.mended) < _DETAILS_KEPT:
                    self.mended.append(record)
            else:
                self.progress.report("Reading", record.done, record.total, "files")
                if len(self._group) >= _GROUP:
                    self._flush()
        self._flush()
        self._wait()

    def gone(self, *, is_whole: bool) -> list[str]:
        """The catalogue's names of what was there and did not come again."""
        return [
            known.key
            for api, known in self.known.items()
            if api not in self._seen and (is_whole or known.tool in self._tools)
        ]

    def _take(self, api: Api) -> None:
        if api.source != self._source:
            raise ValueError(f"{api.key} is of source {api.source!r}, not {self._source!r}")
        if api.id in self._seen:
            why = f"it has the same id as another API of this import ({api.id})"
            self.rejected.append(Rejected(where=api.key, why=why))
            return
        self._seen.add(api.id)
        self._tools.add(tool_key(api))
        known = self.known.get(api.id)
        if known and known.doc_hash == api.doc_hash:
            self.unchanged += 1
            return
        if known and len(self.changes) < _DETAILS_KEPT:
            self.changes.append(change_of(get_api(self._workspace, api.id), api))
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
