"""APIBench's questions: JSON lines with the gold call of a model hub.

Keys are those that the source `apibench` gives to the cards. The gold call is a line of Python; it
is kept as the argument "call" of the one gold call. Questions of its training file are published
inside a text that holds the answer too; only what is asked is taken of them.

Source: Gorilla, arXiv 2305.15334.
"""

import re

from toolplanner_core.domain.lab import GoldCall, Query, Solvable
from toolplanner_core.lab.datasets.importer import (
    DataSetImporter,
    Row,
    by_row,
    gold_of,
    has_members,
    text_in,
)
from toolplanner_core.options.option import NoOptions

_WRAPPED = re.compile(r"\{'Instruction':\s*(?P<asked>.+?),\s*'Output':", re.DOTALL)


def query_of(row: Row, options: NoOptions) -> Query:  # noqa: ARG001 - every importer has options
    """The query of a row; it has no id of its own, so its hub and its model name it."""
    name, hub = text_in(row, "gold_api_name"), text_in(row, "provider")
    text = text_in(row, "query")
    wrapped = _WRAPPED.match(text)
    key = f"{text_in(row, 'domain')}/{hub}/{name.replace('/', '_')}"
    return Query(
        id=f"{hub}/{name}",
        text=wrapped["asked"].strip("\"' ") if wrapped else text,
        gold=gold_of((key,)),
        path=(GoldCall(api=key, arguments={"call": text_in(row, "gold_api_call")}),),
        solvable=Solvable.YES,
        split=hub,
    )


PLUGIN = DataSetImporter(
    id="apibench",
    title="APIBench questions",
    description="Questions with the call of the one model that answers them, of three hubs.",
    accepts='JSON lines {"query", "gold_api_call", "gold_api_name", "domain", "provider"}',
    options=NoOptions,
    recognises=has_members("query", "gold_api_call", "gold_api_name", "provider"),
    read=by_row(query_of),
    source="APIBench (Gorilla)",
    licence="Apache-2.0",
    order=10,
)
