"""Schemas of OpenAPI 2.0, 3.0 and 3.1 as JSON Schema 2020-12 without references.

References are written out where they stand. One that leads back to itself is cut on that path, and
reported. A schema that grows too large this way is written out less deep.

Source: OpenAPI 2.0, 3.0.4, 3.1.1: Schema Object; JSON Schema 2020-12.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_line
from toolplanner_core.sources.openapi.keywords import ANNOTATIONS, or_null, plain_keywords
from toolplanner_core.sources.openapi.merging import Schema, all_of
from toolplanner_core.sources.openapi.parts import Notes, as_list, as_object
from toolplanner_core.sources.openapi.references import References

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


def read_alone(schema: Any) -> Schema:
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
        whole = all_of(parts, own) if parts else own
        return or_null(whole) if schema.get("nullable") is True else whole

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
        return all_of([written], self.schema(beside, base, trail, depth))

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
