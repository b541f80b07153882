"""Replies over streamable HTTP as servers really send them, made right before the SDK reads them.

The SDK goes by the declared content type, takes an event that is not called "message" for none and
a message that is not quite right for a failure, and says of a refusal only that there was one. So
the body of each reply is read here, by what it holds: JSON or server-sent events, whatever is
declared; and goes on as events of right messages. A refusal becomes an error with the server's
words, its class and what to do.

Source: MCP 2025-11-25, "Transports: Streamable HTTP"; WHATWG HTML, "Server-sent events".
"""

import codecs
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.http_status import class_of_status
from toolplanner_core.mcp_servers.failures import failure_data
from toolplanner_core.mcp_servers.messages import INTERNAL_ERROR, Message, MessageId, MessageReader
from toolplanner_core.words.window_places import KEYS

if TYPE_CHECKING:
    import httpx2

LARGEST_BYTES = 16_000_000
"""Of one reply."""
_ACCEPTED = 202
_SESSION, _ASKS = "mcp-session-id", "www-authenticate"
_LONGEST_RETRY_MS = 5_000
"""For a stream that broke to be asked for again, whatever the server proposes."""
_SHOWN = 300
_OF_SERVER = (ErrorClass.UNAUTHORISED, ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR)
"""What a status says of the server as a whole; others answer one request, in the body's words."""
_METHOD_NOT_FOUND = -32601
_MARK = re.compile(rb"\A[\s\xef\xbb\xbf]*")
_EVENTS = re.compile(rb"(?:data|event|id|retry)?:|(?:data|event|id|retry)[\r\n]")
_SAID = re.compile(r'(?:error_description|error)="([^"]{1,300})"')
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_WORDS = ("message", "error_description", "detail", "details", "error", "title")


def request_id(request: "httpx2.Request") -> MessageId | None:
    """The id of the JSON-RPC request that a request carries, None if it carries none."""
    if request.method != "POST" or "json" not in request.headers.get("content-type", ""):
        return None
    try:
        sent = json.loads(request.content)
    except ValueError:
        return None
    is_request = isinstance(sent, dict) and "method" in sent
    return cast("dict[str, Any]", sent).get("id") if is_request else None


async def make_right(
    reply: "httpx2.Response", message_id: MessageId, waiting: set[MessageId]
) -> None:
    """Replace the body of the reply to a request by right events, or by an error with words.

    Args:
        waiting: ids of the requests without an answer, from which that of this one is taken.
    """
    if reply.status_code >= 400:
        error = await _refusal(reply, message_id)
        waiting.discard(message_id)
        reply.headers["content-type"] = "application/json"
        reply.stream = _stream(_once(json.dumps(error).encode()), reply.stream)
    elif 200 <= reply.status_code < 300 and reply.status_code != _ACCEPTED:
        _to_events(reply, MessageReader(takes_any_id=True), message_id, waiting)


def make_stream_right(reply: "httpx2.Response", waiting: set[MessageId]) -> None:
    """Replace the body of a stream that is held open, or asked for again, by right events.

    Args:
        waiting: ids of the requests without an answer, which may come here.
    """
    _to_events(reply, MessageReader(takes_any_id=True), None, waiting)


def bounded(stream: Any) -> "httpx2.AsyncByteStream":
    """A body that ends with an error where it becomes too large."""
    return _stream(_bounded(stream), stream)


def _to_events(
    reply: "httpx2.Response",
    reader: MessageReader,
    message_id: MessageId | None,
    waiting: set[MessageId],
) -> None:
    stream, charset = cast("httpx2.AsyncByteStream", reply.stream), reply.charset_encoding
    for each in waiting if message_id is None else {message_id}:
        reader.sent({"method": "", "id": each})
    reply.headers["content-type"] = "text/event-stream"
    reply.stream = _stream(_events(stream, charset, reader, message_id, waiting), stream)


