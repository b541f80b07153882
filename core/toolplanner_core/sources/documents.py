"""Bytes from others to JSON values: encodings, depth, and errors as sentences.

Source: design/security.md, "Files from others": JSON depth at most 200.
"""

import codecs
import json
from typing import Any

from toolplanner_core.errors import BadInput

MAX_DEPTH = 200
"""Deepest nesting of a JSON document; deeper ones are refused, not cut."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # UTF-32 before UTF-16: its little-endian mark begins with the one of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes) -> str:
    """Text of any encoding that JSON files are found in; never fails.

    A byte order mark decides, then the pattern of zero bytes (UTF-16 and UTF-32 without a mark),
    then UTF-8, then Windows-1252, which nearly all old Western files are, then Latin-1.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:4]:
        return data.decode(json.detect_encoding(data), "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str) -> Any:
    """The JSON value of a text.

    NaN and Infinity, which JSON does not know but Python writes, become texts.

    Raises:
        BadInput: broken JSON (with line and column), too deep, or a number too long.
    """
    try:
        value = json.loads(text, parse_constant=str)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise BadInput(f"the JSON is nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:  # a number of more than 4,300 digits
        raise BadInput(f"the JSON holds a value that cannot be read: {error}") from error
    check_depth(text, value)
    return value


def check_depth(text: str, value: Any) -> None:
    """Refuse a value that is nested too deep.

    Args:
        text: what it was parsed from; few brackets prove it flat without a walk.

    Raises:
        BadInput: deeper than `MAX_DEPTH`.
    """
    if text.count("[") + text.count("{") > MAX_DEPTH and is_too_deep(value):
        raise BadInput(f"the JSON is nested deeper than {MAX_DEPTH} levels")


def is_too_deep(value: Any) -> bool:
    """Whether a value is nested deeper than `MAX_DEPTH`; without recursion."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level = [item for item in below if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def json_kind(value: Any) -> str:
    """The JSON word for a value's kind, with its article, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")
