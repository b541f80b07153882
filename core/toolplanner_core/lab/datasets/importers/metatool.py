"""MetaTool: a table of queries, each with the one plug-in that answers it.

Its queries have no ids; the row's number among those of its tool names one. Some name tools that
were merged out of several and are in no catalogue: they stay, and count as gold that is not there.
Source: MetaTool, arXiv 2310.03128.
"""

from toolplanner_core.domain.lab import Query, Solvable
from toolplanner_core.lab.datasets.importer import (
    DataSetImporter,
    Row,
    by_row,
    gold_of,
    has_columns,
    text_in,
)
from toolplanner_core.options.option import NoOptions


def query_of(row: Row, options: NoOptions) -> Query:  # noqa: ARG001 - every importer has options
    """The query of a row."""
    tool = text_in(row, "Tool")
    return Query(id=tool, text=text_in(row, "Query"), gold=gold_of((tool,)), solvable=Solvable.YES)


PLUGIN = DataSetImporter(
    id="metatool",
    title="MetaTool",
    description="Queries with the one plug-in that answers them.",
    accepts="a table (CSV) with the columns Query and Tool of MetaTool",
    options=NoOptions,
    recognises=has_columns("Query", "Tool"),
    read=by_row(query_of),
    source="MetaTool",
    licence="MIT",
    order=10,
)