def _stream(blocks: "AsyncGenerator[bytes]", under: Any) -> "httpx2.AsyncByteStream":
    import httpx2

    class Stream(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for block in blocks:
                yield block

        async def aclose(self) -> None:
            await blocks.aclose()
            await under.aclose()

    return Stream()


async def _once(block: bytes) -> AsyncGenerator[bytes]:
    yield block


async def _bounded(stream: "httpx2.AsyncByteStream") -> AsyncGenerator[bytes]:
    """A body that ends with an error where it becomes too large."""
    import httpx2

    size = 0
    async for block in stream:
        size += len(block)
        if size > LARGEST_BYTES:
            raise httpx2.ReadError(f"the reply is larger than {LARGEST_BYTES:,} bytes")
        yield block


async def _events(
    stream: "httpx2.AsyncByteStream",
    charset: str | None,
    reader: MessageReader,
    message_id: MessageId | None,
    waiting: set[MessageId],
) -> AsyncGenerator[bytes]:
    """The messages of a body as events, with the ids and waits that a stream gives.

    Args:
        message_id: of the request; None of a stream that answers none of its own.
    """
    import httpx2

    is_answered = can_go_on = False
    words, error = "", ErrorClass.BAD_PAYLOAD
    # A stream that is held open has no size; each of its events has.
    blocks = _bounded(stream) if message_id is not None else aiter(stream)
    try:
        head = b""
        async for block in blocks:
            head += block
            if head := _MARK.sub(b"", head, count=1):
                break
        if head and not _EVENTS.match(head):
            text = await _whole(head, blocks, charset)
            for message in reader.read(text):
                is_answered |= _is_answer(message)
                yield _event(message)
            words = "" if is_answered else plain_words(text)
        else:
            async with contextlib.aclosing(_server_sent(head, blocks)) as events:
                async for event in events:
                    can_go_on |= bool(event.id)
                    around = f"id: {event.id}\n" if event.id else ""
                    if event.retry is not None:
                        around += f"retry: {min(event.retry, _LONGEST_RETRY_MS)}\n"
                    messages = reader.read(event.data)
                    words = words if messages else event.data.strip()[:_SHOWN] or words
                    for message in messages:
                        is_answered |= _is_answer(message)
                        yield around.encode() + _event(message)
                    if around and not messages:
                        yield f"{around}data:\n\n".encode()
    except httpx2.HTTPError as broken:
        words, error = str(broken) or type(broken).__name__, ErrorClass.NETWORK
        can_go_on = can_go_on and "larger than" not in words
    if is_answered and message_id is not None:
        waiting.discard(message_id)
    if message_id is not None and not is_answered and not can_go_on:
        said = f"the reply ends without a result: {words}" if words else "the reply is empty"
        yield _event(_error(message_id, said, failure_data(error)))


async def _whole(head: bytes, rest: AsyncIterator[bytes], charset: str | None) -> str:
    body = head + b"".join([block async for block in rest])
    try:
        return body.decode(codecs.lookup(charset or "utf-8").name, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


async def _server_sent(
    head: bytes, rest: AsyncIterator[bytes]
) -> "AsyncGenerator[httpx2.ServerSentEvent]":
    """The events of a body; the last one may lack the empty line that ends it."""
    import httpx2

    async def body() -> AsyncIterator[bytes]:
        yield head
        async for block in rest:
            yield block
        yield b"\n\n"

    kind = {"content-type": "text/event-stream; charset=utf-8"}
    reply = httpx2.Response(
        200, headers=kind, content=body(), request=httpx2.Request("GET", "http://events.invalid")
    )
    async for event in httpx2.EventSource(reply, max_event_size=LARGEST_BYTES):
        yield event


def _is_answer(message: Message) -> bool:
    return "method" not in message


def _event(message: Message) -> bytes:
    return b"data: " + json.dumps(message).encode() + b"\n\n"


def _error(message_id: MessageId, words: str, data: Mapping[str, Any]) -> Message:
    error = {"code": INTERNAL_ERROR, "message": words, "data": dict(data)}
    return {"jsonrpc": "2.0", "id": message_id, "error": error}


async def _refusal(reply: "httpx2.Response", message_id: MessageId) -> Message:
    """The error that a status of 400 and above stands for, in the words of the server."""
    import httpx2

    stream = cast("httpx2.AsyncByteStream", reply.stream)
    try:
        text = await _whole(b"", _bounded(stream), reply.charset_encoding)
    except httpx2.HTTPError:
        text = ""
    reader = MessageReader(takes_any_id=True)
    reader.sent({"method": "", "id": message_id})
    answers = reader.read(text) if "jsonrpc" in text else []
    said = next((each["error"] for each in answers if "error" in each), None)
    words = said["message"] if said else plain_words(text)
    status = reply.status_code
    error = class_of_status(status) or ErrorClass.SERVER_ERROR
    code = said["code"] if said else None
    if _is_forgotten(reply, code, words):
        data = failure_data(ErrorClass.NETWORK, is_forgotten=True)
        return _error(message_id, "the server has ended the session", data)
    if said and error not in _OF_SERVER:
        return {"jsonrpc": "2.0", "id": message_id, "error": said}
    line = f"the server answers {status} {reply.reason_phrase}".strip()
    challenge = reply.headers.get(_ASKS, "")
    asked = _SAID.search(challenge)
    words = words or (asked[1] if asked else "")
    line += f": {words}" if words else ""
    if error is ErrorClass.UNAUTHORISED:
        line += f"; {_what_to_do(status, challenge)}"
    elif error is ErrorClass.RATE_LIMITED and (wait := reply.headers.get("retry-after", "")):
        line += f"; try again after {wait[:40]}{' s' if wait.isdigit() else ''}"
    if said is None and error is ErrorClass.NOT_FOUND and not words:
        line += "; does the address name the server's endpoint?"
    return _error(message_id, line, failure_data(error))


def _is_forgotten(reply: "httpx2.Response", code: Any, words: str) -> bool:
    """Whether a server says that it does not know the session: 404, or in words."""
    if _SESSION not in reply.request.headers:
        return False
    is_said = reply.status_code in (400, 410) and "session" in words.lower()
    return is_said or (reply.status_code == 404 and code != _METHOD_NOT_FOUND)


def _what_to_do(status: int, challenge: str) -> str:
    if status == 401 and "bearer" in challenge.lower():
        return f"it may let you sign in: {KEYS}"
    return f"its key is missing, wrong or has expired: {KEYS}"


def plain_words(text: str) -> str:
    """What a body says to people: the message in its JSON, or its text without marks; cut."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(_TAG.sub(" ", text[:20_000]).split())[:_SHOWN]
    for _ in range(3):
        if not isinstance(value, dict):
            break
        known = cast("dict[str, Any]", value)
        value = next((known[key] for key in _WORDS if known.get(key)), None)
    return value.strip()[:_SHOWN] if isinstance(value, str) else ""
