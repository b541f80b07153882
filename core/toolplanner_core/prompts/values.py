"""Whether a value fits a JSON Schema, in words; tolerant of the odd schemas of catalogues.

Not a full validator: it looks at type, enum, const, bounds, length, pattern, items and
alternatives, and takes a keyword it cannot read for absent (ToolBench has minimums that are texts
and types that do not exist). The gate checks calls with the `jsonschema` package; this check is
here so that a model is told of a misfit while it can still mend it. Called by the parser of
`FillArguments` and by the offline planner.
"""

import re
from collections.abc import Mapping
from typing import Any

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
