"""Seal-Tools: queries with nested gold calls, whose arguments name the results of earlier ones.

A response is called "API_call_0" and so on; an argument that holds such a name takes that result.
The names stay in the arguments, as published. Source: Seal-Tools, arXiv 2405.08355.
"""

from typing import Any, cast

from toolplanner_core.domain.lab import GoldCall, Query, Solvable
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.importer import (
    DataSetImporter,
    Row,
    by_row,
    gold_of,
    has_members,
    text_in,
)
from toolplanner_core.options.option import NoOptions


def query_of(row: Row, options: NoOptions) -> Query:  # noqa: ARG001 - every importer has options
    """The query of a row."""
    number = text_in(row, "id")
    calling = row.get("calling")
    if not isinstance(calling, list) or not calling:
        raise BadInput("it has no list of calls under 'calling'")
    path = tuple(map(_call, cast("list[Any]", calling)))
    return Query(
        id=number,
        text=text_in(row, "query"),
        gold=gold_of(tuple(dict.fromkeys(call.api for call in path))),
        path=path,
        solvable=Solvable.YES,
        split="-".join(number.split("-")[:2]),
    )


def _call(item: Any) -> GoldCall:
    if isinstance(item, dict):
        known = cast("dict[str, Any]", item)
        arguments = known.get("parameters", {})
        if isinstance(arguments, dict):
            return GoldCall(api=text_in(known, "api"), arguments=cast("dict[str, Any]", arguments))
    raise BadInput('one of its calls is not {"api", "parameters"}')


PLUGIN = DataSetImporter(
    id="seal-tools",
    title="Seal-Tools",
    description="Queries with nested gold calls and their arguments, easy and difficult ones.",
    accepts='JSON lines {"id", "query", "calling": [{"api", "parameters"}]} of Seal-Tools',
    options=NoOptions,
    recognises=has_members("id", "query", "calling"),
    read=by_row(query_of),
    source="Seal-Tools",
    licence="Apache-2.0",
    order=10,
)
