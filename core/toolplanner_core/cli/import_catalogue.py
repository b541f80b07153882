"""`toolplanner import`: read catalogues and recorded calls into a workspace."""

import sys
from dataclasses import asdict
from functools import partial
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
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import Caps
from toolplanner_core.sources.recordings import import_recordings, is_recordings_file
from toolplanner_core.sources.source import sources
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkit_writing import is_curated

_LINES_SHOWN = 20
_FIGURES = (
    "added", "updated", "unchanged", "missing", "changes", "gone", "rejected", "noted", "seconds",
    "recorded_apis",
)  # fmt: skip
"""What is told of both kinds of reports."""

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
@json_option
def import_catalogue(
    *,
    workspace: Workspace,
    given: tuple[str, ...],
    format_id: str | None,
    options: dict[str, Any],
    source_name: str | None,
    yes_start: bool,
    as_json: bool,
) -> None:
    """Read catalogues of tools, or recorded calls, into a workspace.

    SOURCES are files, folders, archives, http(s) addresses, or "-" for text from a pipe. What
    cannot be read is named and left out; the rest goes in. Importing again changes nothing. Where
    people have curated toolkits, new APIs are placed beside the others at once, nothing else moves,
    and what is new and doubtful is told. Servers of tools are started only once you have allowed
    their exact commands.
    """
    locations = [_location(text) for text in given]
    totals: dict[str, Any] = dict.fromkeys(("added", "updated", "unchanged", "missing"), 0)
    totals |= {name: [] for name in ("changes", "gone", "rejected", "noted")}
    with shown_progress() as progress:
        for location in locations:
            path = location.path
            if format_id is None and path and path.is_file() and is_recordings_file(path):
                report = import_recordings(workspace, path, progress=progress)
            else:
                report = with_servers_allowed(
                    partial(
                        import_source,
                        workspace,
                        location,
                        format_id=format_id,
                        options=options,
                        source_name=source_name,
                        progress=progress,
                    ),
                    is_allowed=yes_start,
                )
            for name, value in asdict(report).items():
                if name in _FIGURES:
                    totals[name] = totals[name] + value if name in totals else value
        # Next month's crawl is one step where a person has curated the last one.
        comes = totals["added"] or totals["updated"]
        is_placed = comes and is_curated(workspace) and count_new(workspace) is not None
        new = prepare(workspace, progress=progress).new if is_placed else None
    totals["new"] = None if new is None else asdict(new)
    totals["seconds"] = round(totals["seconds"], 3)
    if as_json:
        print_json(totals)
        return
    print_line(
        f"{totals['added']:,} added, {totals['updated']:,} updated,"
        f" {totals['unchanged']:,} unchanged, {len(totals['rejected']):,} rejected"
        f" in {totals['seconds']:.1f} s."
    )
    if missing := totals["missing"]:
        print_line(f"{counted(missing, 'API')} did not come again and stay as they are:")
        _print_first(totals["gone"], missing)
    if totals["changes"]:
        print_line("Documented differently now:")
        changes = [f"{each['title']}: {', '.join(each['parts'])}" for each in totals["changes"]]
        _print_first(changes, totals["updated"])
    for noted in totals["noted"]:
        print_line(f"  {noted['where']}: {noted['what']}")
    rejected = [f"{each['where']}: {each['why']}" for each in totals["rejected"]]
    _print_first(rejected, len(rejected))
    if new is not None:
        print_new(new)


def _print_first(lines: list[str], total: int) -> None:
    for line in lines[:_LINES_SHOWN]:
        print_line(f"  {line}")
    if total > _LINES_SHOWN:
        print_line(f"  and {total - _LINES_SHOWN:,} more (--json lists them)")


def _location(text: str) -> Location:
    if text == "-":
        return Location.of_text(sys.stdin.buffer.read(Caps().member_bytes + 1))
    if not text.strip():
        raise BadInput("The name of a source is empty", todo="Name a file or a folder")
    return Location.of(text)
