"""A JSON Schema of an API's parameters in the form that every endpoint of models accepts.

Endpoints refuse a whole request for one schema that they do not like: OpenAI arrays without
`items`, Anthropic property names with other characters, all of them a choice at the top level. So
references are put in place, keywords that only some know become words of the description, types
that may be null become optional, and property names that do not fit are replaced; arguments that
come back are given their real names by `PortableSchema.restore`. What is left out here is not
unchecked: the gate holds every call against the API's own schema.

Source: design/gateway.md section 6; the references of the tool parameters of OpenAI ("Function
calling"), Anthropic ("Tool use": property keys), Google ("Schema") and Amazon Bedrock
("ToolInputSchema").
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.words.formatting import one_line

PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
LONGEST_PROPERTY_NAME = 64
LONGEST_TEXT = 256
"""Characters of the description of one property."""
LARGEST_TOOL = 4096
"""Characters of a whole schema as JSON; above it, descriptions of properties get shorter, then
what lies deep may be anything. Only one with very many properties stays larger."""
_SHORTER_TEXTS = (120, 60, 0)
_LEVELS = (6, 3, 2, 1)
"""Levels of objects and arrays within each other, the next where a schema is too large; those
deeper may hold anything. Schemas that hold themselves end here."""
_MOST_REFERENCES = 24
"""References that are followed within each other."""
_MOST_PARTS = 5_000
"""Parts of one schema that are read; a larger one, or one whose choices multiply, may be anything
from there on."""
_LONGEST_EXAMPLE = 60

_TYPES = {
    name: kind
    for kind, names in {
        "string": "string str text char date datetime date-time file binary uuid uri url password",
        "integer": "integer int long int32 int64 short",
        "number": "number float double decimal numeric",
        "boolean": "boolean bool",
        "array": "array list tuple set",
        "object": "object dict map struct",
    }.items()
    for name in names.split()
}
_OF_STRINGS = {"minLength": int, "maxLength": int, "pattern": str, "format": str}
_OF_NUMBERS = {
    "minimum": float, "maximum": float, "exclusiveMinimum": float, "exclusiveMaximum": float,
    "multipleOf": float,
}  # fmt: skip
_OF_ARRAYS = {"minItems": int, "maxItems": int, "uniqueItems": bool}
_OF_OBJECTS = {"minProperties": int, "maxProperties": int}
_CONSTRAINTS = {
    "string": _OF_STRINGS, "number": _OF_NUMBERS, "integer": _OF_NUMBERS, "array": _OF_ARRAYS,
    "object": _OF_OBJECTS,
}  # fmt: skip
_PYTHON_TYPES = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "array": (list,), "object": (dict,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NameMap:
    """How the arguments of one object find their real names.

    Attributes:
        real: real name of each property that was renamed.
        nulls: real names of required properties that may be null: left out, they are sent as null.
        inside: the same of what lies in a property, by its portable name.
        items: the same of the elements of an array.
    """

    real: Mapping[str, str] = field(default_factory=dict[str, str])
    nulls: tuple[str, ...] = ()
    inside: Mapping[str, "NameMap"] = field(default_factory=dict[str, "NameMap"])
    items: "NameMap | None" = None

    def restore(self, value: Any) -> Any:
        """The value under its real names."""
        if isinstance(value, list):
            values = cast("list[Any]", value)
            return values if self.items is None else [self.items.restore(one) for one in values]
        if not isinstance(value, Mapping):
            return value
        found = {
            self.real.get(name, name): self.inside[name].restore(one)
            if name in self.inside
            else one
            for name, one in cast("Mapping[str, Any]", value).items()
        }
        return {**dict.fromkeys(self.nulls), **found}

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return bool(self.real or self.nulls or self.inside or self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableSchema:
    """A schema that every endpoint accepts.

    Attributes:
        schema: of type "object", with `properties` and `required`.
        names: how arguments that fit it find their real names.
    """

    schema: dict[str, Any]
    names: NameMap

    def restore(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a call under the real names of the API's parameters."""
        return self.names.restore(arguments)


