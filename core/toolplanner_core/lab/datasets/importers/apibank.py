"""API-Bank: dialogues, whose gold calls are those that were made in them.

The query is what the person says before the first call, since a later sentence may carry what a
call needs. Logging in and searching for tools are part of its own surroundings, not of the answer.
Source: API-Bank, arXiv 2304.08244.
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

_SURROUNDINGS = frozenset({"GetUserToken", "ToolSearcher"})


def query_of(row: Row, options: NoOptions) -> Query | None:  # noqa: ARG001 - every importer has options
    """The query of a dialogue; None where only its surroundings are called."""
    turns = row.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise BadInput("it has no list of turns")
    path: list[GoldCall] = []
    sentences: list[str] = []
    for turn in cast("list[dict[str, Any]]", turns):
        if turn.get("role") == "User" and not path:
            sentences.append(text_in(turn, "text"))
        elif turn.get("role") == "API" and turn.get("api_name") not in _SURROUNDINGS:
            arguments = turn.get("param_dict")
            known = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None
            path.append(GoldCall(api=text_in(turn, "api_name"), arguments=known))
    if not path:
        return None
    if not sentences:
        raise BadInput("nobody says anything before the first call")
    level = str(row.get("level", ""))
    return Query(
        id="/".join(filter(None, (level, text_in(row, "id")))),
        text="\n".join(sentences),
        gold=gold_of(tuple(dict.fromkeys(call.api for call in path))),
        path=tuple(path),
        solvable=Solvable.YES,
        split=level,
    )


PLUGIN = DataSetImporter(
    id="api-bank",
    title="API-Bank",
    description="Dialogues with the calls that were made in them, as gold paths with arguments.",
    accepts='JSON lines {"level", "id", "turns"} of API-Bank',
    options=NoOptions,
    recognises=has_members("id", "turns"),
    read=by_row(query_of),
    source="API-Bank",
    licence="Apache-2.0",
    order=10,
)
