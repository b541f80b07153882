"""`toolplanner apis` and `toolplanner search`: look at the catalogue."""

from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import ROW_ID, json_option, workspace_argument
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, get_api
from toolplanner_core.workspace.toolkits import (
    get_toolkit,
    list_toolkits,
    member_rowids,
    toolkit_of,
)


@click.group()
def apis() -> None:
    """List APIs, or show one with its documentation."""


@apis.command("list")
@workspace_argument
@click.option("--toolkit", type=ROW_ID, help="Only the members of this toolkit.")
@click.option("--limit", type=click.IntRange(1, 2**63 - 1), default=None, help="At most so many.")
@json_option
def list_apis(workspace: Path, toolkit: int | None, limit: int | None, as_json: bool) -> None:
    """List APIs in the order of their import, or a toolkit's, most central first."""
    with Workspace.open(workspace) as opened:
        if toolkit is None:
            rowids = all_rowids(opened)
        else:
            rowids = member_rowids(opened, get_toolkit(opened, ToolkitId(toolkit)).id)
        shown = rowids[:limit]
        by_rowid = apis_by_rowid(opened, shown)
        rows = [api_row(opened, by_rowid[rowid]) for rowid in shown]
        names = toolkit_names(opened)
    if as_json:
        print_json(rows)
        return
    print_table(
        ["Id", "Category", "Tool", "API", "Method", "Toolkit"],
        [
            [r["id"], r["category"], r["tool"], r["name"], r["method"], names.get(r["toolkit"], "")]
            for r in rows
        ],
    )
    if len(shown) < len(rowids):
        print_line(f"{len(shown):,} of {len(rowids):,} APIs")


@apis.command("show")
@workspace_argument
@click.argument("api_id", metavar="API")
@json_option
def show_api(workspace: Path, api_id: str, as_json: bool) -> None:
    """Show one API with its documentation and parameters."""
    with Workspace.open(workspace) as opened:
        api = get_api(opened, ApiId(api_id))
        row = api_row(opened, api)
    if as_json:
        print_json(
            row
            | {
                "source": api.source,
                "key": api.key,
                "description": api.description,
                "tool_description": api.tool_description,
                "parameters": api.parameters,
                "response_schema": api.response_schema,
                "risk": api.risk,
                "operation": api.operation and without_defaults(api.operation),
            }
        )
        return
    print_line(api.title)
    print_line(api.call_in_words)
    print_line(f"{api.category} · {api.source} · {api.risk} · toolkit {row['toolkit'] or 'none'}")
    for text in (api.description, api.tool_description):
        if text:
            print_line()
            print_line(text)
    if api.parameter_list:
        print_line()
        print_table(
            ["Parameter", "Type", "Place", "Required", "Description"],
            [
                [p.name, p.type, _place(api, p.name), "yes" if p.required else "", p.description]
                for p in api.parameter_list
            ],
        )


def _place(api: Api, parameter: str) -> str:
    place = api.operation.places.get(parameter) if api.operation else None
    return place.within if place else ""


@click.command()
@workspace_argument
@click.argument("text")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@json_option
def search(workspace: Path, text: str, limit: int, as_json: bool) -> None:
    """Find APIs by words and by meaning, best first."""
    with Workspace.open(workspace) as opened:
        found = HybridIndex(opened).search(text, limit)
        rows: list[dict[str, Any]] = [
            api_row(opened, hit.api) | {"score": round(hit.score, 4)} for hit in found
        ]
        names = toolkit_names(opened)
    if as_json:
        print_json(rows)
        return
    if not rows:
        print_line("Nothing fits.")
        return
    print_table(
        [">Score", "Id", "Category", "Tool", "API", "Toolkit"],
        [
            [
                f"{r['score']:.2f}",
                r["id"],
                r["category"],
                r["tool"],
                r["name"],
                names.get(r["toolkit"], ""),
            ]
            for r in rows
        ],
    )


def toolkit_names(workspace: Workspace) -> dict[int, str]:
    """Names of the living toolkits by id, for tables that people read."""
    return {int(toolkit.id): toolkit.name for toolkit in list_toolkits(workspace)}


def api_row(workspace: Workspace, api: Api) -> dict[str, Any]:
    """An API as the command line lists it."""
    return {
        "id": api.id,
        "source": api.source,
        "category": api.category,
        "tool": api.tool,
        "name": api.name,
        "method": api.method,
        "url": api.url,
        "toolkit": toolkit_of(workspace, api.id),
    }
