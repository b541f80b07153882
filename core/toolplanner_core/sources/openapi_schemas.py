"""Schemas of OpenAPI 2.0, 3.0 and 3.1 as JSON Schema 2020-12 without references.

OpenAPI 2.0 and 3.0 write an older dialect with words of their own. What a keyword cannot hold is
left out: a schema that came in is always a valid one.

Most documents write inheritance with `allOf`. One flat list of properties is what people read in
forms, and what models are offered; where parts contradict each other they stay apart.

References are written out where they stand. One that leads back to itself is cut on that path, and
reported. A schema that grows too large this way is written out less deep.

Source: OpenAPI 2.0, 3.0.4, 3.1.1: Schema Object; JSON Schema 2020-12.
"""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.openapi_documents import Notes, References, as_list, as_object
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text

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
    return replace_non_finite(kept)


def allow_null(schema: dict[str, Any]) -> dict[str, Any]:
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


def replace_non_finite(value: Any) -> Any:
    """A JSON value in which numbers that JSON cannot write are texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: replace_non_finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [replace_non_finite(inner) for inner in value]
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
        kept.update(allow_null(kept))


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


Schema = dict[str, Any]


def merge_all_of(parts: Sequence[Schema], own: Schema) -> Schema:
    """A schema for what fits all parts and the schema that they stand in.

    Args:
        own: the keywords beside the `allOf`; its words for people win.
    """
    merged: Schema | None = {}
    for part in (*parts, own):
        merged = None if merged is None else _both(merged, part)
    if merged is None:
        return {**own, "allOf": [*parts]}
    return merged


def _both(first: Schema, second: Schema) -> Schema | None:
    """What fits both, None if it is not plain."""
    result: Schema = dict(first)
    is_either_open = not (_is_closed(first) and _is_closed(second))
    for word, value in second.items():
        if word not in first or first[word] == value or word in ANNOTATIONS:
            result[word] = value
        elif word == "properties":
            joined = _properties(first[word], value)
            if joined is None:
                return None
            result[word] = joined
        elif word == "required":
            result[word] = [*first[word], *(name for name in value if name not in first[word])]
        elif word != "additionalProperties":
            return None
    if is_either_open and result.get("additionalProperties") is False:
        # Meant for the part alone, taken by the word nothing would fit.
        del result["additionalProperties"]
    return result


def _is_closed(schema: Schema) -> bool:
    return "properties" not in schema or schema.get("additionalProperties") is False


def _properties(first: Schema, second: Schema) -> Schema | None:
    joined = dict(first)
    for name, schema in second.items():
        both = _both(first[name], schema) if name in first else schema
        if both is None:
            return None
        joined[name] = both
    return joined


_DEPTHS = (24, 10, 7, 5, 4, 3, 2)
_MOST_IN_REQUEST, _MOST_IN_REPLY = 3_000, 1_000
"""Schemas in one that is written out; the fullest real request has about 700."""
_LONGEST_TRAIL = 60
_WORDS = ANNOTATIONS | {"example", "nullable"}
_KNOWN_OF_CUT = ("type", "title", "description", "nullable")
_ONE = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_MANY = ("anyOf", "oneOf", "prefixItems")
_NAMED = ("patternProperties", "dependentSchemas")


class _TooMany(Exception):
    """More schemas than one API may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaReader:
    """Reads the schemas of one document.

    Attributes:
        is_merging: fields beside a `$ref` count, as since 3.1; before, only words for people do.
    """

    references: References
    notes: Notes
    is_merging: bool

    def read(self, schema: Any, base: str, *, is_request: bool, place: str) -> Schema:
        """A schema written out.

        Args:
            base: address of the document that its references are relative to.
            is_request: what only replies have is left out, else what only requests have.
            place: of the operation, for notes.
        """
        for depth in _DEPTHS:
            walk = _Walk(self, is_request=is_request, place=place, deepest=depth)
            with suppress(_TooMany):
                return walk.schema(schema, base, ())
        return {}