def portable_schema(schema: JsonSchema) -> PortableSchema:
    """The portable form of the schema of an API's parameters; the same for equal schemas."""
    found = _converted(schema, _LEVELS[0])
    for deepest in _LEVELS[1:]:
        if _size(found.schema) <= LARGEST_TOOL:
            break
        found = _converted(schema, deepest)
    return found


def _converted(schema: JsonSchema, deepest: int) -> PortableSchema:
    plain, names = _object_at_top(_Conversion(schema, deepest).convert(schema))
    return PortableSchema(schema=_fitting(plain), names=names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Converted:
    """A part of a schema.

    Attributes:
        may_be_null: it may be left out; a required property is sent as null then.
    """

    schema: dict[str, Any]
    names: NameMap = field(default_factory=NameMap)
    may_be_null: bool = False


class _Conversion:
    """Converts the parts of one schema, whose references point into it."""

    def __init__(self, root: JsonSchema, deepest: int) -> None:
        self._root = root
        self._deepest = deepest
        self._parts = 0

    def convert(self, part: Any, *, depth: int = 0, within: tuple[str, ...] = ()) -> _Converted:
        """Convert a part.

        Args:
            depth: levels of objects and arrays above it.
            within: references that were followed to come here.
        """
        raw, within = self._resolved(part, within)
        if depth >= self._deepest and (whole := _free_form(raw)):
            return _Converted(schema=_described(whole, raw))
        raw, sentences = _without_choices_of_properties(raw)
        choices = _list_of(raw.get("anyOf")) + _list_of(raw.get("oneOf"))
        if choices:
            return self._choice(raw, choices, depth=depth, within=within, sentences=sentences)
        kind, kinds, may_be_null = _types(raw)
        if len(kinds) > 1:
            one_each = [{**raw, "type": one} for one in kinds]
            bare = {name: raw[name] for name in ("description", "title") if name in raw}
            found = self._choice(bare, one_each, depth=depth, within=within, sentences=sentences)
            return replace(found, may_be_null=may_be_null)
        out: dict[str, Any] = {} if kind is None else {"type": kind}
        names = NameMap()
        if kind == "object":
            names = self._properties(raw, out, depth=depth, within=within)
        elif kind == "array":
            items = self.convert(_items_of(raw), depth=depth + 1, within=within)
            out["items"] = items.schema
            names = NameMap(items=items.names or None)
        may_be_null |= _put_values(raw, out)
        for name, of_type in _CONSTRAINTS.get(kind or "", {}).items():
            if (limit := _constraint(name, raw.get(name), of_type)) is not None:
                out[name] = limit
        default = raw.get("default")
        if default is not None and _is_json(default) and _has_type(default, kind):
            out["default"] = default
        return _Converted(
            schema=_described(out, raw, *sentences, may_be_null=may_be_null),
            names=names,
            may_be_null=may_be_null,
        )

    def _resolved(self, part: Any, within: tuple[str, ...]) -> tuple[JsonSchema, tuple[str, ...]]:
        """A part with its reference followed and its `allOf` put in one; `{}` for what is none."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return {}, within
        raw: JsonSchema = cast("JsonSchema", part) if isinstance(part, Mapping) else {}
        reference = raw.get("$ref")
        if isinstance(reference, str):
            beside = {name: value for name, value in raw.items() if name != "$ref"}
            if within.count(reference) >= 2 or len(within) > _MOST_REFERENCES:
                return {"type": "object", **beside}, within
            target, within = self._resolved(self._at(reference), (*within, reference))
            raw = {**target, **beside}
        for one in _list_of(raw.get("allOf")):
            other, within = self._resolved(one, within)
            rest = {name: value for name, value in raw.items() if name != "allOf"}
            raw = _merged(rest, other)
        return {name: value for name, value in raw.items() if name != "allOf"}, within

    def _at(self, reference: str) -> Any:
        """What a reference such as `#/$defs/City` names; {} if it is not in this schema."""
        found: Any = self._root
        if not reference.startswith("#"):
            return {}
        for step in reference.removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = cast("list[Any]", found)[int(key)]
            elif isinstance(found, Mapping) and key in found:
                found = cast("Mapping[str, Any]", found)[key]
            else:
                return {}
        return found

    def _choice(
        self,
        raw: JsonSchema,
        choices: Sequence[Any],
        *,
        depth: int,
        within: tuple[str, ...],
        sentences: Sequence[str],
    ) -> _Converted:
        """One of several schemas; those that say nothing, or only "null", are left out."""
        beside = {n: value for n, value in raw.items() if n not in ("anyOf", "oneOf")}
        found: list[_Converted] = []
        may_be_null = False
        for choice in choices:
            if isinstance(choice, Mapping) and cast("JsonSchema", choice).get("type") == "null":
                may_be_null = True
                continue
            whole, inner = self._resolved(choice, within)
            about = ("description", "title", "default", "example", "examples")
            shared = {name: value for name, value in beside.items() if name not in about}
            one = self.convert(_merged(shared, whole), depth=depth, within=inner)
            may_be_null |= one.may_be_null
            if one.schema not in [other.schema for other in found]:
                found.append(one)
        says_something = [one for one in found if one.schema.keys() - {"description"}]
        if len(says_something) < len(found) or not found:
            # One of the choices is anything at all, and so is the choice.
            return _Converted(
                schema=_described({}, beside, *sentences, may_be_null=may_be_null),
                may_be_null=may_be_null,
            )
        names = _joined([one.names for one in found])
        if len(found) == 1:
            out = {name: v for name, v in found[0].schema.items() if name != "description"}
            about = {"description": found[0].schema.get("description"), **beside}
            return _Converted(
                schema=_described(out, about, *sentences, may_be_null=may_be_null),
                names=names,
                may_be_null=may_be_null,
            )
        return _Converted(
            schema=_described(
                {"anyOf": [one.schema for one in found]},
                beside,
                *sentences,
                may_be_null=may_be_null,
            ),
            names=names,
            may_be_null=may_be_null,
        )

    def _properties(
        self, raw: JsonSchema, out: dict[str, Any], *, depth: int, within: tuple[str, ...]
    ) -> NameMap:
        """Put the properties of an object, under portable names, into `out`."""
        properties: Any = raw.get("properties")
        properties = cast("JsonSchema", properties) if isinstance(properties, Mapping) else {}
        listed: Any = raw.get("required")
        required = cast("list[Any]", listed) if isinstance(listed, list) else []
        taken = {name for name in properties if PROPERTY_NAME.fullmatch(name)}
        real: dict[str, str] = {}
        inside: dict[str, NameMap] = {}
        nulls: list[str] = []
        wanted: list[str] = []
        converted: dict[str, Any] = {}
        for name, schema in properties.items():
            if schema is False:
                continue
            one = self.convert(schema, depth=depth + 1, within=within)
            portable = name if PROPERTY_NAME.fullmatch(name) else _portable_name(name, taken)
            if portable != name:
                taken.add(portable)
                real[portable] = name
            if one.names:
                inside[portable] = one.names
            converted[portable] = one.schema
            if name in required:
                (nulls if one.may_be_null else wanted).append(name if one.may_be_null else portable)
        out["properties"] = converted
        if wanted:
            out["required"] = wanted
        more = raw.get("additionalProperties")
        if isinstance(more, bool):
            out["additionalProperties"] = more
        elif isinstance(more, Mapping):
            out["additionalProperties"] = self.convert(more, depth=depth + 1, within=within).schema
        return NameMap(real=real, nulls=tuple(nulls), inside=inside)


def _object_at_top(converted: _Converted) -> tuple[dict[str, Any], NameMap]:
    """The whole as a plain object: a choice at the top becomes all properties of all choices."""
    found = converted.schema
    choices = cast("list[dict[str, Any]]", found.get("anyOf") or [])
    objects = [one for one in choices if one.get("type") == "object"]
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    if objects:
        each = [one.get("properties", {}) for one in objects]
        properties = {name: of_one for one in reversed(each) for name, of_one in one.items()}
        shared = set[str].intersection(*(set(one.get("required", ())) for one in objects))
        ways = [" and ".join(one.get("required") or one.get("properties", {})) for one in objects]
        schema |= {
            "properties": properties,
            "required": [name for name in properties if name in shared],
            "description": _text(found.get("description"), _give_one_of(ways)),
        }
    elif not choices and found.get("type", "object") == "object":
        schema |= {name: value for name, value in found.items() if name != "default"}
    return schema, converted.names


def _fitting(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with shorter descriptions where it would be too large as a whole."""
    for longest in _SHORTER_TEXTS:
        if _size(schema) <= LARGEST_TOOL:
            break
        schema = _with_shorter_texts(schema, longest)
    return schema


def _size(schema: JsonSchema) -> int:
    return len(json.dumps(schema, ensure_ascii=False))


def _with_shorter_texts(schema: dict[str, Any], longest: int) -> dict[str, Any]:
    out = dict(schema)
    if text := out.pop("description", ""):
        shorter = at_a_sentence(text, longest)
        out |= {"description": shorter} if shorter else {}
    if "properties" in out:
        out["properties"] = {
            name: _with_shorter_texts(one, longest) for name, one in out["properties"].items()
        }
    for name in ("items", "additionalProperties"):
        if isinstance(out.get(name), dict):
            out[name] = _with_shorter_texts(out[name], longest)
    if "anyOf" in out:
        out["anyOf"] = [_with_shorter_texts(one, longest) for one in out["anyOf"]]
    return out


def at_a_sentence(text: str, longest: int) -> str:
    """A text of at most `longest` characters, cut after a sentence if one ends in its second half,
    else within one, with "…"."""
    if len(text) <= longest:
        return text
    if longest < 20:
        return ""
    ends = [m.end() for m in re.finditer(r"[.!?。！？](?=\s|$)", text[:longest])]
    if ends and ends[-1] >= longest // 2:
        return text[: ends[-1]].rstrip()
    return one_line(text, longest)


def _list_of(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _free_form(raw: JsonSchema) -> dict[str, Any]:
    """An object or array that may hold anything; {} for what is neither, or not for certain."""
    _, kinds, _ = _types(raw)
    if kinds == ["object"]:
        return {"type": "object"}
    return {"type": "array", "items": {}} if kinds == ["array"] else {}


def _types(raw: JsonSchema) -> tuple[str | None, list[str], bool]:
    """The type of a schema, all of them if it names several, and whether it may be null."""
    named = raw.get("type")
    listed = _list_of(named) if isinstance(named, list) else [named]
    words = [str(word).casefold() for word in listed if word is not None]
    kinds = list(dict.fromkeys(_TYPES[word] for word in words if word in _TYPES))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    if not kinds and "null" not in words[1:]:
        if isinstance(raw.get("properties"), Mapping):
            kinds = ["object"]
        elif "items" in raw or "prefixItems" in raw:
            kinds = ["array"]
    may_be_null = "null" in words or raw.get("nullable") is True
    return (kinds[0] if kinds else None), kinds, may_be_null


def _items_of(raw: JsonSchema) -> Any:
    """The schema of an array's elements; of a tuple's, whichever fits one of its places."""
    items: Any = raw.get("prefixItems") or raw.get("items")
    if isinstance(items, list):
        return {"anyOf": items} if items else {}
    return items


def _put_values(raw: JsonSchema, out: dict[str, Any]) -> bool:
    """Put the values that are allowed into `out`; whether null is one of them."""
    values = _list_of(raw.get("enum")) or ([raw["const"]] if "const" in raw else [])
    kept = [v for v in values if v is not None and _is_json(v) and _has_type(v, out.get("type"))]
    once = [value for n, value in enumerate(kept) if not _stands_in(value, kept[:n])]
    if once:
        out["enum"] = once
    return any(value is None for value in values)


def _stands_in(value: Any, values: Iterable[Any]) -> bool:
    """Whether an equal value of the same type is there (1 and true are equal in Python)."""
    return any(other == value and type(other) is type(value) for other in values)


def _has_type(value: Any, kind: str | None) -> bool:
    if kind is None:
        return True
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _PYTHON_TYPES[kind])


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _constraint(name: str, value: Any, of_type: type) -> Any:
    """A limit that every validator reads; None for one that is not written as JSON Schema says."""
    if of_type is bool:
        return value if isinstance(value, bool) else None
    if of_type is str:
        if not isinstance(value, str) or not value:
            return None
        return value if name != "pattern" or _compiles(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    if name == "multipleOf":
        return value if value > 0 else None
    if of_type is int:
        return int(value) if value >= 0 and value == int(value) else None
    return value


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _merged(first: JsonSchema, second: JsonSchema) -> JsonSchema:
    """A schema that both fit, as far as one can be written: the properties of both, what only one
    says, and of the rest what the first says."""
    both = {**second, **first}
    of_both = [schema.get("properties") for schema in (second, first)]
    properties = [cast("JsonSchema", one) for one in of_both if isinstance(one, Mapping)]
    if properties:
        both["properties"] = {name: schema for one in properties for name, schema in one.items()}
    required = [*_list_of(second.get("required")), *_list_of(first.get("required"))]
    if required:
        both["required"] = list(dict.fromkeys(str(name) for name in required))
    for name in ("anyOf", "oneOf"):
        if name in first and name in second:
            # Two choices at once cannot be written as one: the second becomes words or nothing.
            both[name] = first[name]
    return both


def _without_choices_of_properties(raw: JsonSchema) -> tuple[JsonSchema, list[str]]:
    """Choices that only say which properties must be given become a sentence."""
    sentences: list[str] = []
    rest = dict(raw)
    for name in ("anyOf", "oneOf"):
        choices = _list_of(raw.get(name))
        ways = [
            " and ".join(str(one) for one in _list_of(choice.get("required")))
            for choice in choices
            if isinstance(choice, Mapping) and choice.keys() <= {"required", "description", "title"}
        ]
        if choices and len(ways) == len(choices):
            del rest[name]
            if all(ways):
                sentences.append(_give_one_of(ways))
    return rest, sentences


def _give_one_of(ways: Sequence[str]) -> str:
    different = list(dict.fromkeys(way for way in ways if way))
    return f"Give one of: {'; '.join(different)}." if len(different) > 1 else ""


def _joined(maps: Sequence[NameMap]) -> NameMap:
    """The names of several choices in one map; a choice has no mark by which it is known."""
    inside: dict[str, NameMap] = {}
    for one in maps:
        for name, deeper in one.inside.items():
            inside[name] = _joined([inside[name], deeper]) if name in inside else deeper
    items = [one.items for one in maps if one.items is not None]
    return NameMap(
        real={name: real for one in maps for name, real in one.real.items()},
        nulls=maps[0].nulls if len(maps) == 1 else (),
        inside=inside,
        items=_joined(items) if items else None,
    )


def _portable_name(name: str, taken: set[str]) -> str:
    """A property name that fits and is not taken, as like the real one as can be."""
    clean = re.sub(r"[^a-zA-Z0-9_.-]+", "_", name).strip("_")[:LONGEST_PROPERTY_NAME] or "value"
    found, number = clean, 1
    while found in taken:
        number += 1
        mark = f"_{number}"
        found = f"{clean[: LONGEST_PROPERTY_NAME - len(mark)]}{mark}"
    return found


def _described(
    out: dict[str, Any], raw: JsonSchema, *sentences: str, may_be_null: bool = False
) -> dict[str, Any]:
    """A converted schema with what is said of it: description, or title, examples, and what its
    keywords could not say."""
    about = raw.get("description") or raw.get("title")
    described = _text(about, *sentences, "May be left out." if may_be_null else "", _examples(raw))
    return {**out, "description": described} if described else out


def _examples(raw: JsonSchema) -> str:
    listed = [*_list_of(raw.get("examples")), raw.get("example")]
    shown = [
        json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
        for value in listed
        if value not in (None, "", [], {}) and value != raw.get("default") and _is_json(value)
    ]
    first = " ".join(shown[0].split()) if shown else ""
    return f"Example: {first}." if first and len(first) <= _LONGEST_EXAMPLE else ""


def _text(about: Any, *sentences: str) -> str:
    """Description and sentences in one line; only the description is cut."""
    rest = " ".join(sentence for sentence in sentences if sentence)
    text = " ".join(str(about).split()) if isinstance(about, str) else ""
    room = LONGEST_TEXT - len(rest) - (1 if rest else 0)
    text = at_a_sentence(text, max(0, room))
    if rest and text and text[-1] not in ".!?…:;,":
        text += "."
    return f"{text} {rest}".strip()[:LONGEST_TEXT]
