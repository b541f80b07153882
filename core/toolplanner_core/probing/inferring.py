"""A reply as a schema: its structure and the types of its values, recursively.

Source: Shi et al., arXiv 2405.16533, section 4.1 ("recursively decomposing each element, listing
the type of the corresponding value"). The items of a list are merged into one schema.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema

_MOST_ITEMS = 50
_MOST_PROPERTIES = 200
"""An object with more is a table by ids: one schema stands for all its values."""
_DEEPEST = 12


def infer_schema(value: Any, depth: int = 0) -> dict[str, Any]:
    """JSON Schema of a reply; {} where anything may stand."""
    if depth > _DEEPEST:
        return {}
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            items = cast("Sequence[Any]", value)[:_MOST_ITEMS]
            return {"type": "array", "items": merged(infer_schema(i, depth + 1) for i in items)}
        case dict():
            known = cast("Mapping[str, Any]", value)
            inner = {str(name): infer_schema(each, depth + 1) for name, each in known.items()}
            if len(inner) > _MOST_PROPERTIES:
                return {"type": "object", "additionalProperties": merged(inner.values())}
            return {"type": "object", "properties": inner}
        case _:
            return {}


def merged(schemas: Iterable[JsonSchema]) -> dict[str, Any]:
    """One schema that all of these fit."""
    out: dict[str, Any] | None = None
    for schema in schemas:
        out = dict(schema) if out is None else _both(out, schema)
    return out or {}


def types_of(schema: JsonSchema) -> tuple[str, ...]:
    """The types that a schema names, in order; () = any."""
    kind: Any = schema.get("type")
    if isinstance(kind, str):
        return (kind,)
    if isinstance(kind, list):
        return tuple(sorted(str(each) for each in cast("list[Any]", kind)))
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()


def _both(one: JsonSchema, other: JsonSchema) -> dict[str, Any]:
    first, second = types_of(one), types_of(other)
    if not first or not second:
        return dict(other if not first else one)
    kinds = set(first) | set(second)
    if {"integer", "number"} <= kinds:
        kinds.discard("integer")
    out: dict[str, Any] = {"type": next(iter(kinds)) if len(kinds) == 1 else sorted(kinds)}
    for name in ("items", "additionalProperties"):
        parts = [s[name] for s in (one, other) if isinstance(s.get(name), Mapping)]
        if parts:
            out[name] = merged(parts)
    if "properties" in one or "properties" in other:
        mine = cast("Mapping[str, Any]", one.get("properties") or {})
        theirs = cast("Mapping[str, Any]", other.get("properties") or {})
        names = [*mine, *(name for name in theirs if name not in mine)]
        out["properties"] = {
            name: merged(p[name] for p in (mine, theirs) if name in p) for name in names
        }
    return out
