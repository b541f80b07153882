"""The keywords of schemas that hold no schemas: what is kept of each, in JSON Schema 2020-12.

OpenAPI 2.0 and 3.0 write an older dialect with words of their own. What a keyword cannot hold is
left out: a schema that came in is always a valid one.
"""

import math
import re
from collections.abc import Callable
from typing import Any

from toolplanner_core.sources.cleaning import clean_json, clean_text
from toolplanner_core.sources.openapi.parts import as_list

TYPES = ("null", "boolean", "object", "array", "number", "string", "integer")
_OTHER_TYPES = {
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "str": "string", "date": "string", "datetime": "string", "uuid": "string",
    "list": "array", "map": "object", "dict": "object", "file": "string",
}  # fmt: skip
ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format"}
)
"""Keywords that say nothing about which values fit."""


def plain_keywords(schema: dict[str, Any]) -> dict[str, Any]:
    """Of a schema of OpenAPI, the keywords that hold no schemas and can be used."""
    kept: dict[str, Any] = {}
    for word, value in schema.items():
        keep = _KEEP.get(word)
        usable = keep(value) if keep else None
        if usable is not None:
            kept[word] = usable
    _add_type(schema, kept)
    _add_limits(schema, kept)
    if "const" in schema:
        kept["const"] = clean_json(schema["const"])
    if schema.get("default") is not None:
        kept["default"] = clean_json(schema["default"])
    if "examples" not in kept and schema.get("example") is not None:
        kept["examples"] = [clean_json(schema["example"])]
    return finite(kept)


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that null fits, too."""
    result = dict(schema)
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and "null" not in types:
        result["type"] = [*types, "null"]
    if "enum" in schema and None not in schema["enum"]:
        result["enum"] = [*schema["enum"], None]
    for word in ("anyOf", "oneOf"):
        if word in schema and {"type": "null"} not in schema[word]:
            result[word] = [*schema[word], {"type": "null"}]
    return result


def finite(value: Any) -> Any:
    """A JSON value in which numbers that JSON cannot write are texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [finite(inner) for inner in value]
    return value


def _add_type(schema: dict[str, Any], kept: dict[str, Any]) -> None:
    given = schema.get("type")
    types: list[str] = []
    for word in given if isinstance(given, list) else [given]:
        found = _OTHER_TYPES.get(str(word).lower(), str(word).lower())
        if found in TYPES and found not in types:
            types.append(found)
    if given == "file":
        kept["format"] = "binary"
    if types:
        kept["type"] = types[0] if len(types) == 1 else types
    if schema.get("nullable") is True or schema.get("x-nullable") is True:
        kept.update(or_null(kept))


def _add_limits(schema: dict[str, Any], kept: dict[str, Any]) -> None:
    """Until 3.0, `exclusiveMinimum: true` says how `minimum` is meant."""
    for exclusive, limit in (
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ):
        if schema.get(exclusive) is True and limit in kept:
            kept[exclusive] = kept.pop(limit)


def _number(value: Any) -> int | float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _positive(value: Any) -> int | float | None:
    number = _number(value)
    return number if number is not None and number > 0 else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def _flag(value: Any) -> bool | None:
    return True if value is True else None


def _words(value: Any) -> str | None:
    return clean_text(value) or None


def _pattern(value: Any) -> str | None:
    """A regular expression that can be checked here; others are of other dialects."""
    if not isinstance(value, str):
        return None
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError):
        return None
    return clean_text(value)


def _values(value: Any) -> list[Any] | None:
    return clean_json(as_list(value)) or None


def _examples(value: Any) -> list[Any] | None:
    """As a list, or since 3.0 by name with the value inside."""
    if isinstance(value, dict):
        inner = [
            each.get("value", each) if isinstance(each, dict) else each for each in value.values()
        ]
        return clean_json(inner[:3]) or None
    return clean_json(as_list(value)[:3]) or None


_KEEP: dict[str, Callable[[Any], Any]] = {
    "title": _words, "description": _words, "format": _words, "pattern": _pattern,
    "enum": _values, "examples": _examples,
    "multipleOf": _positive,
    "minimum": _number, "maximum": _number,
    "exclusiveMinimum": _number, "exclusiveMaximum": _number,
    "minLength": _count, "maxLength": _count, "minItems": _count, "maxItems": _count,
    "minProperties": _count, "maxProperties": _count, "minContains": _count,
    "maxContains": _count,
    "uniqueItems": _flag, "deprecated": _flag, "readOnly": _flag, "writeOnly": _flag,
    "contentEncoding": _words, "contentMediaType": _words,
}  # fmt: skip
