"""What comes back from an OpenAI-compatible endpoint: replies, whole or in a stream, put together
alike and read leniently, since no two endpoints write them the same way.

What a reply is shows in its bytes, not in its header: endpoints stream as `text/plain` or
`application/octet-stream`, answer whole although a stream was asked for, and the other way round.
So the bytes of the client's response are read here, never its own stream (`event_stream.py` says
what that loses). What cannot be read is skipped, and what came whole counts.

Frames are read as plain data: the client's own objects take ten times as long to make, which counts
where sixteen branches stream at once.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.answer_mode import parse_json_reply
from toolplanner_core.llm.event_stream import MOST_BYTES, EventStreamParser, ServerSentEvent
from toolplanner_core.llm.function_call_pieces import CallAssembler
from toolplanner_core.llm.model import ModelError, ModelRequest, ReplyChunk, Usage
from toolplanner_core.llm.prompt_fitting import estimate_text_tokens, estimate_tokens
from toolplanner_core.llm.reply_errors import (
    EndpointError,
    complaint_in,
    error_in,
    is_page,
    read_error,
)
from toolplanner_core.llm.thinking import (
    SplitText,
    ThinkingFields,
    ThinkTagSplitter,
    is_thought,
    thought_in,
    without_lone_end,
)
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.words.formatting import counted

TRIES_OF_BROKEN = 2
"""How often it is worth asking for a reply that came broken."""
MOST_CHARACTERS = 1_000_000
"""Of a reply, its thoughts and its calls; a model that repeats itself ends here."""
_EXCERPT = 300
"""Characters of something unreadable that are said."""
_DEEPEST = 6
_CALL_PARTS = ("tool_use", "tool_call", "tool-call", "function_call")
_Fields = Mapping[str, Any]
_DECODER = json.JSONDecoder(strict=False)
_DONE = re.compile(r"""["']?\[done\]["']?""", re.IGNORECASE)
_NO_REASON = ("", "null", "none")
_WHOLE_BEGINS = (b"{", b"[", b"<")
"""A stream of events cannot begin so: its lines begin with the name of a field, or a colon."""
_NOT_BLANK = re.compile(rb"[^\xef\xbb\xbf \t\r\n]")


def _no_texts() -> list[str]:
    return []


class UnreadableReply(ValueError):
    """What came is no reply of a chat model; `is_foreign`: it looks as if something else answers
    at the address."""

    def __init__(self, what: str, *, is_foreign: bool = False) -> None:
        self.is_foreign = is_foreign
        super().__init__(what)


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What came back.

    Attributes:
        thought: what the model thought before it answered.
        extras: what stood at each call beside it, to be sent back.
        thinking: fields of the message that are sent back, see `thinking.py`.
        remarks: what had to be mended or is missing, in words.
    """

    text: str = ""
    thought: str = ""
    model: str = ""
    id: str = ""
    finish_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    calls: tuple[FunctionCall, ...] = ()
    extras: tuple[_Fields, ...] = ()
    thinking: dict[str, Any] = field(default_factory=dict[str, Any])
    remarks: list[str] = field(default_factory=_no_texts)

    def is_whole(self, question: object) -> bool:
        """Whether a reply that was cut can be used all the same: a typed answer or the arguments
        of calls that are JSON to their end, or in a dialogue just a text."""
        if question is not None:
            return parse_json_reply(self.arguments or self.text) is not None
        has_all = all(call.values() is not None for call in self.calls)
        return has_all and bool(self.calls or self.text.strip())

    @property
    def arguments(self) -> str:
        """Arguments of the first call, "" if there was none."""
        return self.calls[0].arguments if self.calls else ""


class ReplyReader:
    """Reads one reply from its bytes, as they come.

    Args:
        functions: names of those that were offered.
        is_typed: a JSON object was asked for.
        most_tokens: what was left for it; one that goes on far beyond is not read on.
        samples: how many replies to the prompt were asked for; others than the first are read
            beside it.
    """

    def __init__(
        self,
        functions: Collection[str] = (),
        *,
        is_typed: bool = False,
        most_tokens: int | None = None,
        samples: int = 1,
    ) -> None:
        self._functions = functions
        self._most_samples = samples
        self._by_index: dict[int, ReplyReader] = {}
        self._is_typed = is_typed
        self._most_tokens = most_tokens
        self._head = bytearray()
        self._events: EventStreamParser | None = None
        self._got = Assembled()
        self._said, self._thought = _no_texts(), _no_texts()
        self._tags, self._fields = ThinkTagSplitter(), ThinkingFields()
        self._calls = CallAssembler(functions)
        self._size = 0
        self._complaint: EndpointError | None = None
        self._has_choice = self._has_delta = self._is_torn = self._is_value = False
        self.is_done = False

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream of events."""
        return self._events is not None and self._has_choice

    @property
    def has_ended(self) -> bool:
        """Whether the endpoint said that the reply, and each other that has begun, is over; more
        words about it may come."""
        over = all(other._got.finish_reason for other in self._others)
        return self.is_done or (bool(self._got.finish_reason) and over)

    def feed(self, piece: bytes) -> Iterator[ReplyChunk]:
        """What is new of the reply within this piece.

        Raises:
            EndpointError: the endpoint says that it gives up.
            ModelError: it is too long.
            ValueError: an event of it is too long.
        """
        if self.is_done:
            return
        if self._events is None:
            self._head += piece
            if len(self._head) > MOST_BYTES:
                raise ValueError(f"the reply is longer than {MOST_BYTES:,} bytes")
            begin = _NOT_BLANK.search(self._head)
            if begin is None or begin.group() in _WHOLE_BEGINS:
                return
            self._events = EventStreamParser()
            piece = bytes(self._head)
        elif len(self._head) < _EXCERPT:
            self._head += piece[:_EXCERPT]
        for event in self._events.feed(piece):
            yield from self._take_event(event)
            if self.is_done:
                return

    def close(self, broken: Exception | None = None) -> Iterator[ReplyChunk]:
        """The end of what came; what it adds.

        Args:
            broken: why nothing more comes, None if the connection ended as it should.

        Raises:
            EndpointError, ModelError, UnreadableReply: there is no reply, or not the whole of it.
        """
        if self._events is None:
            yield from self._take_body(
                self._head.decode("utf-8", "replace").strip("\ufeff \t\r\n"), broken
            )
        elif not self.is_done:
            for event in self._events.close():
                yield from self._take_event(event)
        if not self._has_choice:
            raise broken or self._nothing()
        for other in self._others:
            other._end_beside(self, broken)
        yield from self._end(broken)

    def _end(self, broken: Exception | None) -> Iterator[ReplyChunk]:
        yield from self._told(self._tags.close())
        if not self._got.finish_reason and not self._is_value:
            self._check_end(broken)

    def _end_beside(self, first: "ReplyReader", broken: Exception | None) -> None:
        """End another sample; one that is not whole fails alone."""
        self.is_done, self._is_torn = first.is_done, first._is_torn
        self._is_value = first._is_value
        self._got.model, self._got.id = first._got.model, first._got.id
        try:
            list(self._end(broken))
        except (ModelError, EndpointError, OSError, ValueError) as error:
            self._got.finish_reason = "error"
            self._got.remarks.append(str(error))

    @property
    def _others(self) -> list["ReplyReader"]:
        return [reader for reader in self._by_index.values() if reader is not self]

    def every(self) -> list[Assembled]:
        """All replies, the first one first, after `close`."""
        return [self.whole(), *(other.whole() for other in self._others)]

    def whole(self) -> Assembled:
        """The reply, after `close`; the first of several."""
        got, mended = self._got, self._calls.mended()
        text, before = without_lone_end(_joined(self._said))
        got.text, got.thought = text, _joined(self._thought) + before
        got.calls, got.extras = mended.calls, mended.extras
        got.thinking = self._fields.whole()
        got.remarks += mended.remarks
        return got

    def _take_event(self, event: ServerSentEvent) -> Iterator[ReplyChunk]:
        data = event.data.strip()
        if _DONE.fullmatch(data) or (event.is_cut and data and "[DONE]".startswith(data)):
            self.is_done = True
            return
        frames = _frames(data)
        if not frames:
            # A keepalive, or half an event.
            is_piece = data.startswith("{") or (event.is_cut and not data.startswith(":"))
            self._is_torn = self._is_torn or (bool(data) and is_piece)
            if event.name == "error":
                raise read_error(data)
        for frame in frames:
            if event.name == "error" and not frame.get("choices"):
                raise read_error(frame)
            yield from self._take(frame)
        self.is_done = self.is_done or _DONE.fullmatch(data.rpartition("\n")[2].strip()) is not None

    def _take_body(self, text: str, broken: Exception | None) -> Iterator[ReplyChunk]:
        """A body that is one JSON value, or one on each line."""
        if is_page(text):
            raise read_error(text)
        frames = _frames(text)
        self._is_value = len(frames) == 1 and text.endswith("}")
        for frame in frames:
            yield from self._take(frame)
        if broken is not None and not self.has_ended:
            raise broken

    def _nothing(self) -> Exception:
        """Why there is no reply."""
        if self._complaint is not None:
            return self._complaint
        head = bytes(self._head[: 4 * _EXCERPT]).decode("utf-8", "replace").strip("\ufeff \t\r\n")
        if not head:
            return UnreadableReply("the reply is empty")
        if self._events is not None and "data:" in head:
            return UnreadableReply("the stream ended without a reply")
        if self._events is None and '"choices"' in head and not _frames(head):
            return UnreadableReply("it broke off before it was whole")
        said = read_error(head)
        if said.status is not None and not _frames(head):  # words of a proxy
            return said
        return UnreadableReply(
            f"it holds no choice; it begins with {head[:_EXCERPT]!r}", is_foreign=True
        )

    def _take(self, frame: _Fields) -> Iterator[ReplyChunk]:
        if (error := error_in(frame)) is not None:
            if not self._got.finish_reason:
                raise error
            self._got.remarks.append(f"After the reply the endpoint said: {error}")
            return
        self._take_names(frame)
        choices = _choices(frame)[: self._most_samples]
        if not choices:
            self._complaint = self._complaint or complaint_in(frame)
        for place, choice in enumerate(choices):
            reader = self._reader_of(choice.get("index", place))
            if reader is self:
                yield from self._take_choice(choice)
            elif reader is not None:
                list(reader._take_choice(choice))

    def _reader_of(self, index: Any) -> "ReplyReader | None":
        """Who reads a choice; None for one more than was asked for."""
        if self._most_samples == 1 or not self._by_index:
            self._by_index[_count(index)] = self
            return self
        known = self._by_index.get(_count(index))
        if known is None and len(self._by_index) < self._most_samples:
            known = ReplyReader(
                self._functions, is_typed=self._is_typed, most_tokens=self._most_tokens
            )
            self._by_index[_count(index)] = known
        return known

    def _take_choice(self, choice: _Fields) -> Iterator[ReplyChunk]:
        self._has_choice = True
        reason = _text(choice.get("finish_reason"))
        if reason.lower() not in _NO_REASON:
            self._got.finish_reason = reason
        if delta := _fields(choice.get("delta")):
            self._has_delta = True
            yield from self._add(delta)
        elif not self._has_delta:
            yield from self._add_message(choice)

    def _add_message(self, choice: _Fields) -> Iterator[ReplyChunk]:
        """Add a whole message, or a piece of one that stands where whole ones do; one that repeats
        what came before counts as what is new of it."""
        message = _fields(choice.get("message"))
        text = _text(message.get("content") if message else choice.get("text"))
        before = "".join(self._said)
        if before and text.startswith(before):
            text = text[len(before) :]
        yield from self._add({**message, "content": text or None}, is_alone=True)

    def _add(self, message: _Fields, *, is_alone: bool = False) -> Iterator[ReplyChunk]:
        """Add a message, or a piece of one."""
        self._fields.add(message)
        text = _text(message.get("content")) or _text(message.get("refusal"))
        piece = self._tags.feed(text) if text else SplitText()
        yield from self._told(SplitText(piece.said, thought_in(message) + piece.thought))
        calls: Any = message.get("tool_calls")
        if isinstance(calls, Mapping):  # one call without a list around it, or a list as an object
            calls = [calls] if "function" in calls else list(cast("_Fields", calls).values())
        calls = cast("list[Any]", calls) if isinstance(calls, list) else []
        calls = calls or _calls_in(message.get("content"))
        legacy = _fields(message.get("function_call"))
        if legacy and not calls:
            calls = [{"function": legacy}]
        for call in map(_fields, calls):
            if not call:
                continue
            is_whole = is_alone or (len(calls) > 1 and call.get("index") is None)
            chunk = self._calls.add(call, is_alone=is_whole)
            self._grow(len(chunk.arguments) + len(chunk.name))
            yield chunk

    def _told(self, piece: SplitText) -> Iterator[ReplyChunk]:
        said, thought = piece
        if said or thought:
            self._said.append(said)
            self._thought.append(thought)
            self._grow(len(said) + len(thought))
            yield ReplyChunk(text=said, reasoning=thought)

    def _check_end(self, broken: Exception | None) -> None:
        """Whether a reply that nothing says the end of is whole as far as it came; its last call is
        dropped if it is not.

        Raises:
            ModelError: nothing of it came whole.
        """
        is_torn = self._is_torn or broken is not None
        is_dropped = self._calls.drop_torn(may_be_blank=self.is_done)
        text = "".join(self._said)
        is_whole = bool(text.strip()) and not (is_torn or is_dropped)
        if self._is_typed and not self.is_done:
            is_whole = parse_json_reply(text) is not None
        if not self._calls and not is_whole:
            raise broken or ModelError(
                ErrorClass.BAD_PAYLOAD,
                "The stream broke off before the reply was whole",
                is_transient=True,
                tries=TRIES_OF_BROKEN,
                todo="Look at the log of the endpoint, or of a proxy before it",
            )
        remark = "The stream ended without a word that the reply is whole"
        self._got.remarks.append(
            f"{remark}; a call that was cut is left out" if is_dropped else remark
        )

    def _take_names(self, frame: _Fields) -> None:
        """Take what stands around a message: names, and what it cost."""
        got = self._got
        got.model = _text(frame.get("model")) or got.model
        got.id = _text(frame.get("id")) or got.id
        usage = _fields(frame.get("usage"))
        if usage:
            got.usage = Usage(
                input_tokens=_count(usage.get("prompt_tokens")),
                output_tokens=_count(usage.get("completion_tokens")),
                cached_tokens=_count(
                    _fields(usage.get("prompt_tokens_details")).get("cached_tokens")
                ),
            )

    def _grow(self, characters: int) -> None:
        self._size += characters
        most = self._most_tokens
        if most is not None and self._size > most * _MOST_CHARACTERS_PER_TOKEN:
            what = f"The reply went on beyond the {counted(most, 'token')} that were left for it"
            raise ModelError(ErrorClass.OVER_BUDGET, what, is_transient=False)
        if self._size > MOST_CHARACTERS:
            raise ModelError(
                ErrorClass.BAD_PAYLOAD,
                f"The reply is longer than {MOST_CHARACTERS:,} characters; it was not read on",
                is_transient=False,
                todo="Set the tokens of a reply in the options of the model",
            )


def _frames(text: str) -> list[_Fields]:
    """The JSON objects of an event or a body: it is one, a list of them, or has one on each line.
    What is none is skipped."""
    if not text or (text[0] not in "{[" and "\n" not in text):
        return []
    try:
        return _objects(_DECODER.decode(text))
    except (ValueError, RecursionError):
        pass
    found: list[_Fields] = []
    at = 0
    while at < len(text):
        at = _begin_of_json(text, at)
        try:
            value, at = _DECODER.raw_decode(text, at)
            found += _objects(value)
        except (ValueError, RecursionError):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
    return found


def _begin_of_json(text: str, at: int) -> int:
    """Where the next value may begin: behind blanks, commas and the word that begins a line of an
    event stream."""
    while at < len(text):
        if text[at] in " \t\r\n,\x1e":
            at += 1
        elif text.startswith("data:", at):
            at += 5
        else:
            break
    return at


def _objects(value: Any) -> list[_Fields]:
    each = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [cast("_Fields", one) for one in each if isinstance(one, Mapping)]


def _choices(frame: _Fields) -> list[_Fields]:
    choices: Any = frame.get("choices")
    each = cast("list[Any]", choices) if isinstance(choices, list) else []
    return [_fields(choice) for choice in each]


def _fields(value: Any) -> _Fields:
    return cast("_Fields", value) if isinstance(value, Mapping) else {}


def _text(content: Any, depth: int = 0) -> str:
    """Text of a message; some endpoints send it as a list of parts."""
    if isinstance(content, str):
        return content
    if not content or depth > _DEEPEST:
        return ""
    if isinstance(content, Mapping):
        part = cast("_Fields", content)
        return "" if is_thought(part) else _text(part.get("text"), depth + 1)
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "".join(_text(part, depth + 1) for part in parts)


def _calls_in(content: Any) -> list[Any]:
    """Calls that stand among the parts of a content."""
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return [part for part in parts if _fields(part).get("type") in _CALL_PARTS]


def _joined(pieces: Iterable[str]) -> str:
    """Pieces as one text; half letters at their ends, as UTF-16 has them, are put together."""
    text = "".join(pieces)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _count(value: Any) -> int:
    """A number of tokens; what is none counts as not told."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 2**53 else 0


def usage_of(request: ModelRequest, replies: Sequence[Assembled]) -> Usage:
    """What the replies to one request took: as its endpoint says, else estimated from what was
    sent and came back."""
    said = replies[0].usage
    if said.input_tokens and said.output_tokens:
        return said
    guessed = estimate_text_tokens(
        text
        for got in replies
        for text in (got.text, got.thought, *(f"{c.name} {c.arguments}" for c in got.calls))
    )
    if said.input_tokens and not guessed:
        return said  # an empty reply has no tokens
    return Usage(
        input_tokens=said.input_tokens or estimate_tokens(request),
        output_tokens=said.output_tokens or guessed,
        cached_tokens=said.cached_tokens,
        is_estimate=True,
    )


_MOST_CHARACTERS_PER_TOKEN = 8
"""Of any text that people write; English has about 4.5, JSON 3."""
_WORTH_A_LOOK = 500


def cut_in_silence(messages: Iterable[Message], usage: Usage) -> str:
    """What to say when an endpoint read far less than was sent to it, "" if it read it all: local
    servers drop the beginning of what is too long for them."""
    sent = sum(len(m.content) + sum(len(c.arguments) for c in m.calls) for m in messages)
    least = sent / _MOST_CHARACTERS_PER_TOKEN
    if usage.input_tokens <= 0 or least < _WORTH_A_LOOK or usage.input_tokens >= least:
        return ""
    return (
        f"The endpoint read {usage.input_tokens:,} tokens of at least {least:,.0f} that were sent:"
        " its context is too small, and it dropped the rest without a word"
    )
