"""Values that say the right thing in the wrong JSON type, brought to the type a schema asks for.

Models write "3" for 3, 75001 for "75001", "yes" for true, one value where a list is asked for, or
an enum's value in other letters. Asking again for that costs a question and often brings the same.
Only what keeps the meaning without doubt is changed; all else stays for the check that follows.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.prompts.values import misfit, types_of

_TRUE, _FALSE = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\Z")


def coerced(value: Any, schema: Any) -> Any:
    """The value as the schema wants it, or unchanged where that is not beyond doubt."""
    if not isinstance(schema, Mapping) or not misfit(value, schema):
        return value
    known = cast("Mapping[str, Any]", schema)
    for kind in types_of(known):
        found = _as(value, kind, known)
        if found is not None and not misfit(found, known):
            return found
    return _listed(value, known.get("enum"))


def _as(value: Any, kind: str, schema: Mapping[str, Any]) -> Any:
    """The value as one JSON type; None where it is none."""
    match kind:
        case "integer" | "number" if isinstance(value, str):
            return _number(value.strip(), kind)
        case "string" if isinstance(value, int | float) and not isinstance(value, bool):
            is_whole = isinstance(value, float) and value.is_integer()
            return str(int(value)) if is_whole else str(value)
        case "string" if isinstance(value, list):
            parts = cast("list[Any]", value)
            is_plain = all(isinstance(part, str | int | float) for part in parts)
            return ",".join(map(str, parts)) if parts and is_plain else None
        case "string" if isinstance(value, str):
            return _listed(value.strip(), schema.get("enum"))
        case "boolean" if isinstance(value, str):
            word = value.strip().lower()
            return True if word in _TRUE else False if word in _FALSE else None
        case "array" if isinstance(value, list):
            return [coerced(part, schema.get("items")) for part in cast("list[Any]", value)]
        case "array" if isinstance(value, str | int | float | bool):
            return [coerced(value, schema.get("items"))]
        case _:
            return None


def _number(text: str, kind: str) -> int | float | None:
    if not _NUMBER.match(text) or len(text) > 40:
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    if kind == "integer" or re.fullmatch(r"[+-]?\d+", text):
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else _whole(number)
    return number


def _whole(number: float) -> int | None:
    return int(number) if number.is_integer() else None


def _listed(value: Any, options: Any) -> Any:
    """The one option that is written alike."""
    if isinstance(value, str) and isinstance(options, list):
        alike = [
            option
            for option in cast("list[Any]", options)
            if isinstance(option, str) and option.strip().lower() == value.strip().lower()
        ]
        if len(alike) == 1:
            return alike[0]
    return value
