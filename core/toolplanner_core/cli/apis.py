"""`toolplanner apis` and `toolplanner search`: look at the catalogue."""

from typing import Any

import click

from toolplanner_core.cli.name_lookup import choose_toolkit
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, get_api
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids, toolkit_of

_NAMED = ("id", "category", "tool", "name")
_MORE = ("key", "description", "tool_description", "parameters", "response_schema", "risk")


@click.group()
def apis() -> None:
    """List APIs, or show one with its documentation."""


@apis.command("list")
@in_workspace
@click.option("--toolkit", help="Only the members of this toolkit, by name or number.")
@click.option(
    "--missing",
    "is_missing",
    is_flag=True,
    help="Only those that the last import of their source did not bring.",
)
@click.option("--limit", type=click.IntRange(1, 2**63 - 1), default=None, help="At most so many.")
@json_option
def list_apis(
    workspace: Workspace, toolkit: str | None, is_missing: bool, limit: int | None, as_json: bool
) -> None:
    """List APIs in the order of their import, or a toolkit's, most central first."""
    if toolkit is None:
        rowids = all_rowids(workspace)
    else:
        rowids = member_rowids(workspace, choose_toolkit(workspace, toolkit))
    if is_missing:
        missing = set(missing_rowids(workspace))
        rowids = [rowid for rowid in rowids if rowid in missing]
    shown = rowids[:limit]
    by_rowid = apis_by_rowid(workspace, shown)
    rows = [api_row(workspace, by_rowid[rowid]) for rowid in shown]
    names = toolkit_names(workspace)
    if as_json:
        print_json(rows)
        return
    print_table(
        ["Id", "Category", "Tool", "API", "Method", "Toolkit"],
        [[*(r[name] for name in (*_NAMED, "method")), names.get(r["toolkit"], "")] for r in rows],
    )
    if len(shown) < len(rowids):
        print_line(f"{len(shown):,} of {counted(len(rowids), 'API')}")


@apis.command("show")
@in_workspace
@click.argument("api_id", metavar="API")
@json_option
def show_api(workspace: Workspace, api_id: str, as_json: bool) -> None:
    """Show one API with its documentation and parameters."""
    api = get_api(workspace, ApiId(api_id))
    row = api_row(workspace, api)
    if as_json:
        operation = {"operation": api.operation and without_defaults(api.operation)}
        print_json(row | {name: getattr(api, name) for name in _MORE} | operation)
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
@in_workspace
@click.argument("text")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@json_option
def search(workspace: Workspace, text: str, limit: int, as_json: bool) -> None:
    """Find APIs by words and by meaning, best first."""
    index = HybridIndex(workspace)
    found = index.search(text, limit)
    rows: list[dict[str, Any]] = [
        api_row(workspace, hit.api) | {"score": round(hit.score, 4)} for hit in found
    ]
    names = toolkit_names(workspace)
    print_rows(
        rows,
        [">Score", "Id", "Category", "Tool", "API", "Toolkit"],
        lambda r: [f"{r['score']:.2f}", *(r[n] for n in _NAMED), names.get(r["toolkit"], "")],
        as_json=as_json,
        to_json=dict,
        empty="Nothing fits: no word of it is known here.",
    )
    if found and index.vector_problem and not as_json:
        print_line(f"{index.vector_problem}.")


def toolkit_names(workspace: Workspace) -> dict[int, str]:
    """Names of the living toolkits by id, for tables that people read."""
    return {int(toolkit.id): toolkit.name for toolkit in list_toolkits(workspace)}


def api_row(workspace: Workspace, api: Api) -> dict[str, Any]:
    """An API as the command line lists it."""
    row = {name: getattr(api, name) for name in (*_NAMED, "method", "url", "source")}
    return row | {"toolkit": toolkit_of(workspace, api.id)}
