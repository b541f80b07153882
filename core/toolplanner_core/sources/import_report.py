"""What an import did, also as a file: Markdown for people, CSV for spreadsheets."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documentation_changes import ApiChange
from toolplanner_core.sources.source import FoundBeside, Mended, Rejected
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.sanitizing import show_control_characters, spreadsheet_cell

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


class ReportLine(NamedTuple):
    """One thing that an import says of one API or record."""

    kind: str
    what: str
    details: str


def write_reports(reports: Sequence[ImportReport], path: Path) -> None:
    """Write the reports of one or several imports; the ending of the name says how.

    Raises:
        BadInput: the ending is neither .md nor .csv.
        OSError: the file cannot be written.
    """
    check_report_name(path)
    if path.suffix.lower() == ".csv":
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerow(["kind", "what", "details"])
            for report in reports:
                table.writerows(
                    [spreadsheet_cell(text) for text in line] for line in report_lines(report)
                )
        return
    lines = (line for report in reports for line in (*_markdown(report), ""))
    path.write_text("\n".join(lines), encoding="utf-8")


def check_report_name(path: Path) -> None:
    """Refuse a name that does not say in which form the report shall be.

    Raises:
        BadInput: it ends neither in .md nor in .csv.
    """
    if path.suffix.lower() not in (".csv", ".md"):
        raise BadInput(
            "A report ends in .md or .csv", where=str(path), todo="Choose such a name for it"
        )


def report_lines(report: ImportReport) -> Iterator[ReportLine]:
    """All that the report says of single APIs and records."""
    for title in report.new:
        yield ReportLine("new", title, "")
    for change in report.changes:
        for part in change.details:
            yield ReportLine("changed", change.title, f"{part.part}: {part.diff}")
    for key, title in zip(report.gone, report.gone_titles, strict=True):
        yield ReportLine("gone", title, key)
    for record in report.rejected:
        yield ReportLine("rejected", record.where, record.why)
    for record in report.mended:
        yield ReportLine("taken in without a part", record.where, record.why)
    for found in report.noted:
        yield ReportLine("noted", found.where, found.what)


def _markdown(report: ImportReport) -> Iterator[str]:
    yield f"# Import of {_plain(report.source)}"
    yield ""
    for n, word in (
        (report.added, "added"),
        (report.updated, "changed"),
        (report.waiting, "waiting until their new documentation is accepted"),
        (report.unchanged, "unchanged"),
        (report.missing, "did not come again"),
        (report.left_out, "left out"),
        (len(report.rejected), "rejected"),
        (report.mended_count, "taken in without a part"),
    ):
        if n:
            yield f"- {n:,} {word}"
    yield f"- in the format {report.format_id}, in {report.seconds:.1f} s"
    kind = ""
    for line in report_lines(report):
        if line.kind != kind:
            kind = line.kind
            yield f"\n## {kind.capitalize()}\n"
        yield f"- {_plain(line.what)}" + (f": {_plain(line.details)}" if line.details else "")
    shown = len(report.new), len(report.changes), len(report.gone), len(report.mended)
    n_new = report.added if report.new else 0
    all_of = n_new, report.updated, report.missing, report.mended_count
    if (rest := sum(all_of) - sum(shown)) > 0:
        yield f"\n{counted(rest, 'more line')} not named here."


def _plain(text: str) -> str:
    """In one line, with what Markdown and HTML would read taken literally."""
    line = show_control_characters(" ".join(text.split()))
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!&" else sign for sign in line)
