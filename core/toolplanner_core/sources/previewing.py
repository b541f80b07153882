"""What an import would bring: read without writing anything, counted truly unless cut short."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.comparing import Comparing, Comparison
from toolplanner_core.sources.fetching import fetch_address
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.leaving_out import LeaveOut
from toolplanner_core.sources.location import Fetch, Location
from toolplanner_core.sources.reading import reading_of
from toolplanner_core.sources.reports import DETAILS_KEPT
from toolplanner_core.sources.source import FileGroup, FoundBeside, LeftOut, Offered, Rejected
from toolplanner_core.workspace import Workspace

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

    def without(self, leave_out: LeaveOut) -> int:
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
    leave_out: LeaveOut | None = None,
    fetch: Fetch = fetch_address,
    limit: int | None = None,
    progress: Progress | None = None,
) -> ImportPreview:
    """Read a location, or its beginning, without writing anything; blocks as an import does.

    Args:
        workspace: what is read is compared with it.
        options, leave_out, fetch: as `import_source`.
        limit: APIs and rejections to read at most; None reads all.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit.
        Cancelled: a person stopped it.
    """
    reading = reading_of(
        location, fetch=fetch, format_id=format_id, source_name=source_name, options=options
    )
    comparing = None if workspace is None else Comparing(workspace, reading.name)
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

    def __init__(self, progress: Progress, comparing: Comparing | None) -> None:
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
