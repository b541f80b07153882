"""What a tool of an MCP server gave back, as a reply: structured content as it is, texts, the rest
by name, and pictures beside it.

Source: MCP 2025-11-25, "Tools: Tool Result", "Structured Content", "Error Handling".
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.providers.failure_words import class_of_words
from toolplanner_core.providers.pictures import FoundPicture, pictures_of

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock


def raw_of(
    result: "CallToolResult", *, origin: str, max_bytes: int, headers: Mapping[str, str]
) -> RawResult:
    """The reply of a call that has reached its tool, which may have failed there."""
    texts = [block.text for block in result.content if block.type == "text"]
    others = [_named(block) for block in result.content if block.type != "text"]
    pictures = pictures_of(_pictures(result.content))
    if result.is_error:
        said = "\n".join(texts).strip()
        return RawResult(
            body=said,
            content_type="text/plain",
            headers=headers,
            failure=class_of_words(said) or ErrorClass.SERVER_ERROR,
            message=said or "the tool failed and says nothing",
            origin=origin,
            pictures=pictures,
        )
    body, content_type = _body(result.structured_content, texts, others)
    if len(body.encode("utf-8", "replace")) > max_bytes:
        return RawResult(
            failure=ErrorClass.BAD_PAYLOAD,
            message=f"the reply is larger than {max_bytes:,} bytes",
            origin=origin,
        )
    return RawResult(
        status=200,
        body=body,
        content_type=content_type,
        headers=headers,
        origin=origin,
        pictures=pictures,
    )


def _body(structured: Any, texts: list[str], others: list[dict[str, Any]]) -> tuple[str, str]:
    """Body and media type; the texts beside structured content repeat it and are left out."""
    if structured is None and not others:
        # One text may hold JSON: the classifier looks.
        text = "\n".join(texts)
        return text, "text/plain"
    if not others:
        return json.dumps(structured, ensure_ascii=False), "application/json"
    given: dict[str, Any] = {"result": structured} if structured is not None else {}
    if texts and structured is None:
        given["text"] = "\n".join(texts)
    given["attachments"] = others
    return json.dumps(given, ensure_ascii=False), "application/json"


def _pictures(content: "list[ContentBlock]") -> Iterator[FoundPicture]:
    """Pictures, and resources that are; a link is a name and fetches nothing."""
    for block in content:
        if block.type == "image":
            yield FoundPicture(block.mime_type, block.data)
        elif block.type == "resource":
            held = block.resource
            if blob := getattr(held, "blob", ""):
                yield FoundPicture(held.mime_type or "", blob, str(held.uri))


def _named(block: "ContentBlock") -> dict[str, Any]:
    """A picture, a sound or a resource: what it is and how large, its text if it has one."""
    match block.type:
        case "image" | "audio":
            return {
                "kind": block.type,
                "type": block.mime_type,
                "size": f"{len(block.data) * 3 // 4:,} bytes",
            }
        case "resource":
            held = block.resource
            text, blob = getattr(held, "text", None), getattr(held, "blob", "")
            shown = (
                {"text": text} if text is not None else {"size": f"{len(blob) * 3 // 4:,} bytes"}
            )
            return {"kind": "resource", "uri": str(held.uri), "type": held.mime_type, **shown}
        case "resource_link":
            return {"kind": "resource", "uri": str(block.uri), "name": block.name}
        case _:
            return {"kind": str(block.type)}
