"""RestBench and AutoTools: queries with a gold path of calls.

RestBench names operations ("GET /search/person"), AutoTools functions ("GET_search_person", with or
without how often it is called) and offers some APIs beside the gold ones. The order of "solution"
is the gold path. Source: RestGPT, arXiv 2306.06624; AutoTools, arXiv 2405.16533.
"""

from collections.abc import Iterable
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
    text, path = text_in(row, "query"), _path(row.get("solution"))
    name = row.get("qid")
    split = row.get("dataset")
    return Query(
        id="/".join(str(each) for each in (split, name) if each) or text[:60],
        text=text,
        gold=gold_of(tuple(dict.fromkeys(call.api for call in path))),
        path=path,
        solvable=Solvable.YES,
        split=str(split or ""),
        candidates=_candidates(row.get("api_list")),
    )


def _candidates(offered: Any) -> tuple[str, ...]:
    """The names of what is offered: a list of them, of their descriptions, or an object of both."""
    names: list[str] = []
    for item in cast("Iterable[Any]", offered if isinstance(offered, list | dict) else []):
        name = cast("Row", item).get("api_name") if isinstance(item, dict) else item
        if not isinstance(name, str) or not name:
            raise BadInput("what stands under 'api_list' is no list of names of APIs")
        names.append(name)
    return tuple(dict.fromkeys(names))


def _path(solution: Any) -> tuple[GoldCall, ...]:
    """The calls in their order; [NAME, 3] is called three times.

    Raises:
        BadInput: it is no list of names.
    """
    path: list[GoldCall] = []
    for item in solution if isinstance(solution, list) else [None]:
        match item:
            case str() if item:
                path.append(GoldCall(api=item))
            case [str() as name, int() as times] if name and 0 < times <= 100:
                path += [GoldCall(api=name)] * times
            case _:
                raise BadInput("its solution is no list of operations")
    if not path:
        raise BadInput("its solution is empty")
    return tuple(path)


PLUGIN = DataSetImporter(
    id="restbench",
    title="RestBench and AutoTools",
    description="Queries over REST APIs with the path of operations that solves them.",
    accepts='JSON lists of {"query", "solution": [OPERATION, ...]} of RestBench or AutoTools',
    options=NoOptions,
    recognises=has_members("query", "solution"),
    read=by_row(query_of),
    source="RestBench, AutoTools",
    licence="MIT, Apache-2.0",
    order=20,
)
