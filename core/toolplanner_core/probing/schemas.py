"""Schemas of replies: inferred from the values that came, and compared with the documented ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.words.formatting import counted

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
            return {
                "type": "array",
                "items": merge_schemas(infer_schema(i, depth + 1) for i in items),
            }
        case dict():
            known = cast("Mapping[str, Any]", value)
            inner = {str(name): infer_schema(each, depth + 1) for name, each in known.items()}
            if len(inner) > _MOST_PROPERTIES:
                return {"type": "object", "additionalProperties": merge_schemas(inner.values())}
            return {"type": "object", "properties": inner}
        case _:
            return {}


def merge_schemas(schemas: Iterable[JsonSchema]) -> dict[str, Any]:
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
            out[name] = merge_schemas(parts)
    if "properties" in one or "properties" in other:
        mine = cast("Mapping[str, Any]", one.get("properties") or {})
        theirs = cast("Mapping[str, Any]", other.get("properties") or {})
        names = [*mine, *(name for name in theirs if name not in mine)]
        out["properties"] = {
            name: merge_schemas(p[name] for p in (mine, theirs) if name in p) for name in names
        }
    return out


_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDifference:
    """Fields of two schemas, as paths such as `results[].id`.

    Attributes:
        same: in both, with types that go together.
        other_type: in both; "path: documented, found".
        only_documented: may be optional; only_found: the documentation does not know them.
    """

    same: tuple[str, ...]
    other_type: tuple[str, ...]
    only_documented: tuple[str, ...]
    only_found: tuple[str, ...]

    @property
    def share_right(self) -> float | None:
        """Share of the found fields that the documentation has with the same type; None without
        any."""
        found = len(self.same) + len(self.other_type) + len(self.only_found)
        return len(self.same) / found if found else None

    @property
    def in_words(self) -> str:
        """For people: "12 fields as documented; 1 of another type (id: string, integer)"."""
        parts = [f"{counted(len(self.same), 'field')} as documented"]
        for paths, words in (
            (self.other_type, "of another type"),
            (self.only_found, "not documented"),
            (self.only_documented, "not seen"),
        ):
            if paths:
                more = ", ..." if len(paths) > _TOLD else ""
                parts.append(f"{len(paths)} {words} ({', '.join(paths[:_TOLD])}{more})")
        return "; ".join(parts)


def compare_schemas(documented: JsonSchema, found: JsonSchema) -> SchemaDifference:
    """What is the same and what is not."""
    said, seen = dict(_fields(documented)), dict(_fields(found))
    both = [path for path in seen if path in said]
    fit = {path: _go_together(said[path], seen[path]) for path in both}
    return SchemaDifference(
        same=tuple(path for path in both if fit[path]),
        other_type=tuple(
            f"{path}: {_words(said[path])}, {_words(seen[path])}" for path in both if not fit[path]
        ),
        only_documented=tuple(path for path in said if path not in seen),
        only_found=tuple(path for path in seen if path not in said),
    )


class ComparedField(NamedTuple):
    """A field of replies; "" where one side does not have it, `mark` says what is otherwise."""

    path: str
    documented: str
    found: str
    mark: str


def compared_fields(documented: JsonSchema, found: JsonSchema) -> tuple[ComparedField, ...]:
    """All fields of two schemas in the order of the replies, then those that were not seen."""
    said, seen = dict(_fields(documented)), dict(_fields(found))

    def field(path: str) -> ComparedField:
        if path not in said:
            return ComparedField(path, "", _words(seen[path]), "not documented" if said else "")
        if path not in seen:
            return ComparedField(path, _words(said[path]), "", "not seen")
        mark = "" if _go_together(said[path], seen[path]) else "another type"
        return ComparedField(path, _words(said[path]), _words(seen[path]), mark)

    return tuple(field(path) for path in dict.fromkeys((*seen, *said)))


def _fields(schema: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    known = cast("JsonSchema", schema)
    if path:
        yield path, types_of(known)
    properties = known.get("properties")
    if isinstance(properties, Mapping):
        for name, each in cast("Mapping[str, Any]", properties).items():
            yield from _fields(each, f"{path}.{name}" if path else name, depth + 1)
    if "items" in known:
        yield from _fields(known["items"], f"{path}[]", depth + 1)


def _go_together(said: tuple[str, ...], seen: tuple[str, ...]) -> bool:
    """Whether what was seen fits what is said; null and nothing said fit anything."""
    kinds = set(seen) - {"null"}
    if not said or not kinds or kinds <= set(said):
        return True
    return kinds == {"integer"} and "number" in said


def _words(kinds: tuple[str, ...]) -> str:
    return "|".join(kinds) or "any"
