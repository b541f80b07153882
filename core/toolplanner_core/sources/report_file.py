"""An import's report as a file: Markdown for people, CSV for spreadsheets."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.reports import ImportReport
from toolplanner_core.words.acting import visible
from toolplanner_core.words.cells import cell
from toolplanner_core.words.wording import counted


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
                table.writerows([cell(text) for text in line] for line in report_lines(report))
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
            yield ReportLine("changed", change.title, f"{part.part}: {part.told}")
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
    line = visible(" ".join(text.split()))
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!&" else sign for sign in line)
