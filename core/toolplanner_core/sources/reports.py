"""What an import did, and what one would do."""

from dataclasses import dataclass, field

from toolplanner_core.domain.api import Api
from toolplanner_core.sources.changes import ApiChange
from toolplanner_core.sources.source import FoundBeside, Mended, Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did.

    Attributes:
        source: name of the catalogue, part of every id.
        format_id: id of the format it was read as.
        added: APIs that were not there before.
        updated: APIs whose documentation changed; ids and row ids stay.
        unchanged: APIs that were there with the same documentation; their rows were not touched.
        missing: APIs of this source that were there and did not come again; they are kept. Of
            sources whose locations are parts of a catalogue only those of tools that came again.
        changes: of the updated ones what changed, the first ones.
        gone: the catalogue's names of the missing ones, the first ones.
        rejected: records that could not be taken in, with place and reason.
        mended: APIs that were taken in without an unusable part, the first ones.
        mended_count: all of those.
        noted: what is no API and is worth knowing.
        seconds: from the first look to the last commit.
    """

    source: str
    format_id: str
    added: int
    updated: int
    unchanged: int
    missing: int
    changes: list[ApiChange] = field(default_factory=list[ApiChange])
    gone: list[str] = field(default_factory=list[str])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    mended: list[Mended] = field(default_factory=list[Mended])
    mended_count: int = 0
    noted: list[FoundBeside] = field(default_factory=list[FoundBeside])
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """The beginning of a location, read without writing anything.

    Attributes:
        apis: APIs read so far.
        tools: different tools among them.
        categories: different categories among them.
        files_read: files read so far, of `files_total` (None before the first has ended).
        is_complete: whether the whole location was read; else the counts are of its beginning.
        first: the first APIs.
        rejected: all rejections so far.
        noted: what is no API and is worth knowing, so far.
    """

    source: str
    format_id: str
    apis: int
    tools: int
    categories: int
    files_read: int
    files_total: int | None
    is_complete: bool
    first: tuple[Api, ...]
    rejected: tuple[Rejected, ...]
    noted: tuple[FoundBeside, ...] = ()

    @property
    def apis_estimated(self) -> int | None:
        """About how many APIs the whole location holds, two digits of it; None = nobody knows."""
        if self.is_complete or not self.files_read or self.files_total in (None, self.files_read):
            return None
        return int(float(f"{self.apis * self.files_total / self.files_read:.1e}"))
