"""Bodies of requests: which media type is sent, and its fields as arguments where that is possible.

Source: OpenAPI 2.0: Parameter Object (body, formData); 3.1.1: Request Body, Encoding Object.
"""

from typing import Any

from toolplanner_core.domain.operation import Within
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_json, clean_line
from toolplanner_core.sources.openapi.arguments import GatheredArguments
from toolplanner_core.sources.openapi.keywords import ANNOTATIONS, finite
from toolplanner_core.sources.openapi.merging import Schema
from toolplanner_core.sources.openapi.parameters import described
from toolplanner_core.sources.openapi.parts import as_object
from toolplanner_core.sources.openapi.references import DocumentPart
from toolplanner_core.sources.openapi.schemas import SchemaReader

_FORM, _MULTIPART, _JSON = (
    "application/x-www-form-urlencoded", "multipart/form-data", "application/json",
)  # fmt: skip
_PLAIN = ANNOTATIONS | {"type", "properties", "required", "additionalProperties"}


def preferred(types: list[str]) -> str:
    """The media type that is easiest to write and read, "" of none: JSON, forms, then any."""

    def rank(media: str) -> int:
        kind = media.partition(";")[0].strip().lower()
        if kind == _JSON or kind.endswith("+json"):
            return 0 if kind == _JSON else 1
        return {"*/*": 2, "application/*": 2, _FORM: 3, _MULTIPART: 4}.get(kind, 5)

    best = min(types, key=rank, default="")
    return _JSON if best in ("*/*", "application/*") else clean_line(best, cap=200)


def add_body(
    arguments: GatheredArguments, body: Any, base: str, reader: SchemaReader, *, place: str
) -> str:
    """Add what a request body of 3.x asks for; its media type, "" for none."""
    if body is None:
        return ""
    try:
        part = reader.references.follow(body, base)
    except BadInput as error:
        reader.notes.add(f"the reference of the body cannot be used: {error.what}", place=place)
        return ""
    part = DocumentPart(as_object(part.value), part.base)
    content = as_object(part.value.get("content"))
    media_type = preferred([*content])
    if not media_type:
        return ""
    media = as_object(content.get(media_type, next(iter(content.values()))))
    schema = reader.read(media.get("schema", {}), part.base, is_request=True, place=place)
    _add_content(
        arguments,
        schema if "description" in schema else described(schema, part.value),
        media_type=media_type,
        # Many forget to say that a body with required fields is required itself.
        is_required=part.value.get("required", "required" in schema) is True,
        example=example_of(media),
        encoding=as_object(media.get("encoding")),
    )
    return media_type


def add_old_body(
    arguments: GatheredArguments,
    parameters: list[DocumentPart],
    consumes: list[str],
    reader: SchemaReader,
    *,
    place: str,
) -> str:
    """Add the parameters of 2.0 that are in the body; its media type, "" for none."""
    fields = [part for part in parameters if part.value["in"] == "formData"]
    for part in fields:
        parameter = part.value
        schema = reader.read(parameter, part.base, is_request=True, place=place)
        arguments.add(
            clean_line(parameter["name"]),
            described(schema, parameter),
            within=Within.BODY,
            is_required=parameter.get("required") is True,
            explode=parameter.get("collectionFormat") == "multi"
            if parameter.get("type") == "array"
            else None,
        )
    if fields:
        has_files = any(part.value.get("type") == "file" for part in fields)
        return (
            _MULTIPART if has_files or (_MULTIPART in consumes and _FORM not in consumes) else _FORM
        )
    for part in parameters:
        if part.value["in"] == "body":
            media_type = preferred(consumes) or _JSON
            schema = reader.read(
                part.value.get("schema", {}), part.base, is_request=True, place=place
            )
            _add_content(
                arguments,
                described(schema, part.value),
                media_type=media_type,
                is_required=part.value.get("required") is True,
                name=clean_line(part.value["name"]),
            )
            return media_type
    return ""


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
    kind = media_type.partition(";")[0].strip().lower()
    has_fields = kind == _JSON or kind.endswith("+json") or kind in (_FORM, _MULTIPART)
    if not (has_fields and _is_flat(schema, is_required=is_required)):
        if not has_fields and schema.get("type") not in ("string", None):
            # What is no JSON is written by whoever calls.
            schema = {"type": "string", "description": f"The body, as {media_type}"}
        if example is not None:
            schema = {"examples": [example], **schema}
        arguments.add(name, schema, within=Within.BODY, is_required=is_required, is_whole_body=True)
        return
    required = schema.get("required", [])
    for field, inner in schema["properties"].items():
        written = as_object((encoding or {}).get(field))
        explode = written.get("explode")
        shown = inner
        if field in as_object(example) and "examples" not in inner:
            shown = {**inner, "examples": [as_object(example)[field]]}
        arguments.add(
            field,
            shown,
            within=Within.BODY,
            is_required=field in required,
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
    return finite(clean_json(value))
