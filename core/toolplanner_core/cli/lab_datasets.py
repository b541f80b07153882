"""`toolplanner lab datasets`: import, list, show and check sets of queries."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import FilePath, WorkspacePath, json_option
from toolplanner_core.cli.plugin_flags import PAIRS, PluginCommand, PluginFlags
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.domain.lab import DataSet, Query, row_of_query
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.checking import (
    DataSetCheck,
    check_data_set,
    with_catalogue_keys,
)
from toolplanner_core.lab.datasets.importer import importers
from toolplanner_core.lab.datasets.importing import import_data_set
from toolplanner_core.lab.datasets.jsonl import read_data_set, write_data_set
from toolplanner_core.lab.datasets.library import (
    add_to_library,
    check_name,
    find_data_set,
    list_library,
)
from toolplanner_core.sources.source import Rejected
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace

_SHOWN = 10
_FORMAT = PluginFlags(chosen_by="--format", registry=importers, into="options", pairs=PAIRS)
_data_set = click.argument("data_set", metavar="DATASET")
_workspace = click.option(
    "--workspace", type=WorkspacePath(), help="Compare gold APIs with the catalogue of this one."
)


@click.group()
def datasets() -> None:
    """Sets of queries: a name in the library of this machine, or a file NAME.jsonl."""


@datasets.command("import", cls=PluginCommand, plugins=[_FORMAT])
@click.argument("file", type=FilePath())
@click.option("--format", "format_id", metavar="FORMAT", help="None: found by what FILE holds.")
@click.option("--name", help="Of the data set; none: the file's.")
@_workspace
@click.option(
    "--merge-repeats", is_flag=True, help="Merge queries that say the same word for word."
)
@click.option("--held-out", is_flag=True, help="Nothing may be trained on it.")
@click.option("--replace", is_flag=True, help="Replace another data set of this name.")
@click.option("--to", type=FilePath(), help="Write this file, and leave the library alone.")
@json_option
def import_command(
    *,
    file: Path,
    format_id: str | None,
    options: Mapping[str, Any],
    name: str | None,
    workspace: Path | None,
    merge_repeats: bool,
    held_out: bool,
    replace: bool,
    to: Path | None,
    as_json: bool,
) -> None:
    """Read FILE as a data set: public benchmarks, tables, cases and starred runs of a workspace.

    With --workspace, gold APIs get the keys that its catalogue has for them.
    """
    made = import_data_set(
        file,
        name=check_name(name or file.name.partition(".")[0]),
        format_id=format_id or "",
        options=dict(options),
        merge_repeats=merge_repeats,
        is_held_out=held_out,
    )
    data_set = made.data_set
    if workspace is None:
        check = check_data_set(data_set)
    else:
        with Workspace.open(workspace) as opened:
            data_set = with_catalogue_keys(data_set, opened)
            check = check_data_set(data_set, opened)
    if to is None:
        place = add_to_library(data_set, replace=replace)
    else:
        place = to
        write_data_set(data_set, to)
    if as_json:
        print_json(
            {
                "file": str(place),
                "format": made.format,
                "rows": made.rows,
                "merged": made.merged,
                **_row(data_set, made.rejected),
                "check": _check_row(check),
            }
        )
        return
    print_line(
        f"{data_set.reference}: {counted(len(data_set), 'query', 'queries')} of"
        f" {counted(made.rows, 'row')} in the format {made.format}, in {place}"
    )
    if made.merged:
        print_line(f"{counted(made.merged, 'repeat was', 'repeats were')} merged.")
    _print_rejected(made.rejected)
    _print_check(check)


@datasets.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the data sets in the library of this machine."""
    print_rows(
        [read_data_set(path) for path in list_library()],
        ["Data set", ">Queries", "Source", "Licence", "Held out"],
        lambda each: [
            each.data_set.reference,
            len(each.data_set),
            each.data_set.source,
            each.data_set.licence,
            "yes" if each.data_set.is_held_out else "",
        ],
        as_json=as_json,
        to_json=lambda each: _row(each.data_set, each.rejected),
        empty="None yet. Import one with: toolplanner lab datasets import FILE",
    )


