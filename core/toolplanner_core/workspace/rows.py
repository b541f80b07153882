"""Rows as objects and objects as rows: how SQLite holds what a field can be.

Mappings, tuples and nested dataclasses are JSON, members of an enum their values, arrays their
bytes. A column has the name of the field that it fills.

JSON out of a workspace, which may come from elsewhere: it may be none, or have another form.
"""

import contextlib
import dataclasses
import json
import typing
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.domain.plain_data import Reader, identity_reader, reader_of, without_defaults
from toolplanner_core.errors import NotFound, WorkspaceDamaged


def stored_json(text: Any) -> Any:
    """The value of a stored text.

    Raises:
        WorkspaceDamaged: it is no JSON, or nested too deep.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise WorkspaceDamaged(
            "A value in the workspace is no JSON",
            why=str(error)[:200],
            todo="Open a backup",
        ) from error


@contextlib.contextmanager
def of_its_form(what: str) -> Generator[None]:
    """While values are made of what a workspace holds, say it where that has another form.

    Args:
        what: is read, such as "a run".

    Raises:
        WorkspaceDamaged: a list stands where an object should, a field is missing, and the like.
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise WorkspaceDamaged(
            f"What the workspace holds of {what} has another form than it should",
            why=f"{type(error).__name__}: {error}"[:200],
            todo="Open a backup",
        ) from error


T = TypeVar("T")
INT, FLOAT = np.dtype("<i4"), np.dtype("<f4")
"""How numbers of arrays are stored."""


def read_rows(db: Database, kind: type[T], sql: str, values: Sequence[Any] = ()) -> list[T]:
    """The rows of a query as objects of a dataclass."""
    return [made for _, made in _read(db, kind, sql, values)]


def read_row(db: Database, kind: type[T], sql: str, values: Sequence[Any] = ()) -> T | None:
    """The first row of a query; None if it has none."""
    return next((made for _, made in _read(db, kind, sql, values)), None)


def read_one(
    db: Database, kind: type[T], sql: str, values: Sequence[Any], *, missing: str, todo: str
) -> T:
    """The one row of a query.

    Raises:
        NotFound: it has none; `missing` and `todo` say it.
    """
    found = read_row(db, kind, sql, values)
    if found is None:
        raise NotFound(missing, todo=todo)
    return found


def row_of(value: Any, *, without: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass by the names of their columns."""
    names = (each.name for each in dataclasses.fields(value))
    return {name: getattr(value, name) for name in names if name not in without}


def read_keyed(db: Database, kind: type[T], sql: str, values: Sequence[Any] = ()) -> dict[Any, T]:
    """The rows of a query by their first column."""
    return {row[0]: made for row, made in _read(db, kind, sql, values)}


def insert(
    db: Database,
    table: str,
    row: Mapping[str, Any],
    *,
    otherwise: Literal["", "OR IGNORE", "OR REPLACE"] = "",
) -> int:
    """Add one row, values by column; inside a writer's transaction.

    Returns:
        Its row id.
    """
    cursor = db.conn.execute(
        f"INSERT {otherwise} INTO {table}({', '.join(row)}) VALUES({marks(row)})",
        [as_stored(value) for value in row.values()],
    )
    return int(cursor.lastrowid or 0)


def marks(values: typing.Sized) -> str:
    """The place of each value in a statement: "?, ?, ?"."""
    return ", ".join("?" * len(values))


def as_stored(value: Any) -> Any:
    """A value as SQLite holds it."""
    if isinstance(value, str | int | None):  # nearly all
        return value
    if isinstance(value, np.ndarray):
        array = cast(NDArray[Any], value)
        return array.astype(FLOAT if array.dtype.kind == "f" else INT).tobytes()
    is_json = isinstance(value, Mapping | list | tuple) or dataclasses.is_dataclass(value)
    return dump(value) if is_json else value


def dump(value: Any) -> str:
    """A value as compact JSON."""
    return _encoder.encode(value)


def as_key(options: Mapping[str, Any]) -> str:
    """Options as JSON that is the same for the same options, to find what was made with them."""
    return json.dumps(dict(options), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(cast(Mapping[Any, Any], value))
    return without_defaults(value) if dataclasses.is_dataclass(value) else int(value)


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


def _read(
    db: Database, kind: type[T], sql: str, values: Sequence[Any]
) -> Iterator[tuple[Sequence[Any], T]]:
    """Each row as it is, and what its columns of known names make."""
    cursor = db.execute(sql, values)
    readers = _readers(kind)
    found = [(i, column[0]) for i, column in enumerate(cursor.description)]
    columns = [(i, name) for i, name in found if name in readers]
    made = [(name, readers[name]) for _, name in columns if readers[name] is not identity_reader]
    with of_its_form(f"a {kind.__name__}"):
        for row in cursor:
            cells: dict[str, Any] = {name: row[i] for i, name in columns}
            for name, read in made:
                cells[name] = read(cells[name])
            yield row, kind(**cells)


@cache
def _readers(kind: type) -> dict[str, Reader]:
    hints = typing.get_type_hints(kind)
    return {each.name: _reader(hints[each.name]) for each in dataclasses.fields(kind)}


def _reader(hint: Any) -> Reader:
    inner = typing.get_args(hint)
    one = next(each for each in inner if each is not NoneType) if NoneType in inner else hint
    origin = typing.get_origin(one)
    if origin is np.ndarray:
        scalar = typing.get_args(typing.get_args(one)[1])[0]
        return lambda blob: np.frombuffer(blob, dtype=scalar)
    read = reader_of(one)
    if origin in (tuple, Mapping) or dataclasses.is_dataclass(one):
        return lambda text: None if text is None else read(stored_json(text))
    return reader_of(hint)
