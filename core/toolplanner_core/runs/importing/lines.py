"""Numbered JSON lines of a file from somewhere else, plain or gzipped, within limits.

A line that is no JSON object within the limits is a `BadLine`; the lines after it are read all the
same. Source of the limits: design/security.md, "Files from others".
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import MAX_DEPTH, is_too_deep

MAX_LINE_BYTES = 50_000_000
MAX_FILE_BYTES = 4_000_000_000
"""After decompression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: a JSON object, or why it is none."""

    number: int
    data: dict[str, Any]
    problem: str = ""


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a file that are not empty, numbered from 1.

    Raises:
        BadInput: the file cannot be read at all, or is too large.
    """
    try:
        with _open(path) as file:
            read = 0
            number = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                read += len(raw)
                if read > MAX_FILE_BYTES:
                    raise BadInput(
                        "The file is too large",
                        where=f"{path.name}, line {number}",
                        todo=f"Split it; the limit is {MAX_FILE_BYTES:,} bytes",
                    )
                if len(raw) > MAX_LINE_BYTES:
                    yield Line(number=number, data={}, problem="the line is too long")
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(MAX_LINE_BYTES)
                        read += len(raw)
                elif raw.strip():
                    yield _parse(number, raw)
    except (OSError, EOFError) as error:
        raise BadInput("The file cannot be read", where=str(path), why=str(error)) from error


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if is_gzip else path.open("rb")


def _parse(number: int, raw: bytes) -> Line:
    try:
        data = json.loads(raw, parse_constant=_refuse_constant)
    except RecursionError:
        return Line(number=number, data={}, problem="it is nested too deeply")
    except ValueError as error:
        return Line(number=number, data={}, problem=f"not valid JSON: {str(error)[:200]}")
    if not isinstance(data, dict):
        return Line(number=number, data={}, problem="not a JSON object")
    if is_too_deep(data):
        return Line(number=number, data={}, problem=f"nested more than {MAX_DEPTH} levels deep")
    return Line(number=number, data=cast("dict[str, Any]", data))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
