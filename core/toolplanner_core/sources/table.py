"""Read a table of tools: CSV, TSV, Parquet, or JSON lines without schemas; one row is one API.

pyarrow is 100 MB and needed for this alone, so it is no dependency.

Which column holds what is guessed from the names of the columns and can be said by options. Cells
are texts, whatever a spreadsheet would calculate from them. Found by the registry of sources.

Source: RFC 4180.
"""

import csv
import importlib
import io
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.options.option import option
from toolplanner_core.sources.documents import decode, items_of, json_kind
from toolplanner_core.sources.files import ALL_SUFFIXES, Caps, Member, walk
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.loose_parameters import loose_parameters
from toolplanner_core.sources.source import Offered, Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_line, clean_text
from toolplanner_core.sources.toolbench import operation_of

_DELIMITERS = ",;\t|"
_MOST_COLUMNS = 500
_MOST_BEFORE = 50
"""Lines before the one that names the columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row: cells by the names of their columns, and its place for messages."""

    where: str
    cells: dict[str, Any]


def header_of(text: str, name: str) -> list[str]:
    """The names of the columns of a text that may be a table, none if it is not."""
    first = islice(rows_of(text, where="", name=name), _MOST_BEFORE)
    return next(([*row.cells] for row in first if isinstance(row, TableRow)), [])


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
    lines = text.split("\n", _MOST_BEFORE)
    begin = _header_line(lines)
    delimiter = _delimiter(lines[begin])
    if not lines[begin].count(delimiter):
        yield Rejected(where=where, why="this is no table: its first line has one column only")
        return
    for number, line in enumerate(lines[:begin], 1):
        if line.strip():
            yield Rejected(where=f"{where} line {number}", why="it stands before the table")
    table = io.StringIO("\n".join(lines[begin:]), newline="")
    reader = csv.reader(table, delimiter=delimiter)
    header: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _unique([cell.strip() for cell in cells[:_MOST_COLUMNS]])
                continue
            place = f"{where} line {begin + reader.line_num}"
            if len(cells) > len(header):
                why = f"it has {len(cells)} cells under {len(header)} columns"
                yield Rejected(where=place, why=why)
                continue
            yield TableRow(where=place, cells=dict(zip(header, cells, strict=False)))
    except csv.Error as error:
        why = f"it cannot be read: {error}; nothing after it was read"
        yield Rejected(where=f"{where} line {begin + reader.line_num}", why=why)


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _header_line(lines: list[str]) -> int:
    """Which line names the columns: the first of several columns with words; programs write theirs
    before it, and a remark has fewer columns than what follows."""
    counts = [line.count(_delimiter(line)) for line in lines]
    for at, (line, count) in enumerate(zip(lines[:_MOST_BEFORE], counts, strict=False)):
        is_remark = line.startswith("#") and count < max(counts[at + 1 : at + 3], default=0)
        if count and not is_remark and any(map(str.isalnum, line)):
            return at
    return next((at for at, line in enumerate(lines) if line.strip()), 0)


def _unique(header: list[str]) -> list[str]:
    """Names of columns, each once: of two with one name the first keeps it."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for name in header:
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


MAGIC = b"PAR1"
_BATCH = 1_000


def parquet_rows(data: bytes, *, where: str) -> Iterator[TableRow | Rejected]:
    """The rows, some at a time; `where` is the file for messages."""
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        why = (
            "Parquet is read with the package pyarrow, which is not installed beside ToolPlanner:"
            " install it there, or save the table as CSV"
        )
        yield Rejected(where=where, why=why)
        return
    number = 0
    try:
        for batch in parquet.ParquetFile(io.BytesIO(data)).iter_batches(batch_size=_BATCH):
            for cells in batch.to_pylist():
                number += 1
                yield TableRow(where=f"{where} row {number}", cells=cells)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        yield Rejected(where=where, why=f"it is no Parquet table: {str(error)[:200]}")


NONE = "-"
"""In place of a column: there is none, although one might be guessed."""
_CAPS = Caps(endings=ALL_SUFFIXES)
_GUESSES = {
    "name": ("name", "api_name", "api", "function", "function_name", "tool_name", "title",
             "operation", "endpoint_name", "plugin"),
    "description": ("description", "api_description", "desc", "summary", "details", "about",
                    "documentation", "docs", "purpose", "text", "explanation", "what_it_does",
                    "comment", "notes", "note", "content"),
    "tool": ("tool", "service", "product", "provider", "vendor", "server", "app", "tool_title"),
    "category": ("category", "field", "domain", "group", "tag", "topic", "type"),
    "method": ("method", "http_method", "verb"),
    "url": ("url", "endpoint", "address", "uri", "link"),
    "parameters": ("parameters", "params", "arguments", "args", "inputs", "input", "schema",
                   "input_schema"),
    "required": ("required", "required_parameters", "mandatory"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Which column holds what; empty ones are guessed, "-" is none."""

    name: str = option("", "Column of the names; empty guesses.")
    description: str = option("", "Column of the descriptions; empty guesses.")
    tool: str = option(
        "", "Column of the tools that the APIs belong to; empty guesses, else the file's name."
    )
    category: str = option("", "Column of the categories; empty guesses.")
    method: str = option("", "Column of the HTTP methods; empty guesses.")
    url: str = option("", "Column of the addresses; empty guesses.", title="Address")
    parameters: str = option(
        "", "Column of the parameters, as JSON or names between commas; empty guesses."
    )
    required: str = option("", "Column of the names of required parameters; empty guesses.")


