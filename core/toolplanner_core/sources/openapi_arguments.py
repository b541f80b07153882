"""Parameters and bodies of an operation as arguments under one name each, with their places.

Source: OpenAPI 2.0 and 3.1.1: Parameter Object; OpenAPI 2.0: Parameter Object (body, formData);
3.1.1: Request Body, Encoding Object.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.media_types import JSON, JSON_PATCH, bare, is_json, is_json_lines
from toolplanner_core.domain.operation import ArgumentPlace, RequestPart
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.openapi_documents import DocumentPart, as_list, as_object, as_text
from toolplanner_core.sources.openapi_schemas import (
    ANNOTATIONS,
    Schema,
    SchemaReader,
    plain_keywords,
    replace_non_finite,
)
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text


@dataclass(slots=True)
class GatheredArguments:
    """What a caller gives, as one JSON Schema object, and where each goes."""

    properties: dict[str, Schema] = field(default_factory=dict[str, Schema])
    required: list[str] = field(default_factory=list[str])
    places: dict[str, ArgumentPlace] = field(default_factory=dict[str, ArgumentPlace])

    def add(
        self,
        name: str,
        schema: Schema,
        *,
        within: RequestPart,
        is_required: bool,
        style: str = "",
        explode: bool | None = None,
        is_whole_body: bool = False,
    ) -> None:
        """Add an argument; a name that is taken gets its place in front, as in "query_id"."""
        own = name
        while own in self.properties:
            own = f"{within}_{own}"
        self.properties[own] = schema
        if is_required:
            self.required.append(own)
        self.places[own] = ArgumentPlace(
            within=within,
            name="" if own == name else name,
            is_whole_body=is_whole_body,
            style=style,
            explode=explode,
        )

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        schema: dict[str, Any] = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        return schema


_WITHIN = {
    "path": RequestPart.PATH,
    "query": RequestPart.QUERY,
    "header": RequestPart.HEADER,
    "cookie": RequestPart.COOKIE,
}
_COLLECTIONS = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
_NOT_PARAMETERS = frozenset({"accept", "content-type", "authorization"})
"""Headers that OpenAPI describes elsewhere: such parameters are ignored."""
_VARIABLE = re.compile(r"\{([^{}/]+)\}")


def merged_parameters(
    reader: SchemaReader, groups: list[DocumentPart], *, place: str
) -> Iterator[DocumentPart]:
    """The parameters of a path and of its operation, the later ones in place of equal ones.

    Args:
        groups: lists of parameters: the path's, the operation's.
    """
    found: dict[tuple[str, str], DocumentPart] = {}
    for group in groups:
        for index, raw in enumerate(as_list(group.value)):
            try:
                part = reader.references.follow(raw, group.base)
            except BadInput as error:
                why = f"the reference of parameter {index} cannot be used: {error.what}"
                reader.notes.add(why, place=place)
                continue
            parameter = as_object(part.value)
            name, where = as_text(parameter.get("name")), as_text(parameter.get("in"))
            if not clean_line(name) or where not in (*_WITHIN, "body", "formData"):
                reader.notes.add(f"parameter {index} has no name or no place", place=place)
                continue
            found[where, name.lower() if where == "header" else name] = part
    yield from found.values()


def add_parameters(
    arguments: GatheredArguments,
    parameters: list[DocumentPart],
    reader: SchemaReader,
    *,
    path: str,
    place: str,
) -> None:
    """Add the parameters outside the body, and what the path asks for but nobody declares."""
    variables = dict.fromkeys(_VARIABLE.findall(path))
    for part in parameters:
        parameter = part.value
        name, where = clean_line(parameter["name"]), parameter["in"]
        within = _WITHIN.get(where)
        if within is None or (within is RequestPart.HEADER and name.lower() in _NOT_PARAMETERS):
            continue
        if within is RequestPart.PATH and name not in variables:
            reader.notes.add(f"the path has no place for its parameter {name[:100]!r}", place=place)
            continue
        variables.pop(name, None) if within is RequestPart.PATH else None
        style, explode = _style(parameter, within)
        arguments.add(
            name,
            _schema(part, reader, place),
            within=within,
            is_required=within is RequestPart.PATH or parameter.get("required") is True,
            style=style,
            explode=explode,
        )
    for name in variables:
        reader.notes.add(f"the parameter {name[:100]!r} of the path is not declared", place=place)
        arguments.add(
            clean_line(name), {"type": "string"}, within=RequestPart.PATH, is_required=True
        )


def describe_parameter(schema: Schema, parameter: dict[str, Any]) -> Schema:
    """A schema with what is said of its parameter beside it."""
    beside = plain_keywords(
        {
            word: parameter[word]
            for word in ("example", "examples", "deprecated")
            if word in parameter
        }
    )
    description = clean_text(parameter.get("description"))
    if description:
        beside["description"] = description
    return {**schema, **beside}


def _schema(part: DocumentPart, reader: SchemaReader, place: str) -> Schema:
    parameter = part.value
    inner = parameter.get("schema")
    for media in as_object(parameter.get("content")).values():
        inner = inner if inner is not None else as_object(media).get("schema")
    # Until 2.0, what a parameter is stands in the parameter itself.
    schema = reader.read(
        parameter if inner is None else inner, part.base, is_request=True, place=place
    )
    return describe_parameter(schema, parameter)


def _style(parameter: dict[str, Any], within: RequestPart) -> tuple[str, bool | None]:
    """How lists and objects are written; "json" if a media type says so."""
    if as_object(parameter.get("content")):
        return "json", None
    collection = parameter.get("collectionFormat")
    if "schema" not in parameter and parameter.get("type") == "array":
        # 2.0: commas, unless it says otherwise.
        if collection == "multi":
            return "", True
        return _COLLECTIONS.get(as_text(collection), ""), False
    style, explode = clean_line(parameter.get("style"), cap=30), parameter.get("explode")
    is_default = style == (
        "form" if within in (RequestPart.QUERY, RequestPart.COOKIE) else "simple"
    )
    return "" if is_default else style, explode if isinstance(explode, bool) else None


_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_PLAIN = ANNOTATIONS | {"type", "properties", "required", "additionalProperties"}


def preferred_media_type(types: list[str], *, wanted: str = "") -> str:
    """The media type that is easiest to write and read, "" of none: the one that is wanted, JSON,
    forms, then any. A JSON patch is a list of changes, which hardly anybody writes."""

    def rank(media: str) -> int:
        kind = bare(media)
        if wanted and kind == bare(wanted):
            return -1
        if is_json(kind):
            return 0 if kind == JSON else 6 if kind == JSON_PATCH else 1
        known = {"*/*": 2, "application/*": 2, _FORM: 3, _MULTIPART: 4}
        return 5 if is_json_lines(kind) else known.get(kind, 7)

    best = min(types, key=rank, default="")
    return JSON if "*" in best and "json" not in best else clean_line(best, cap=200)


def _with_patches(chosen: str, types: list[str], *, wanted: str) -> tuple[str, ...]:
    """The chosen type, then what else may be sent where a list of changes is one of several
    patches and nobody said which to send."""
    kinds = [bare(each) for each in types]
    if wanted or JSON_PATCH not in kinds or bare(chosen) == JSON:
        return (chosen,)
    others = (clean_line(each, cap=200) for each in types if is_json(each))
    return (chosen, *(each for each in others if bare(each) != bare(chosen)))


def add_body(
    arguments: GatheredArguments,
    body: Any,
    base: str,
    reader: SchemaReader,
    *,
    place: str,
    wanted: str = "",
) -> tuple[str, ...]:
    """Add what a request body of 3.x asks for; its media type, then others that fit other values;
    () for none."""
    if body is None:
        return ()
    try:
        part = reader.references.follow(body, base)
    except BadInput as error:
        reader.notes.add(f"the reference of the body cannot be used: {error.what}", place=place)
        return ()
    part = DocumentPart(as_object(part.value), part.base)
    content = as_object(part.value.get("content"))
    media_type = preferred_media_type([*content], wanted=wanted)
    if not media_type:
        return ()
    media = as_object(content.get(media_type, next(iter(content.values()))))
    types = _with_patches(media_type, [*content], wanted=wanted)
    schema = reader.read(media.get("schema", {}), part.base, is_request=True, place=place)
    schema = _or_changes(schema, types)
    _add_content(
        arguments,
        schema if "description" in schema else describe_parameter(schema, part.value),
        media_type=media_type,
        # Many forget to say that a body with required fields is required itself.
        is_required=part.value.get("required", "required" in schema) is True,
        example=example_of(media),
        encoding=as_object(media.get("encoding")),
    )
    return types


def add_old_body(
    arguments: GatheredArguments,
    parameters: list[DocumentPart],
    consumes: list[str],
    reader: SchemaReader,
    *,
    place: str,
    wanted: str = "",
) -> tuple[str, ...]:
    """As `add_body`, of the parameters of 2.0 that are in the body."""
    fields = [part for part in parameters if part.value["in"] == "formData"]
    for part in fields:
        parameter = part.value
        schema = reader.read(parameter, part.base, is_request=True, place=place)
        arguments.add(
            clean_line(parameter["name"]),
            describe_parameter(schema, parameter),
            within=RequestPart.BODY,
            is_required=parameter.get("required") is True,
            explode=parameter.get("collectionFormat") == "multi"
            if parameter.get("type") == "array"
            else None,
        )
    if fields:
        has_files = any(part.value.get("type") == "file" for part in fields)
        is_multipart = has_files or (_MULTIPART in consumes and _FORM not in consumes)
        return (_MULTIPART if is_multipart else _FORM,)
    for part in parameters:
        if part.value["in"] == "body":
            media_type = preferred_media_type(consumes, wanted=wanted) or JSON
            types = _with_patches(media_type, consumes, wanted=wanted)
            schema = reader.read(
                part.value.get("schema", {}), part.base, is_request=True, place=place
            )
            _add_content(
                arguments,
                describe_parameter(_or_changes(schema, types), part.value),
                media_type=media_type,
                is_required=part.value.get("required") is True,
                name=clean_line(part.value["name"]),
            )
            return types
    return ()


def _or_changes(schema: Schema, types: tuple[str, ...]) -> Schema:
    """The schema of a body that may also be a list of changes, of which one that says only "an
    object" for all its types knows nothing."""
    may_be_list = any(bare(each) == JSON_PATCH for each in types[1:])
    if not may_be_list or schema.get("type") != "object" or schema.get("properties"):
        return schema
    return {**schema, "type": ["object", "array"]}