@datasets.command("show")
@_data_set
@click.argument("query_id", metavar="[QUERY]", required=False)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@json_option
def show_command(data_set: str, query_id: str | None, limit: int, as_json: bool) -> None:
    """Show the queries of DATASET, or one of them with all that is known."""
    found = find_data_set(data_set)
    if query_id is not None:
        query = next((each for each in found.data_set if each.id == query_id), None)
        if query is None:
            raise BadInput(f"{found.data_set.reference} has no query {query_id!r}")
        print_json(row_of_query(query))
        return
    shown = found.data_set.queries[:limit]
    print_rows(
        shown,
        ["Query", "Text", ">Gold", "Solvable", "Split"],
        _cells,
        as_json=as_json,
        to_json=row_of_query,
        empty="It has no queries.",
    )
    if len(shown) < len(found.data_set) and not as_json:
        print_line(f"{len(found.data_set) - len(shown):,} more: --limit {len(found.data_set)}")
    if not as_json:
        _print_rejected(found.rejected)


@datasets.command("check")
@_data_set
@_workspace
@json_option
def check_command(data_set: str, workspace: Path | None, as_json: bool) -> int:
    """Count repeats, gold that is not in the catalogue, and what trained retrievers have seen.

    Ends with 1 where lines cannot be read, or gold is not in the catalogue.
    """
    found = find_data_set(data_set)
    if workspace is None:
        check = check_data_set(found.data_set)
    else:
        with Workspace.open(workspace) as opened:
            check = check_data_set(found.data_set, opened)
    if as_json:
        print_json({**_row(found.data_set, found.rejected), "check": _check_row(check)})
    else:
        print_line(found.data_set.reference)
        _print_rejected(found.rejected)
        _print_check(check)
    return int(bool(found.rejected or check.missing_gold))


def _cells(query: Query) -> list[object]:
    gold = "/".join(str(len(keys)) for keys in query.gold)
    return [query.id, one_line(query.text), gold, query.solvable.value, query.split]


def _row(data_set: DataSet, rejected: list[Rejected]) -> dict[str, Any]:
    return {
        "name": data_set.name,
        "version": data_set.version,
        "queries": len(data_set),
        "source": data_set.source,
        "licence": data_set.licence,
        "held_out": data_set.is_held_out,
        "rejected": [asdict(each) for each in rejected],
    }


def _check_row(check: DataSetCheck) -> dict[str, Any]:
    return {
        **asdict(check),
        "unknown": list(check.unknown),
        "ambiguous": list(check.ambiguous),
    }


def _print_rejected(rejected: list[Rejected]) -> None:
    if rejected:
        print_line(f"{counted(len(rejected), 'row')} could not be read:")
    for each in rejected[:_SHOWN]:
        print_line(f"  {each.where}: {each.why}")
    if len(rejected) > _SHOWN:
        print_line(f"  and {len(rejected) - _SHOWN:,} more (--json lists them)")


def _print_check(check: DataSetCheck) -> None:
    solvable = ", ".join(f"{number:,} {word}" for word, number in sorted(check.solvable.items()))
    rows: list[tuple[str, object]] = [
        ("Queries", f"{check.queries:,}"),
        ("Repeats, word for word", f"{check.repeats:,}"),
        ("Near-duplicates beside", f"{check.near:,}"),
        ("Independent groups", f"{check.groups:,}"),
        ("With gold APIs", f"{check.with_gold:,}"),
        ("With a gold path", f"{check.with_path:,}"),
        ("With expectations", f"{check.with_expectation:,}"),
        ("Solvable", solvable),
        ("Splits", ", ".join(f"{split or '-'} {n:,}" for split, n in check.splits.items())),
    ]
    if check.missing_gold is not None:
        rows.append(("Gold not in the catalogue", f"{check.missing_gold:,}"))
    for each in check.overlaps:
        tools = "" if each.tools is None else f", {each.tools:,} need a tool that it knows"
        rows.append((f"Seen by {each.model}", f"{each.queries:,} nearly{tools}"))
    print_table(["What", "Count"], rows)
    for words, names in (("Unknown", check.unknown), ("Ambiguous", check.ambiguous)):
        if names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            print_line(f"{words}: {', '.join(names[:_SHOWN])}{more}")
