"""Split the text of a functions file into JSON values with their places: whole, by line, by item.

People keep functions as one document or as JSON lines, and the file's name does not always say
which. Broken parts are reported and the rest is kept.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import check_depth, parse
from toolplanner_core.sources.source import Rejected

_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_NEXT = re.compile(r"\s*([,\]]?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A JSON value and its place, such as "tools.jsonl line 3"."""

    where: str
    value: Any


def items_of(text: str, *, where: str, name: str) -> Iterator[Item | Rejected]:
    """The JSON values of a file.

    Args:
        where: the file for messages.
        name: its own name; ".jsonl" means lines even where they are broken.
    """
    if not text.strip():
        yield Rejected(where=where, why="the file holds only blanks")
        return
    try:
        yield Item(where=f"{where} $", value=parse(text))
    except BadInput as error:
        if _is_lines(text, name):
            yield from _by_line(text, where)
        elif text.lstrip().startswith("["):
            yield from _by_item(text, where)
        else:
            yield Rejected(where=where, why=error.what)


def _is_lines(text: str, name: str) -> bool:
    """Whether a text that is no single JSON value is JSON lines: by name, or most lines parse."""
    if name.lower().endswith(_LINE_SUFFIXES):
        return True
    lines = [line for line in text[:1_000_000].splitlines() if line.strip()][:50]
    return len(lines) > 1 and sum(_is_value(line) for line in lines) * 2 >= len(lines)


def _is_value(line: str) -> bool:
    try:
        return isinstance(parse(line), dict | list)
    except BadInput:
        return False


def _by_line(text: str, where: str) -> Iterator[Item | Rejected]:
    # Not splitlines(): U+2028 and others are legal inside a JSON text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Item(where=f"{where} line {number}", value=parse(line))
        except BadInput as error:
            why = error.what.replace("at line 1, column", "at column")
            yield Rejected(where=f"{where} line {number}", why=why)


def _by_item(text: str, where: str) -> Iterator[Item | Rejected]:
    """The items of a list up to where it breaks."""
    decoder = json.JSONDecoder(parse_constant=str)
    position = text.index("[") + 1
    index = 0
    try:
        while True:
            match = _NEXT.match(text, position)
            position = match.end() if match else position
            if match and match.group(1) == "]":
                why = "something follows the end of the list and was not read"
                yield Rejected(where=f"{where} $", why=why)
                return
            begin = position
            value, position = decoder.raw_decode(text, position)
            check_depth(text[begin:position], value)
            yield Item(where=f"{where} $[{index}]", value=value)
            index += 1
    except json.JSONDecodeError as error:
        why = f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError, BadInput) as error:
        why = error.what if isinstance(error, BadInput) else str(error)
    yield Rejected(where=f"{where} $[{index}]", why=f"{why}; nothing after it was read")