def _add_content(
    arguments: GatheredArguments,
    schema: Schema,
    *,
    media_type: str,
    is_required: bool,
    name: str = "body",
    example: Any = None,
    encoding: dict[str, Any] | None = None,
) -> None:
    """The fields of a plain object as arguments, anything else as one."""
    kind = bare(media_type)
    has_fields = is_json(kind) or kind in (_FORM, _MULTIPART)
    if is_json_lines(kind) and schema.get("type") not in ("array", "string"):
        schema = {"type": "array", "items": schema, "description": "A line of JSON for each"}
    if not (has_fields and _is_flat(schema, is_required=is_required)):
        is_text = not has_fields and not is_json_lines(kind)
        if is_text and schema.get("type") not in ("string", None):
            # What is no JSON is written by whoever calls.
            schema = {"type": "string", "description": f"The body, as {media_type}"}
        if example is not None:
            schema = {"examples": [example], **schema}
        arguments.add(
            name, schema, within=RequestPart.BODY, is_required=is_required, is_whole_body=True
        )
        return
    required = schema.get("required", [])
    for key, inner in schema["properties"].items():
        written = as_object((encoding or {}).get(key))
        explode = written.get("explode")
        shown = inner
        if key in as_object(example) and "examples" not in inner:
            shown = {**inner, "examples": [as_object(example)[key]]}
        arguments.add(
            key,
            shown,
            within=RequestPart.BODY,
            is_required=key in required,
            style=clean_line(written.get("style"), cap=30),
            explode=explode if isinstance(explode, bool) else None,
        )


def _is_flat(schema: Schema, *, is_required: bool) -> bool:
    """Whether each set of fields that fits their schemas makes a body that fits."""
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    return (
        bool(properties)
        and schema.get("type", "object") in ("object", ["object", "null"])
        and not set(schema) - _PLAIN
        and required <= set(properties)
        # Of a body that may be missing, fields cannot be required.
        and (is_required or not required)
    )


def example_of(media: dict[str, Any]) -> Any:
    """The first example of a media type, None without one."""
    value = media.get("example")
    for each in as_object(media.get("examples")).values():
        value = value if value is not None else as_object(each).get("value")
    return replace_non_finite(clean_json(value))
