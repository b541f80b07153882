"""Data sets as JSON lines: one header, then one query a line.

    {"format": "toolplanner-dataset", "version": 1, "name": "rest-bench", "source": "...", ...}
    {"id": "17", "query": "...", "gold": [["KEY", ...], ...], "path": ["KEY", ...], ...}

A line that cannot be read is rejected with its number and the reason; the others are read. An item
of "path" is a key, or {"api": KEY, "arguments": {...}} where the source knows the arguments.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.lab import DataSet, GoldCall, Query, Solvable, row_of_query
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.importing.lines import Line, read_lines
from toolplanner_core.sources.source import Rejected
from toolplanner_core.workspace.export_file import write_file

FORMAT = "toolplanner-dataset"
VERSION = 1
SUFFIX = ".jsonl"
_TEXTS = ("split", "cluster", "source", "licence")
_EXPECTED = {each.name for each in dataclasses.fields(Expectation)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDataSet:
    """A data set that was read, and the lines of its file that could not be."""

    data_set: DataSet
    rejected: list[Rejected]


def read_data_set(path: Path) -> ReadDataSet:
    """Read a file of a data set, plain or gzipped.

    Raises:
        BadInput: the file cannot be read, is too large, or its first line is no header that this
            program knows.
    """
    lines = iter(read_lines(path))
    header = _header(next(lines, None), path)
    queries: dict[str, Query] = {}
    rejected: list[Rejected] = []
    for line in lines:
        try:
            query = query_of_row(line.data) if not line.problem else None
            problem = line.problem
            if query is not None and query.id in queries:
                problem = f"the id {query.id!r} stands in a line before"
        except BadInput as error:
            query, problem = None, error.what
        if query is None or problem:
            rejected.append(Rejected(where=f"{path.name} line {line.number}", why=problem))
        else:
            queries[query.id] = query
    made = DataSet(
        name=header["name"],
        queries=tuple(queries.values()),
        source=header.get("source", ""),
        licence=header.get("licence", ""),
        is_held_out=header.get("held_out", False),
    )
    return ReadDataSet(data_set=made, rejected=rejected)


def write_data_set(data_set: DataSet, path: Path) -> None:
    """Write a data set; the file is there whole or not at all, and replaces one of that name.

    Raises:
        BadInput: it cannot be written.
    """
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": data_set.name,
        "source": data_set.source,
        "licence": data_set.licence,
        "held_out": data_set.is_held_out,
    }
    rows: list[dict[str, Any]] = [header, *map(row_of_query, data_set)]
    write_file((json.dumps(row, ensure_ascii=False) + "\n" for row in rows), path)


def query_of_row(row: Mapping[str, Any]) -> Query:
    """The query of a line; members that this program does not know are left out.

    Raises:
        BadInput: a member is missing, or is not what it must be; `what` says which.
    """
    made = Query(
        id=_text(row, "id", is_needed=True),
        text=_text(row, "query", is_needed=True),
        gold=tuple(frozenset(_keys(each, "an item of gold")) for each in _list(row, "gold")),
        path=tuple(map(_call, _list(row, "path"))),
        expected=_expected(row.get("expected")),
        solvable=_solvable(row.get("solvable")),
        candidates=tuple(_keys(row.get("candidates", []), "candidates")),
        **{name: _text(row, name) for name in _TEXTS},
    )
    if any(not keys for keys in made.gold):
        raise BadInput("an item of gold names no API")
    try:
        json.dumps(row_of_query(made), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("a text holds half a character (a lone surrogate)") from error
    return made


def _header(line: Line | None, path: Path) -> dict[str, Any]:
    data = {} if line is None else line.data
    if data.get("format") != FORMAT:
        raise BadInput(
            "The file is no data set",
            where=path.name,
            why=(line.problem if line else "it is empty") or "its first line is no header of one",
            todo="Import it first, if it is of another format",
        )
    if data.get("version") != VERSION:
        raise BadInput(
            f"The data set has version {data.get('version')!r} of the format",
            where=path.name,
            why=f"this program reads version {VERSION}",
        )
    kinds = {"name": str, "source": str, "licence": str, "held_out": bool}
    wrong = [name for name, kind in kinds.items() if not isinstance(data.get(name, kind()), kind)]
    if wrong or not data.get("name"):
        raise BadInput(f"The header has no usable {(wrong or ['name'])[0]}", where=path.name)
    return data


def _text(row: Mapping[str, Any], name: str, *, is_needed: bool = False) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise BadInput(f"{name} is no text")
    if is_needed and not value.strip():
        raise BadInput(f"{name} is missing or empty")
    return value


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name, [])
    if not isinstance(value, list):
        raise BadInput(f"{name} is no list")
    return cast("list[Any]", value)


def _keys(value: Any, name: str) -> list[str]:
    if not isinstance(value, list) or not all(
        isinstance(key, str) and key for key in cast("list[Any]", value)
    ):
        raise BadInput(f"{name} is no list of keys of APIs")
    return cast("list[str]", value)


def _call(item: Any) -> GoldCall:
    if isinstance(item, str) and item:
        return GoldCall(api=item)
    if isinstance(item, dict):
        known = cast("dict[str, Any]", item)
        api, arguments = known.get("api"), known.get("arguments")
        if isinstance(api, str) and api and (arguments is None or isinstance(arguments, dict)):
            return GoldCall(api=api, arguments=cast("dict[str, Any] | None", arguments))
    raise BadInput('an item of path is neither a key nor {"api", "arguments"}')


def _expected(value: Any) -> Expectation | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadInput("expected is no object")
    given = cast("dict[str, Any]", value)
    if unknown := sorted(given.keys() - _EXPECTED):
        raise BadInput(f"expected asks for {unknown[0]!r}, which this program cannot check")
    try:
        made = from_plain(Expectation, given)
    except (TypeError, ValueError) as error:
        raise BadInput(f"expected cannot be read: {str(error)[:200]}") from error
    for name, item in given.items():
        held: Any = getattr(made, name)
        texts = cast("tuple[Any, ...]", held) if isinstance(held, tuple) else ()
        same = list(texts) == item if isinstance(held, tuple) else held == item
        if not same or not all(isinstance(text, str) for text in texts):
            raise BadInput(f"expected has no usable value for {name}")
    return made


def _solvable(value: Any) -> Solvable:
    try:
        return Solvable.UNKNOWN if value is None else Solvable(value)
    except ValueError as error:
        raise BadInput(f"solvable is none of {', '.join(Solvable)}") from error
