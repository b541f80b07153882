"""What an import did."""

from dataclasses import dataclass, field

from toolplanner_core.sources.changes import ApiChange
from toolplanner_core.sources.source import FoundBeside, Mended, Rejected

DETAILS_KEPT = 1_000
"""New, changed, gone and mended APIs that are named; of more, only the number is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did.

    Attributes:
        source: name of the catalogue, part of every id.
        format_id: id of the format it was read as.
        added: APIs that were not there before.
        updated: APIs whose documentation changed; ids and row ids stay.
        waiting: of those how many are not used until a person accepts what changed.
        unchanged: APIs that were there with the same documentation; their rows were not touched.
        missing: APIs of this source that were there and did not come again; they are kept. Of
            sources whose locations are parts of a catalogue only those of tools that came again.
        changes: of the updated ones what changed, the first ones.
        new: titles of the added ones, the first ones; none where nothing of the source was there.
        gone: the catalogue's names of the missing ones, the first ones.
        gone_titles: what people read those as.
        rejected: records that could not be taken in, with place and reason.
        left_out: APIs that a person left out.
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
    waiting: int = 0
    changes: list[ApiChange] = field(default_factory=list[ApiChange])
    new: list[str] = field(default_factory=list[str])
    gone: list[str] = field(default_factory=list[str])
    gone_titles: list[str] = field(default_factory=list[str])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    left_out: int = 0
    mended: list[Mended] = field(default_factory=list[Mended])
    mended_count: int = 0
    noted: list[FoundBeside] = field(default_factory=list[FoundBeside])
    seconds: float
