"""Calls tools of MCP servers: sessions are opened at the first call and kept for the run.

A server that has ended is started again at the next call. Before a call the tool is compared with
what was imported: if its server describes it otherwise today, it is not called. Found by the
registry of providers.

Source: MCP 2025-11-25, "Tools: Tool Result", "Structured Content", "Error Handling".
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.consent import is_allowed
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.results import REMARKS
from toolplanner_core.mcp_servers.server_spec import (
    ServerSpec,
    missing_secrets,
    secrets_of,
    spec_of,
    tool_of,
)
from toolplanner_core.options.option import option
from toolplanner_core.providers.error_classes import class_of_words
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin, not_sent
from toolplanner_core.providers.reply_images import FoundPicture, pictures_of
from toolplanner_core.sources.identity import doc_hash
from toolplanner_core.sources.mcp import ToolPlace, documented
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock


def raw_of(
    result: "CallToolResult",
    *,
    origin: str,
    max_bytes: int,
    headers: Mapping[str, str],
    schema: Mapping[str, Any] | None = None,
) -> RawResult:
    """The reply of a call that has reached its tool, which may have failed there.

    Args:
        schema: of its result, as documented; a reply that does not fit is given with a remark.
    """
    misfit = _misfit(result, schema)
    remarks = [*(result.meta or {}).get(REMARKS, []), *([misfit] if misfit else [])]
    remark = "; ".join(dict.fromkeys(remarks))[:_TOLD]
    if remark:
        headers = {**headers, "Remark": remark}
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
    structured = result.structured_content
    body, content_type = _body(structured, texts, others, is_unfit=bool(misfit))
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
        message=remark,
        origin=origin,
        pictures=pictures,
    )


def _misfit(result: "CallToolResult", schema: Mapping[str, Any] | None) -> str:
    """How a reply breaks what the tool says of its results, "" if it does not."""
    if not schema or result.is_error:
        return ""
    if result.structured_content is None:
        return "it has an outputSchema, and the reply no structuredContent"
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    # An empty registry: references lead into the schema and fetch nothing.
    validator = Draft202012Validator(schema, registry=Registry())
    try:
        error = best_match(validator.iter_errors(result.structured_content))
    except (Unresolvable, RecursionError):
        return "its outputSchema leads nowhere"
    if error is None:
        return ""
    return f"the reply does not fit its outputSchema: {error.json_path}: {error.message[:_SHOWN]}"


def _body(
    structured: Any, texts: list[str], others: list[dict[str, Any]], *, is_unfit: bool
) -> tuple[str, str]:
    """Body and media type; the texts beside structured content repeat it and are left out, but
    where it is empty, or does not fit what was announced."""
    text = "\n".join(texts)
    structured = None if structured == {} and text else structured
    is_text_given = bool(texts) and (
        structured is None or (is_unfit and not _says(text, structured))
    )
    if structured is None and not others:
        # One text may hold JSON: the classifier looks.
        return text, "text/plain"
    if not others and not is_text_given:
        return json.dumps(structured, ensure_ascii=False), "application/json"
    given: dict[str, Any] = {"result": structured} if structured is not None else {}
    if is_text_given:
        given["text"] = text
    if others:
        given["attachments"] = others
    return json.dumps(given, ensure_ascii=False), "application/json"


def _says(text: str, value: Any) -> bool:
    """Whether a text is a value as JSON."""
    try:
        return json.loads(text) == value
    except (ValueError, RecursionError):
        return False


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


ORIGIN = "mcp"
_TOLD = 1_000
_SHOWN = 200
_MOST_STEPS = 100
"""Of a call's progress, for its reply; a server may tell of a million."""
_MAY_LACK_KEYS = frozenset({ErrorClass.NETWORK, ErrorClass.UNAUTHORISED, ErrorClass.SERVER_ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class McpProviderOptions:
    """Options of the provider."""

    start_s: float = option(START_S, "Seconds for a server to be ready.", minimum=0.1, maximum=3600)


class McpProvider(Provider):
    """Calls tools of MCP servers."""

    def __init__(self, options: McpProviderOptions) -> None:
        self._options = options
        self._sessions: dict[str, asyncio.Task[Connection]] = {}

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """What the tool gives back, or why it does not."""
        spec = spec_of(api.operation, api.tool)
        if spec is None or api.operation is None:
            return not_sent(ErrorClass.UNKNOWN_API, "it is no tool of an MCP server")
        if not is_allowed(spec):
            return not_sent(
                ErrorClass.BLOCKED_BY_POLICY,
                f"nobody has allowed this server to be started or reached: {spec.in_words}."
                " Look at it when you import it again, and allow it there",
            )
        progress: deque[str] = deque(maxlen=_MOST_STEPS)

        def on_progress(done: float, total: float | None, message: str | None) -> None:
            progress.append(words := _progress(done, total, message)[:_TOLD])
            limits.tell(words)

        reached: bool | None = False
        try:
            session = await self._session(spec)
            if changed := await _change(session, api, spec, limits.timeout_s):
                return not_sent(ErrorClass.BLOCKED_BY_POLICY, changed)
            reached = None
            result = await session.call(
                tool_of(api.operation),
                arguments,
                timeout_s=limits.timeout_s,
                on_progress=on_progress,
            )
        except McpFailure as failure:
            error = failure.error
            if error in (ErrorClass.SERVER_ERROR, ErrorClass.INVALID_PARAMETER):
                error = class_of_words(failure.message) or error
            hint = missing_secrets(spec) if error in _MAY_LACK_KEYS else ""
            message = f"{failure.message}; {hint}" if hint else failure.message
            return RawResult(failure=error, message=message, reached=reached, origin=ORIGIN)
        headers = {"Progress": "; ".join(progress)[-_TOLD:]} if progress else {}
        return raw_of(
            result,
            origin=ORIGIN,
            max_bytes=limits.max_bytes,
            headers=headers,
            schema=api.response_schema,
        )

    async def close(self) -> None:
        """End all sessions and the servers started for them."""
        tasks, self._sessions = [*self._sessions.values()], {}
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(each.close() for each in done if isinstance(each, Connection)))

    async def _session(self, spec: ServerSpec) -> Connection:
        """The open session with a server; calls that come while it starts wait for the one start.

        A start goes on when the call that began it is given up: the next one finds it ready.

        Raises:
            McpFailure: it cannot be started or reached.
        """
        task = self._sessions.get(spec.id)
        if task is not None and task.done():
            is_usable = not task.cancelled() and task.exception() is None and task.result().is_open
            if not is_usable:
                with contextlib.suppress(McpFailure, asyncio.CancelledError):
                    await task.result().close()
                task = None
        if task is None:
            task = asyncio.ensure_future(self._open(spec))
            self._sessions[spec.id] = task
        return await asyncio.shield(task)

    async def _open(self, spec: ServerSpec) -> Connection:
        session = Connection(spec, secrets_of(spec))
        await session.open(timeout_s=self._options.start_s)
        return session


async def _change(session: Connection, api: Api, spec: ServerSpec, timeout_s: float) -> str:
    """Why a tool is not what was imported any more, "" if it is."""
    assert api.operation is not None
    listing = await session.listing(timeout_s=timeout_s, is_whole=False)
    if listing.failure is not None:
        raise listing.failure
    name = tool_of(api.operation)
    tool = next((each for each in listing.tools if each.name == name), None)
    if tool is None:
        raise McpFailure(ErrorClass.NOT_FOUND, f"the server offers no tool {name!r} any more")
    place = ToolPlace(api.source, api.category, api.tool, listing.instructions)
    today = documented(tool, spec, place)
    if doc_hash(**today) == api.doc_hash:
        return ""
    words = {"tool_description": "instructions", "response_schema": "results", "operation": "hints"}
    fields = [words.get(key, key) for key, value in today.items() if value != getattr(api, key)]
    return (
        f"the server describes this tool otherwise than when it was imported"
        f" ({', '.join(fields)}). Import it again to see what has changed"
    )


def _progress(done: float, total: float | None, message: str | None) -> str:
    stands = f"{done:g}" if total is None else f"{done:g} of {total:g}"
    return f"{stands}: {message}" if message else stands


def _make(_workspace: Workspace, options: Any) -> McpProvider:
    return McpProvider(options)


PLUGIN = ProviderPlugin(
    id="mcp",
    title="MCP servers",
    description="Calls tools of servers of the Model Context Protocol, as they were imported.",
    touches_world=True,
    options=McpProviderOptions,
    make=_make,
)
