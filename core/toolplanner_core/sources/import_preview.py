"""What an import would bring and change, without writing anything; counted unless cut short."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.documentation_changes import ApiChange, change_of
from toolplanner_core.sources.format_detection import resolve_source
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.import_filter import ImportFilter
from toolplanner_core.sources.import_report import DETAILS_KEPT
from toolplanner_core.sources.importing import missing_api_ids
from toolplanner_core.sources.location import Fetch, Location, fetch_address
from toolplanner_core.sources.source import (
    AskedValue,
    FileGroup,
    FoundBeside,
    LeftOut,
    Offered,
    Rejected,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api, titles_of_others
from toolplanner_core.workspace.importing import known_apis


@dataclass(slots=True)
class Comparison:
    """The difference between what is read and what is there.

    Attributes:
        added: APIs that are not there.
        new: the titles of the first of those that no other catalogue has, either; none where
            nothing of the catalogue is there.
        unchanged: APIs that are there with the same documentation.
        changed: APIs that are there with another documentation.
        changes: of those what differs, the first ones.
        waiting: of those how many would wait for a person.
        gone: the catalogue's names of what is there and does not come again, the first ones.
        gone_titles: what people read those as.
        missing: how many those are.
        elsewhere: added ones whose tool and name another catalogue of the workspace has, the first
            ones; they would be there twice.
        twice: how many those are.
    """

    added: int = 0
    new: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    changed: int = 0
    changes: list[ApiChange] = field(default_factory=list[ApiChange])
    waiting: int = 0
    gone: list[str] = field(default_factory=list[str])
    gone_titles: list[str] = field(default_factory=list[str])
    missing: int = 0
    elsewhere: list[str] = field(default_factory=list[str])
    twice: int = 0


class CatalogueComparison:
    """Compares APIs as they are read with a workspace."""

    def __init__(self, workspace: Workspace, source: str) -> None:
        self._workspace = workspace
        self._known = known_apis(workspace, source)
        self._others = titles_of_others(workspace, source)
        self._seen: set[ApiId] = set()
        self._tools: set[tuple[str, str]] = set()
        self._found = Comparison()

    def take(self, api: Api) -> None:
        """Count one API that would come in."""
        found, known = self._found, self._known.get(api.id)
        if api.id in self._seen:
            return
        self._seen.add(api.id)
        self._tools.add((api.category, tool_key(api)))
        if known is None:
            found.added += 1
            if api.title.casefold() in self._others:
                found.twice += 1
                if len(found.elsewhere) < DETAILS_KEPT:
                    found.elsewhere.append(api.title)
            elif self._known and len(found.new) < DETAILS_KEPT:
                found.new.append(api.title)
        elif known.doc_hash == api.doc_hash:
            found.unchanged += 1
        else:
            was = get_api(self._workspace, api.id)
            change = change_of(was, api, counted_hash=known.counted_hash)
            found.changed += 1
            found.waiting += change.matters
            if len(found.changes) < DETAILS_KEPT:
                found.changes.append(change)

    def pass_over(self, api: Api) -> None:
        """An API that a person leaves out: it is not gone."""
        self._seen.add(api.id)

    def result(self, *, is_whole: bool) -> Comparison:
        """What was found, with what is gone."""
        ids = missing_api_ids(self._known, self._seen, self._tools, is_whole=is_whole)
        named = [self._known[api] for api in ids[:DETAILS_KEPT]]
        self._found.missing = len(ids)
        self._found.gone = [one.key for one in named]
        self._found.gone_titles = [one.title for one in named]
        return self._found


_FIRST = 500
_CHECK_EVERY = 100


class ApiGroup(NamedTuple):
    """APIs that are chosen together."""

    file: str
    category: str
    risk: Risk


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would bring.

    Attributes:
        apis: APIs that would come in.
        tools: different tools among them.
        files_read: files read, of `files_total` (None before the first has ended).
        is_complete: whether the whole location was read; else there is at least that much.
        groups: how many APIs would come in of each file, category and risk; file "" where records
            are not read file by file.
        first: the first APIs.
        rejected: records that cannot be taken in, the first ones.
        rejected_count: all of those.
        left_out: APIs that a person leaves out.
        noted: what is no API and is worth knowing.
        comparison: with what is there; None without a workspace.
        offered: what the location has for options of the format, such as columns, by their names.
    """

    source: str
    format_id: str
    apis: int
    tools: int
    files_read: int
    files_total: int | None
    is_complete: bool
    groups: Mapping[ApiGroup, int]
    first: tuple[Api, ...]
    rejected: tuple[Rejected, ...]
    rejected_count: int
    left_out: int = 0
    noted: tuple[FoundBeside, ...] = ()
    comparison: Comparison | None = None
    offered: Mapping[str, Offered] = field(default_factory=dict[str, Offered])

    @property
    def categories(self) -> int:
        """Different categories."""
        return len({group.category for group in self.groups})

    def without(self, leave_out: ImportFilter) -> int:
        """How many APIs are left without some files, categories and risks."""
        return sum(
            n
            for group, n in self.groups.items()
            if group.file not in leave_out.files
            and group.category not in leave_out.categories
            and group.risk not in leave_out.risks
        )


