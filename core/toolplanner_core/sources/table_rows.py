"""Split a table into rows: values between commas, semicolons or tabs, or JSON objects."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolplanner_core.sources.documents import json_kind
from toolplanner_core.sources.function_items import items_of
from toolplanner_core.sources.source import Rejected

_DELIMITERS = ",;\t|"
_MOST_COLUMNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row: cells by the names of their columns, and its place for messages."""

    where: str
    cells: dict[str, Any]


def header_of(text: str, name: str) -> list[str]:
    """The names of the columns of a text that may be a table, none if it is not."""
    for row in rows_of(text, where="", name=name):
        return [*row.cells] if isinstance(row, TableRow) else []
    return []


def rows_of(text: str, *, where: str, name: str) -> Iterator[TableRow | Rejected]:
    """The rows of a table.

    Args:
        where: the file for messages.
        name: its own name.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        yield from _objects(text, where, name)
    else:
        yield from _lines(text.lstrip("\ufeff"), where)


def _objects(text: str, where: str, name: str) -> Iterator[TableRow | Rejected]:
    for item in items_of(text, where=where, name=name):
        if isinstance(item, Rejected):
            yield item
            continue
        is_list = isinstance(item.value, list)
        for index, value in enumerate(item.value if is_list else [item.value]):
            place = f"{item.where}[{index}]" if is_list else item.where
            if isinstance(value, dict):
                yield TableRow(where=place, cells=value)
            else:
                yield Rejected(where=place, why=f"a row is an object, this is {json_kind(value)}")


def _lines(text: str, where: str) -> Iterator[TableRow | Rejected]:
    """Lines as spreadsheets write them; a cell between quotes may hold line ends."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    if not first.count(delimiter):
        yield Rejected(where=where, why="this is no table: its first line has one column only")
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _unique([cell.strip() for cell in cells[:_MOST_COLUMNS]])
                continue
            place = f"{where} line {reader.line_num}"
            if len(cells) > len(header):
                why = f"it has {len(cells)} cells under {len(header)} columns"
                yield Rejected(where=place, why=why)
                continue
            yield TableRow(where=place, cells=dict(zip(header, cells, strict=False)))
    except csv.Error as error:
        why = f"it cannot be read: {error}; nothing after it was read"
        yield Rejected(where=f"{where} line {reader.line_num}", why=why)


def _unique(header: list[str]) -> list[str]:
    """Names of columns, each once: of two with one name the first keeps it."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for name in header:
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
