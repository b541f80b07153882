"""A JSON document with a list of toolkits, written a toolkit at a time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolplanner_core.workspace.rows import dump


def document_parts(head: Mapping[str, Any], toolkits: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A JSON object with a list of toolkits, one at a time, after what else it holds."""
    yield dump(head).removesuffix("}") + ',"toolkits":['
    for position, toolkit in enumerate(toolkits):
        yield (",\n" if position else "\n") + dump(toolkit)
    yield "\n]}\n"
