"""Values that fit a JSON Schema, plausible in form, drawn from a seeded `Random`.

Called by the provider "simulated". Any schema is survived: what cannot be understood becomes a
short text.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema

_MAX_DEPTH = 6
_WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "grove", "harbour", "iris", "jade")


def simulated_value(schema: Any, random: Random, arguments: Mapping[str, Any]) -> Any:
    """A value for a schema.

    Args:
        schema: JSON Schema, or anything.
        random: the only source of chance.
        arguments: of the call; a property of the same name repeats the argument's value.
    """
    return _value(schema, random, arguments, name="", depth=0)


def _value(
    schema: Any, random: Random, arguments: Mapping[str, Any], *, name: str, depth: int
) -> Any:
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return _text(random, name)
    known = cast(JsonSchema, schema)
    for key in ("const", "example", "default"):
        if key in known:
            return known[key]
    if _list(known.get("enum")):
        return random.choice(_list(known["enum"]))
    for key in ("oneOf", "anyOf", "allOf"):
        if _list(known.get(key)):
            return _value(_list(known[key])[0], random, arguments, name=name, depth=depth + 1)
    if name in arguments and not isinstance(arguments[name], list | dict):
        return arguments[name]
    match known.get("type"):
        case "object":
            return _object(known, random, arguments, depth)
        case "array":
            items = known.get("items")
            return [
                _value(items, random, arguments, name=name, depth=depth + 1)
                for _ in range(random.randint(1, 3))
            ]
        case "integer":
            low, high = _bounds(known)
            return random.randint(int(low), max(int(low), int(high)))
        case "number":
            return round(random.uniform(*_bounds(known)), 2)
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case _:
            if "properties" in known:
                return _object(known, random, arguments, depth)
            return _text(random, name, str(known.get("format", "")))


def _object(schema: JsonSchema, random: Random, arguments: Mapping[str, Any], depth: int) -> Any:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    inner = cast(Mapping[str, Any], properties)
    return {
        str(key): _value(value, random, arguments, name=str(key), depth=depth + 1)
        for key, value in list(inner.items())[:30]
    }


def _bounds(schema: JsonSchema) -> tuple[float, float]:
    low, high = schema.get("minimum", 0), schema.get("maximum", 100)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low > high:
        return (0, 100)
    return (low, high)


def _list(value: Any) -> Sequence[Any]:
    return cast(Sequence[Any], value) if isinstance(value, list) else ()


def _text(random: Random, name: str, form: str = "") -> str:
    match form:
        case "date":
            return f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        case "date-time":
            return f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T12:00:00Z"
        case "email":
            return f"{random.choice(_WORDS)}@example.org"
        case "uri" | "url":
            return f"https://example.org/{random.choice(_WORDS)}"
        case _:
            word = random.choice(_WORDS)
            return f"{name} {word}".strip()
