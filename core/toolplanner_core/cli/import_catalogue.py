"""`toolplanner import`: read catalogues and recorded calls into a workspace.

What `toolplanner import` says: what was done, or what would be.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.mcp import with_servers_allowed
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.plugin_flags import PAIRS, PluginCommand, PluginFlags
from toolplanner_core.cli.prepare import print_new
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.curation.grouping.placing import count_new
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.grouping.what_is_new import WhatIsNew
from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput, NetworkError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.documentation_changes import ApiChange
from toolplanner_core.sources.files import Caps
from toolplanner_core.sources.import_filter import ImportFilter
from toolplanner_core.sources.import_preview import Comparison, ImportPreview, preview_source
from toolplanner_core.sources.import_report import ImportReport, check_report_name, write_reports
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.recordings import import_recordings, is_recordings_file
from toolplanner_core.sources.source import sources
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkit_replacement import is_curated

_LINES_SHOWN = 20
_PART_WIDTH = 400


def print_totals(totals: Mapping[str, Any], reports: Sequence[ImportReport]) -> None:
    """What all sources of one command brought together.

    Args:
        totals: figures by name, as `--json` prints them.
        reports: of the catalogues among the sources.
    """
    print_line(
        f"{totals['added']:,} added, {totals['updated']:,} changed,"
        f" {totals['unchanged']:,} unchanged, {len(totals['rejected']):,} rejected"
        f" in {totals['seconds']:.1f} s."
    )
    if left_out := totals["left_out"]:
        print_line(f"{counted(left_out, 'API was', 'APIs were')} left out.")
    if missing := totals["missing"]:
        stays = "stays as it is" if missing == 1 else "stay as they are"
        listed = "toolplanner apis list --missing"
        print_line(f"{counted(missing, 'API')} did not come again and {stays} ({listed}):")
        _print_first(totals["gone"], missing)
    if new := [title for report in reports for title in report.new]:
        print_line("New:")
        _print_first(new, sum(report.added for report in reports if report.new))
    changes = [change for report in reports for change in report.changes]
    if changes:
        print_line("Changed:")
        _print_first([f"{c.title}: {', '.join(c.parts)}" for c in changes], totals["updated"])
    for noted in totals["noted"]:
        print_line(f"  {noted['where']}: {noted['what']}")
    if waiting := totals["waiting"]:
        they = counted(waiting, "API is", "APIs are")
        print_line(
            f"{they} neither planned with nor called until you accept the new documentation:"
            " toolplanner changes list"
        )
    rejected = [f"{each['where']}: {each['why']}" for each in totals["rejected"]]
    _print_first(rejected, len(rejected))


def print_preview(preview: ImportPreview) -> None:
    """What an import would do; nothing was written."""
    found = preview.comparison or Comparison()
    print_line(
        f"{counted(preview.apis, 'API')} in the format {preview.format_id}: {found.added:,} new,"
        f" {found.changed:,} changed, {found.unchanged:,} unchanged; {found.missing:,} gone,"
        f" {preview.rejected_count:,} rejected. Nothing was written."
    )
    for change in found.changes[:_LINES_SHOWN]:
        print_change(change)
    if found.changed > _LINES_SHOWN:
        print_line(f"  and {found.changed - _LINES_SHOWN:,} more (--json lists them)")
    for words, lines, total in (
        ("New:", found.new, found.added - found.twice if found.new else 0),
        ("Gone:", found.gone, found.missing),
        ("In another catalogue of the workspace too:", found.elsewhere, found.twice),
        (
            "Rejected:",
            [f"{each.where}: {each.why}" for each in preview.rejected],
            preview.rejected_count,
        ),
    ):
        if total:
            print_line(words)
            _print_first(lines, total)


def print_change(change: ApiChange) -> None:
    """One API and what differs, by words."""
    why = " (as it was before: it counts again)" if change.is_back else " (of no consequence)"
    print_line(f"{change.title}{'' if change.matters else why}")
    for part in change.details:
        print_line(f"  {part.part}: {one_line(part.diff, _PART_WIDTH)}")


def _print_first(lines: Sequence[str], total: int) -> None:
    for line in lines[:_LINES_SHOWN]:
        print_line(f"  {line}")
    if total > _LINES_SHOWN:
        print_line(f"  and {total - _LINES_SHOWN:,} more (--json lists them)")


_COUNTS = (
    "added", "updated", "unchanged", "missing", "waiting", "left_out", "seconds", "recorded_apis",
)  # fmt: skip
_LISTS = ("changes", "gone", "rejected", "noted")

PLUGINS = [PluginFlags(chosen_by="--format", registry=sources, into="options", pairs=PAIRS)]


@click.command("import", cls=PluginCommand, plugins=PLUGINS)
@in_workspace
@click.argument("given", nargs=-1, required=True, metavar="SOURCES...")
@click.option(
    "--format",
    "format_id",
    metavar="ID",
    help="Format of the sources; told from what is in them otherwise.",
)
@click.option("--source", "source_name", help="Name of the catalogue, a part of every API's id.")
@click.option(
    "--yes-start",
    is_flag=True,
    help="Allow the servers that the sources name to be started or reached, without asking.",
)
@click.option("--diff", "is_diff", is_flag=True, help="Only say what would change; write nothing.")
@click.option("--without-file", multiple=True, metavar="NAME", help="Leave this file out.")
@click.option("--without-category", multiple=True, metavar="NAME", help="Leave this category out.")
@click.option(
    "--without-risk",
    multiple=True,
    type=click.Choice([risk.value for risk in Risk]),
    help="Leave this risk out.",
)
@click.option("--only", metavar="WORDS", default="", help="Only APIs with all of these words.")
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a report to this file, which ends in .md or .csv.",
)
@json_option
def import_catalogue(
    *,
    workspace: Workspace,
    given: tuple[str, ...],
    format_id: str | None,
    options: dict[str, Any],
    source_name: str | None,
    yes_start: bool,
    is_diff: bool,
    without_file: tuple[str, ...],
    without_category: tuple[str, ...],
    without_risk: tuple[str, ...],
    only: str,
    report_file: Path | None,
    as_json: bool,
) -> int:
    """Read catalogues of tools, or recorded calls, into a workspace.

    SOURCES are files, folders, archives, http(s) addresses, or "-" for text from a pipe. What
    cannot be read is named and left out; the rest goes in; where nothing can be read at all, the
    exit code is 2. Importing again changes nothing. Where people have curated toolkits, new APIs
    are placed beside the others at once, nothing else moves, and what is new and doubtful is told.
    APIs that are documented differently are not used until you accept that. Servers of tools are
    started only once you have allowed their exact commands.
    """
    if report_file is not None:
        check_report_name(report_file)
    locations = [_location(text) for text in given]
    leave_out = ImportFilter(
        files=frozenset(without_file),
        categories=frozenset(without_category),
        risks=frozenset(map(Risk, without_risk)),
        words=only,
    )
    how: dict[str, Any] = {
        "format_id": format_id,
        "options": options,
        "source_name": source_name,
        "leave_out": leave_out,
    }
    if is_diff:
        for location in locations:
            _preview(workspace, location, how, is_allowed=yes_start, as_json=as_json)
        return 0
    totals: dict[str, Any] = dict.fromkeys(_COUNTS, 0) | {name: [] for name in _LISTS}
    with shown_progress() as progress:
        reports = _take_in(
            workspace, locations, how, totals, is_allowed=yes_start, progress=progress
        )
        new = _placed(workspace, totals, progress)
    if report_file is not None and reports:
        write_reports(reports, report_file)
    _say(totals, reports, new, as_json=as_json)
    taken = (totals[n] for n in ("added", "updated", "unchanged", "left_out"))
    return 2 if totals["rejected"] and not any(taken) else 0


def _take_in(
    workspace: Workspace,
    locations: Sequence[Location],
    how: dict[str, Any],
    totals: dict[str, Any],
    *,
    is_allowed: bool,
    progress: Progress,
) -> list[ImportReport]:
    """Read each source, or file of recorded calls, and add to the totals what came of it.

    Of several sources one that cannot be read is rejected, and the others come in.
    """
    reports: list[ImportReport] = []
    for location in locations:
        path = location.path
        try:
            if how["format_id"] is None and path and path.is_file() and is_recordings_file(path):
                _add(totals, asdict(import_recordings(workspace, path, progress=progress)))
                continue
            work = partial(import_source, workspace, location, progress=progress, **how)
            reports.append(with_servers_allowed(work, is_allowed=is_allowed))
        except (BadInput, NetworkError) as error:
            if len(locations) == 1:
                raise
            why = f"{error.what}. {error.why}" if error.why else error.what
            totals["rejected"].append({"where": error.where or location.address, "why": why})
            continue
        _add(totals, asdict(reports[-1]))
    return reports


def _preview(
    workspace: Workspace,
    location: Location,
    how: dict[str, Any],
    *,
    is_allowed: bool,
    as_json: bool,
) -> None:
    with shown_progress() as progress:
        look = partial(preview_source, location, workspace=workspace, progress=progress, **how)
        preview = with_servers_allowed(look, is_allowed=is_allowed)
    if not as_json:
        print_preview(preview)
        return
    print_json(
        {
            "apis": preview.apis,
            "format": preview.format_id,
            "rejected": [asdict(each) for each in preview.rejected],
            **({} if preview.comparison is None else asdict(preview.comparison)),
        }
    )


def _add(totals: dict[str, Any], figures: Mapping[str, Any]) -> None:
    for name in (*_COUNTS, *_LISTS):
        if name in figures:
            totals[name] += figures[name]


def _placed(
    workspace: Workspace, totals: Mapping[str, Any], progress: Progress
) -> WhatIsNew | None:
    """Next month's crawl is one step where a person has curated the last one."""
    comes = totals["added"] or totals["updated"]
    is_placed = comes and is_curated(workspace) and count_new(workspace) is not None
    return prepare(workspace, progress=progress).new if is_placed else None


def _say(
    totals: dict[str, Any], reports: list[ImportReport], new: WhatIsNew | None, *, as_json: bool
) -> None:
    totals["new"] = None if new is None else asdict(new)
    totals["seconds"] = round(totals["seconds"], 3)
    if as_json:
        print_json(totals)
        return
    print_totals(totals, reports)
    if new is not None:
        # What did not come again is told already, of all that was read.
        print_new(replace(new, n_missing=0))


def _location(text: str) -> Location:
    if text == "-":
        return Location.of_text(sys.stdin.buffer.read(Caps().member_bytes + 1))
    if not text.strip():
        raise BadInput("The name of a source is empty", todo="Name a file or a folder")
    return Location.of(text)
