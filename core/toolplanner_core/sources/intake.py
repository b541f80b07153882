"""Take in the records of an import: what is new or changed is staged in groups, the rest counted.

Memory is bounded by the group: it goes to the writer while the next one is read.
"""

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.changes import ApiChange, change_of
from toolplanner_core.sources.functionality import functionality_of
from toolplanner_core.sources.going import gone_of
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.reports import DETAILS_KEPT, ImportReport
from toolplanner_core.sources.source import FoundBeside, LeftOut, Mended, Record, Rejected
from toolplanner_core.words.identifiers import search_form
from toolplanner_core.workspace import Workspace, importing, staging
from toolplanner_core.workspace.catalogue import get_api

_GROUP = 1_000
"""Staged APIs after which the end of a file ends the group."""
_GROUP_CAP = 4 * _GROUP
"""Staged APIs after which a group ends within a file."""
_CHECK_EVERY = 100
"""Records between two looks at whether a person cancelled."""


class Intake:
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
        self.gone = gone_of(self.known, self._seen, self._tools, is_whole=is_whole)
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
