"""`toolplanner import`: read catalogues and recorded calls into a workspace."""

from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import FilePath, json_option, workspace_argument
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.recordings import import_recordings, is_recordings_file
from toolplanner_core.workspace import Workspace

_REJECTIONS_SHOWN = 20


@click.command("import")
@workspace_argument
@click.argument("sources", nargs=-1, required=True, type=FilePath(dir_okay=True))
@click.option("--format", "format_id", help="Format of the sources; found by itself otherwise.")
@click.option("--source", "source_name", help="Name of the catalogue, a part of every API's id.")
@json_option
def import_catalogue(
    workspace: Path,
    sources: tuple[Path, ...],
    format_id: str | None,
    source_name: str | None,
    as_json: bool,
) -> None:
    """Read catalogues of tools, or recorded calls, into a workspace.

    What cannot be read is named and left out; the rest goes in. Importing again changes nothing.
    """
    totals: dict[str, Any] = {"added": 0, "updated": 0, "unchanged": 0, "rejected": []}
    with Workspace.open(workspace) as opened, shown_progress() as progress:
        for source in sources:
            is_recordings = format_id is None and source.is_file() and is_recordings_file(source)
            read = _read_recordings if is_recordings else _read_catalogue
            report = read(opened, source, format_id, source_name, progress)
            for key, value in report.items():
                totals[key] = totals.get(key, 0) + value if key in totals else value
    if as_json:
        print_json(totals)
        return
    print_line(
        f"{totals['added']:,} added, {totals['updated']:,} updated,"
        f" {totals['unchanged']:,} unchanged, {len(totals['rejected']):,} rejected"
        f" in {totals['seconds']:.1f} s."
    )
    for rejected in totals["rejected"][:_REJECTIONS_SHOWN]:
        print_line(f"  {rejected['where']}: {rejected['why']}")
    if len(totals["rejected"]) > _REJECTIONS_SHOWN:
        print_line(f"  and {len(totals['rejected']) - _REJECTIONS_SHOWN:,} more (--json lists all)")


def _read_catalogue(
    workspace: Workspace,
    source: Path,
    format_id: str | None,
    source_name: str | None,
    progress: Progress,
) -> dict[str, Any]:
    report = import_source(
        workspace, source, format_id=format_id, source_name=source_name, progress=progress
    )
    return {
        "added": report.added,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "rejected": [{"where": r.where, "why": r.why} for r in report.rejected],
        "seconds": round(report.seconds, 3),
    }


def _read_recordings(
    workspace: Workspace,
    source: Path,
    _format_id: str | None,
    _source_name: str | None,
    progress: Progress,
) -> dict[str, Any]:
    report = import_recordings(workspace, source, progress=progress)
    return {
        "added": report.added,
        "unchanged": report.unchanged,
        "rejected": [{"where": where, "why": why} for where, why in report.rejected],
        "seconds": round(report.seconds, 3),
        "recorded_apis": report.apis,
    }
