"""Whether a value fits a JSON Schema, in words; tolerant of the odd schemas of catalogues.

Not a full validator: it looks at type, enum, const, bounds, length, pattern, items and
alternatives, and takes a keyword it cannot read for absent (ToolBench has minimums that are texts
and types that do not exist). The gate checks calls with the `jsonschema` package; this check is
here so that a model is told of a misfit while it can still mend it. Called by the parser of
`FillArguments` and by the offline planner.

Values that say the right thing in the wrong JSON type, brought to the type a schema asks for.

Models write "3" for 3, 75001 for "75001", "yes" for true, one value where a list is asked for, or
an enum's value in other letters. Asking again for that costs a question and often brings the same.
Only what keeps the meaning without doubt is changed; all else stays for the check that follows.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.prompts.question import describe

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def types_of(schema: Any) -> list[str]:
    """The known JSON types a schema allows, in its order; empty = any."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    kinds = kind if isinstance(kind, list) else [kind]
    return [name for name in kinds if isinstance(name, str) and name in _TYPES]


def is_type(value: Any, kind: str) -> bool:
    """Whether a value has one JSON type; true is no number, 3.0 is an integer."""
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def misfit(value: Any, schema: Any, depth: int = 0) -> str:
    """What is wrong with a value, "" when it fits.

    Args:
        schema: any JSON value; what is no schema allows everything.
        depth: nesting so far; looked at down to 8 levels.
    """
    if not isinstance(schema, Mapping) or depth > 8:
        return ""
    kinds = types_of(schema)
    if kinds and not any(is_type(value, kind) for kind in kinds):
        return f"must be of type {' or '.join(kinds)}, got {describe(value)}"
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed and not _among(value, allowed):
        shown = ", ".join(map(repr, allowed[:30]))
        return f"must be one of {shown}, got {describe(value)}"
    if "const" in schema and not _same(value, schema["const"]):
        return f"must be {schema['const']!r}, got {describe(value)}"
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(alternatives, list) and alternatives:
        found = [misfit(value, option, depth + 1) for option in alternatives]
        if all(found):
            return found[0]
    return _bounds(value, schema) or _inside(value, schema, depth)


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _among(value: Any, allowed: list[Any]) -> bool:
    return any(_same(value, option) for option in allowed)


def _number(bound: Any) -> float | None:
    return bound if isinstance(bound, int | float) and not isinstance(bound, bool) else None


def _bounds(value: Any, schema: Mapping[str, Any]) -> str:
    number = _number(value)
    if number is not None:
        low, high = _number(schema.get("minimum")), _number(schema.get("maximum"))
        if low is not None and number < low:
            return f"must be at least {low}"
        if high is not None and number > high:
            return f"must be at most {high}"
        above, below = map(
            _number, (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))
        )
        if above is not None and number <= above:
            return f"must be above {above}"
        if below is not None and number >= below:
            return f"must be below {below}"
    if isinstance(value, str):
        shortest, longest = _number(schema.get("minLength")), _number(schema.get("maxLength"))
        if shortest is not None and len(value) < shortest:
            return f"must have at least {shortest} characters"
        if longest is not None and len(value) > longest:
            return f"must have at most {longest} characters"
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and _breaks(value, pattern):
            return f"must match the pattern {pattern}"
    return ""


def _breaks(value: str, pattern: str) -> bool:
    try:
        return re.search(pattern, value[:1000]) is None
    except (re.error, OverflowError, RecursionError):
        return False


def _inside(value: Any, schema: Mapping[str, Any], depth: int) -> str:
    if isinstance(value, list):
        for index, item in enumerate(value):
            found = misfit(item, schema.get("items"), depth + 1)
            if found:
                return f"item {index} {found}"
    if isinstance(value, dict):
        properties = schema.get("properties")
        required = schema.get("required")
        if isinstance(required, list):
            for name in required:
                if isinstance(name, str) and name not in value:
                    return f"lacks the property {name!r}"
        if isinstance(properties, Mapping):
            for name, inner in properties.items():
                found = misfit(value[name], inner, depth + 1) if name in value else ""
                if found:
                    return f"property {name!r} {found}"
    return ""


_TRUE, _FALSE = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\Z")


def coerce_value(value: Any, schema: Any) -> Any:
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
            return _parsed_number(value.strip(), kind)
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
            return [coerce_value(part, schema.get("items")) for part in cast("list[Any]", value)]
        case "array" if isinstance(value, str | int | float | bool):
            return [coerce_value(value, schema.get("items"))]
        case _:
            return None


def _parsed_number(text: str, kind: str) -> int | float | None:
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
