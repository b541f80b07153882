"""`toolplanner runs export`: a run as a file for others."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from toolplanner_core.cli.options import (
    ROW_ID,
    FilePath,
    json_option,
    workspace_argument,
)
from toolplanner_core.cli.terminal import print_json, say
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.export.otlp import export_otlp
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.workspace import SUFFIX


@click.command("export")
@workspace_argument
@click.argument("run_ids", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)
@click.option(
    "--format",
    "format_id",
    type=click.Choice(["jsonl", "html", "otlp"]),
    default="jsonl",
    show_default=True,
    help="jsonl can be imported again; html is for reading; otlp is for OpenTelemetry.",
)
@click.option("--output", type=FilePath(), help="A file instead of stdout.")
@click.option(
    "--content",
    is_flag=True,
    help="otlp: include prompts, replies, arguments and results, not only names and numbers.",
)
@json_option
def export_command(
    *,
    workspace: Path,
    run_ids: tuple[int, ...],
    format_id: str,
    output: Path | None,
    content: bool,
    as_json: bool,
) -> None:
    """Write runs to a file. Secrets were blacked out before they were stored."""
    runs = [RunId(run) for run in run_ids]
    if format_id == "html" and len(runs) != 1:
        raise BadInput("An HTML file shows one run", todo="Export each run by itself")
    if output is not None and output.suffix == SUFFIX:
        raise BadInput(
            "An export would replace a workspace", where=str(output), todo="Give it another name"
        )
    if as_json and output is None:
        raise BadInput("--json describes a file that was written", todo="Give --output as well")
    with Workspace.open(workspace) as opened:
        parts: Iterable[str]
        if format_id == "jsonl":
            parts = export_jsonl(opened, runs)
        elif format_id == "html":
            parts = [export_html(opened, runs[0])]
        else:
            data = export_otlp(opened, runs, content=content)
            parts = [json.dumps(data, ensure_ascii=False), "\n"]
        size = _write(parts, output)
    if as_json:
        print_json({"file": str(output), "format": format_id, "runs": runs, "bytes": size})
    elif output is not None:
        say(f"Wrote {output}, {size:,} bytes")


def _write(parts: Iterable[str], output: Path | None) -> int:
    """Write all parts; a file appears under its name only when it is complete."""
    if output is None:
        for part in parts:
            sys.stdout.write(part)
        return 0
    size = 0
    unfinished = output.with_name(f"{output.name}.part")
    try:
        with unfinished.open("wb") as file:
            for part in parts:
                size += file.write(part.encode("utf-8", "replace"))
        unfinished.replace(output)
    except OSError as error:
        raise BadInput("The file cannot be written", where=str(output), why=str(error)) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return size
