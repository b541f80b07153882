"""The reply that an operation is documented to give when all is well.

Source: OpenAPI 2.0 and 3.1.1: Responses Object.
"""

from typing import Any, NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.openapi.bodies import example_of, preferred
from toolplanner_core.sources.openapi.merging import Schema
from toolplanner_core.sources.openapi.parts import as_object
from toolplanner_core.sources.openapi.references import DocumentPart
from toolplanner_core.sources.openapi.schemas import SchemaReader


class DocumentedReply(NamedTuple):
    """A documented reply.

    Attributes:
        schema: None if it has none.
        media_type: "" if it has no content.
    """

    schema: Schema | None
    media_type: str


def read_reply(
    responses: Any, base: str, produces: list[str], reader: SchemaReader, *, place: str
) -> DocumentedReply:
    """The reply of the first good status with content.

    Args:
        produces: media types of 2.0, which stand beside the responses.
    """
    known = {str(status): each for status, each in as_object(responses).items()}
    good = sorted(status for status in known if status.upper().startswith("2"))
    for status in [*good, *(["default"] if "default" in known and not good else [])]:
        try:
            part = reader.references.follow(known[status], base)
        except BadInput as error:
            why = f"the reference of reply {status} cannot be used: {error.what}"
            reader.notes.add(why, place=place)
            continue
        reply = _content(part, produces, reader, place)
        if reply.schema is not None or reply.media_type:
            return reply
    return DocumentedReply(None, "")


def _content(
    part: DocumentPart, produces: list[str], reader: SchemaReader, place: str
) -> DocumentedReply:
    response = as_object(part.value)
    content = as_object(response.get("content"))
    if not content and "schema" in response:
        examples = as_object(response.get("examples"))
        media_type = preferred(produces)
        old = {"schema": response["schema"], "example": examples.get(media_type)}
        content = {media_type: old}
    media_type = preferred([*content])
    if not content:
        return DocumentedReply(None, "")
    media = as_object(content.get(media_type, next(iter(content.values()))))
    if "schema" not in media:
        return DocumentedReply(None, media_type)
    schema = reader.read(media["schema"], part.base, is_request=False, place=place)
    example = example_of(media)
    if example is not None:
        schema = {**schema, "examples": [example]}
    return DocumentedReply(schema, media_type)