def read_standalone_schema(schema: Any) -> Schema:
    """A schema that stands in no document, in whatever words of OpenAPI, without references."""

    def refuse(address: str) -> bytes:
        raise BadInput(f"{address} is not fetched")

    reader = SchemaReader(
        references=References({}, refuse, {"": schema}), notes=Notes(""), is_merging=True
    )
    return reader.read(schema, "", is_request=True, place="")


class _Walk:
    """One writing out, which may be given up."""

    def __init__(self, reader: SchemaReader, *, is_request: bool, place: str, deepest: int) -> None:
        self._reader = reader
        self._place = place
        self._deepest = deepest
        self._most = _MOST_IN_REQUEST if is_request else _MOST_IN_REPLY
        self._hidden = "readOnly" if is_request else "writeOnly"
        self._count = 0
        self._cuts = 0

    def schema(self, schema: Any, base: str, trail: tuple[str, ...], depth: int = 0) -> Schema:
        self._count += 1
        if self._count > self._most:
            raise _TooMany
        if schema is False:
            return {"not": {}}
        if not isinstance(schema, dict):
            return {}
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema, base, trail, depth)
        own = plain_keywords(schema)
        if depth >= self._deepest:
            self._note("a schema is too deep or too large and is not written out fully")
            return own
        self._add_parts(own, schema, lambda inner: self.schema(inner, base, trail, depth + 1))
        parts = [self.schema(part, base, trail, depth + 1) for part in as_list(schema.get("allOf"))]
        whole = merge_all_of(parts, own) if parts else own
        return allow_null(whole) if schema.get("nullable") is True else whole

    def _reference(self, schema: Schema, base: str, trail: tuple[str, ...], depth: int) -> Schema:
        ref: str = schema["$ref"]
        named = clean_line(ref, cap=200)
        beside = {
            word: value
            for word, value in schema.items()
            if word != "$ref" and (self._reader.is_merging or word in _WORDS)
        }
        try:
            target = self._reader.references.target(ref, base)
        except BadInput as error:
            self._note(f"the reference {named} cannot be used: {error.what}; anything fits")
            return plain_keywords(beside)
        if target.address in trail or len(trail) >= _LONGEST_TRAIL:
            self._note(f"the reference {named} leads back to itself and is cut")
            known = {w: v for w, v in as_object(target.value).items() if w in _KNOWN_OF_CUT}
            return plain_keywords({**known, **beside})
        written = self.schema(target.value, target.base, (*trail, target.address), depth)
        if not beside:
            return written
        return merge_all_of([written], self.schema(beside, base, trail, depth))

    def _note(self, why: str) -> None:
        self._cuts += 1
        self._reader.notes.add(why, place=self._place, once=why)

    def _add_parts(self, own: Schema, schema: Schema, read: Callable[[Any], Schema]) -> None:
        """Add the keywords that hold schemas."""
        for word in _ONE:
            value = schema.get(word)
            if word == "items" and isinstance(value, list):
                own["prefixItems"] = [read(each) for each in value] or [{}]
            elif isinstance(value, dict):
                own[word] = read(value)
            elif value is False and word != "items":
                own[word] = False
        for word in _MANY:
            if as_list(schema.get(word)):
                cuts = self._cuts
                branches = [read(each) for each in schema[word]]
                # What was cut can fit several branches where the whole fits one.
                is_any = word == "oneOf" and self._cuts > cuts and "anyOf" not in schema
                own["anyOf" if is_any else word] = branches
        for word in _NAMED:
            if as_object(schema.get(word)):
                own[word] = {clean_line(name): read(each) for name, each in schema[word].items()}
        hidden: set[str] = set()
        if as_object(schema.get("properties")):
            read_all = {clean_line(name): read(each) for name, each in schema["properties"].items()}
            hidden = {name for name, each in read_all.items() if each.get(self._hidden)}
            own["properties"] = {n: each for n, each in read_all.items() if n not in hidden}
        required = [clean_line(name) for name in as_list(schema.get("required"))]
        required = [name for name in dict.fromkeys(required) if name and name not in hidden]
        if required:
            own["required"] = required
