"""A data set in the program's own format, to keep it in the library beside the others."""

from collections.abc import Iterator
from pathlib import Path

from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.datasets.importer import DataSetImporter, has_members
from toolplanner_core.lab.datasets.jsonl import read_data_set
from toolplanner_core.options.option import NoOptions
from toolplanner_core.sources.source import Rejected


def read(path: Path, options: NoOptions) -> Iterator[Query | Rejected]:  # noqa: ARG001 - every importer has options
    """Its queries, then what could not be read."""
    found = read_data_set(path)
    yield from found.data_set
    yield from found.rejected


PLUGIN = DataSetImporter(
    id="own-format",
    title="Data set of ToolPlanner",
    description="JSON lines with the header of this program, as its imports write them.",
    accepts="JSON lines of this program",
    options=NoOptions,
    recognises=has_members("format", "version", "name"),
    read=read,
    order=5,
)