def recognises(sample: Sample) -> float:
    """Whether the first files are tables with names and descriptions; others are more certain."""
    if any(head.text.startswith(MAGIC.decode()) for head in sample.heads):
        return 0.2
    heads = [header_of(head.text, head.name) for head in sample.heads]
    return 0.2 * sum(map(_is_table, heads)) / max(1, len(heads))


def read(location: Location, options: TableOptions, *, source: str) -> Generator[Record]:
    """All rows of a file, or of all tables of a folder or zip."""
    ids = ApiIds(source)
    for item in walk(location, _CAPS):
        if not isinstance(item, Member):
            yield item
            continue
        stem = clean_line(item.parts[-1].partition(".")[0]) or "table"
        known: dict[tuple[str, ...], dict[str, str]] = {}
        for row in _rows_of(item):
            if isinstance(row, Rejected):
                yield row
                continue
            header = tuple(row.cells)
            if header not in known:
                known[header] = _columns([*header], options)
                if "name" not in known[header]:
                    listed = ", ".join(repr(each[:40]) for each in header[:10])
                    why = f"no column holds names; the option name says which of {listed} does"
                    yield Rejected(where=item.where, why=why)
            if "name" in known[header]:
                yield _read_row(row, known[header], stem, ids, source)


def offered(location: Location) -> dict[str, Offered]:
    """The columns of the first table of a location, for each option, and which would be guessed."""
    for item in walk(location, _CAPS):
        if isinstance(item, Member):
            row = next((each for each in _rows_of(item) if isinstance(each, TableRow)), None)
            if row is not None:
                header = tuple(row.cells)
                guessed = _columns([*header], TableOptions())
                return {
                    meaning: Offered(
                        values=header,
                        guessed=guessed.get(meaning, ""),
                        none="" if meaning == "name" else NONE,
                    )
                    for meaning in _GUESSES
                }
    return {}


def _rows_of(member: Member) -> Iterator[TableRow | Rejected]:
    if member.data.startswith(MAGIC):
        return parquet_rows(member.data, where=member.where)
    return rows_of(decode(member.data), where=member.where, name=member.parts[-1])


def _is_table(header: list[str]) -> bool:
    found = _columns(header, TableOptions())
    return "name" in found and ("description" in found or "parameters" in found)


def _columns(header: list[str], options: TableOptions) -> dict[str, str]:
    """The column of each meaning that has one."""
    by_word = {_word(column): column for column in reversed(header)}
    found: dict[str, str] = {}
    for meaning, guesses in _GUESSES.items():
        chosen = getattr(options, meaning)
        if chosen == NONE:
            continue
        words = [_word(chosen)] if chosen else guesses
        column = next((by_word[word] for word in words if word in by_word), None)
        if column is not None and column not in found.values():
            found[meaning] = column
    return found


def _word(column: str) -> str:
    return "_".join(clean_line(column).lower().replace("-", " ").replace("_", " ").split())


def _read_row(
    row: TableRow, columns: dict[str, str], stem: str, ids: ApiIds, source: str
) -> Api | Rejected:
    def cell(meaning: str) -> Any:
        return row.cells.get(columns.get(meaning, ""))

    name = clean_line(cell("name"))
    if not name:
        return Rejected(where=row.where, why=f"the column {columns['name']!r} holds no name")
    tool, category = clean_line(cell("tool")) or stem, clean_line(cell("category"))
    method, url = clean_line(cell("method"), cap=20).upper(), clean_line(cell("url"))
    required = loose_parameters(cell("required"))["properties"]
    parameters = loose_parameters(cell("parameters"), required)
    head = f"{category}/{tool}" if category else tool
    return make_api(
        ids.next(category=category, tool=tool, name=name, method=method, url=url),
        source=source,
        key=f"{head}/{name.replace('/', '_')}",
        category=category,
        tool=tool,
        name=name,
        method=method,
        url=url,
        description=clean_text(cell("description")),
        parameters=parameters,
        operation=operation_of(method, url, parameters["properties"]),
    )


PLUGIN = SourcePlugin(
    id="table",
    title="Table of tools",
    description="A spreadsheet of tools, a row each: CSV, TSV, Parquet, plain JSON lines.",
    accepts="a table (CSV, TSV, Parquet, JSON lines) with columns of names and descriptions",
    options=TableOptions,
    recognises=recognises,
    read=read,
    offers=offered,
    order=50,
)