def preview_source(
    location: Location | Path,
    *,
    workspace: Workspace | None = None,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
    leave_out: ImportFilter | None = None,
    fetch: Fetch = fetch_address,
    limit: int | None = None,
    progress: Progress | None = None,
    hear_asked: Callable[[str, Sequence[AskedValue]], object] | None = None,
) -> ImportPreview:
    """Read a location, or its beginning, without writing anything; blocks as an import does.

    Args:
        workspace: what is read is compared with it.
        options, leave_out, fetch: as `import_source`.
        limit: APIs and rejections to read at most; None reads all.
        hear_asked: told the id of the format and what the location leaves to the person, before
            anything is started or reached.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit.
        Cancelled: a person stopped it.
    """
    reading = resolve_source(
        location, fetch=fetch, format_id=format_id, source_name=source_name, options=options
    )
    if hear_asked is not None:
        asks = reading.plugin.asks
        hear_asked(reading.plugin.id, asks(reading.location, reading.options) if asks else ())
    comparing = None if workspace is None else CatalogueComparison(workspace, reading.name)
    looking = _Looking(progress or Progress(), comparing)
    with closing(reading.records()) as records:
        is_complete = looking.read(leave_out.applied(records) if leave_out else records, limit)
    is_whole = is_complete and reading.plugin.is_whole
    return ImportPreview(
        source=reading.name,
        format_id=reading.plugin.id,
        apis=looking.apis,
        tools=len(looking.tools),
        files_read=looking.group.done if looking.group else 0,
        files_total=looking.group.total if looking.group else None,
        is_complete=is_complete,
        groups=looking.groups,
        first=tuple(looking.first),
        rejected=tuple(looking.rejected),
        rejected_count=looking.rejected_count,
        left_out=looking.left_out,
        noted=tuple(looking.noted),
        comparison=None if comparing is None else comparing.result(is_whole=is_whole),
        offered={} if reading.plugin.offers is None else reading.plugin.offers(reading.location),
    )


class _Looking:
    """Counts while records are read."""

    def __init__(self, progress: Progress, comparing: CatalogueComparison | None) -> None:
        self.apis = self.rejected_count = self.left_out = 0
        self.tools: set[tuple[str, str]] = set()
        self.groups: Counter[ApiGroup] = Counter()
        self.first: list[Api] = []
        self.rejected: list[Rejected] = []
        self.noted: list[FoundBeside] = []
        self.group: FileGroup | None = None
        self._of_file: Counter[tuple[str, Risk]] = Counter()
        self._progress, self._comparing = progress, comparing

    def read(self, records: Any, limit: int | None) -> bool:
        """Take in records; returns whether all of them were read."""
        is_complete = True
        for number, record in enumerate(records):
            if number % _CHECK_EVERY == 0:
                self._progress.check()
            if isinstance(record, FileGroup):
                self._end_file(record)
            elif limit is not None and self.apis + self.rejected_count >= limit:
                is_complete = False
                break
            elif isinstance(record, Api):
                self._take(record)
            elif isinstance(record, LeftOut):
                self.left_out += 1
                if self._comparing is not None:
                    self._comparing.pass_over(record.api)
            elif isinstance(record, Rejected):
                self.rejected_count += 1
                if len(self.rejected) < DETAILS_KEPT:
                    self.rejected.append(record)
            elif isinstance(record, FoundBeside):
                self.noted.append(record)
        self._close("")
        return is_complete

    def _take(self, api: Api) -> None:
        self.apis += 1
        self.tools.add((api.category, tool_key(api)))
        self._of_file[api.category, api.risk] += 1
        if len(self.first) < _FIRST:
            self.first.append(api)
        if self._comparing is not None:
            self._comparing.take(api)

    def _end_file(self, group: FileGroup) -> None:
        self.group = group
        self._close(group.file)
        self._progress.report("Looking", group.done, group.total, "files")

    def _close(self, file: str) -> None:
        for (category, risk), n in self._of_file.items():
            self.groups[ApiGroup(file, category, risk)] += n
        self._of_file.clear()
