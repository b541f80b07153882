"""Function calls put together from the pieces of a stream, and mended where it is plain what was
meant.

The protocol gives each call a number and an id and sends its name once. Endpoints number all calls
alike, leave numbers or ids out, change ids on the way, send the name with each piece or in pieces,
send all arguments so far with each piece, write arguments as an object, encode them twice, or put
them into a fence or into a call of their own. What decides is what has come: after whole arguments,
another name begins another call.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.model import ReplyChunk
from toolplanner_core.prompts.conversation import FunctionCall

_Fields = Mapping[str, Any]
_DECODER = json.JSONDecoder(strict=False)
_FENCE = re.compile(r"\s*`{3,}\w*\s*(.*?)\s*(?:`{3,}\s*)?", re.DOTALL)
_NOTHING = ("null", "none", "undefined", "[]", '""', "{}")
_ENDS = ("}", '"', "`")
_AFTER = re.compile(r"[\s}\]`;,]*(?:</?[\w|=\uff5c\u2581-]+>?\s*)*[\s`]*")
"""What may stand behind arguments that are whole: brackets too many, a tag, the end of a fence."""
_TAIL = re.compile(r"<[|\uff5c].*|\(\s*\)\s*$|</?\w+>.*|:\d+\s*$", re.DOTALL)
"""What templates leave behind a name: `look_up<|channel|>commentary`, `look_up()`, `look_up:0`."""
_NO_LETTER = re.compile(r"[\W_]+")
PARALLEL = "multi_tool_use.parallel"
"""A function that GPT models make up to call several at once."""


@dataclass(slots=True)
class _Part:
    index: int | None
    id: str = ""
    name: str = ""
    given: list[str] = field(default_factory=list[str])
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def arguments(self) -> str:
        return self.given[-1] if self.is_resent else "".join(self.given)

    @property
    def is_resent(self) -> bool:
        """Whether each piece holds all that came before it."""
        pieces = [piece for piece in self.given if piece.strip()]
        grows = len(pieces) > 1 and all(b.startswith(a) for a, b in pairwise(pieces))
        is_last = bool(self.given) and self.given[-1] == pieces[-1] if grows else False
        return is_last and pieces[0] != pieces[-1] and _object(pieces[-1]) is not None

    @property
    def is_whole(self) -> bool:
        text = self.arguments.strip()
        return text.endswith(_ENDS) and mended_arguments(text) is not None


class MendedCalls(NamedTuple):
    """Calls as they are meant.

    Attributes:
        extras: what else stood at each call, to be sent back with it.
        remarks: what had to be mended, in words.
    """

    calls: tuple[FunctionCall, ...]
    extras: tuple[Mapping[str, Any], ...] = ()
    remarks: tuple[str, ...] = ()


class CallAssembler:
    """Collects the calls of one reply.

    Args:
        offered: names of the functions that may be called; () where nobody knows.
    """

    def __init__(self, offered: Collection[str] = ()) -> None:
        self._offered = offered
        self._parts: list[_Part] = []

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, call: _Fields, *, is_alone: bool = False) -> ReplyChunk:
        """Add a call, or a piece of one; what is new of it.

        Args:
            is_alone: it is a whole call, not a piece of a stream.
        """
        function = _function_of(call)
        name, given = _text(function.get("name")), _arguments(function)
        call_id = _text(call.get("id")) or _text(call.get("call_id"))
        index = _index(call.get("index"))
        part = None if is_alone else self._part_for(index, call_id, name, given)
        if part is None:
            part = _Part(index, call_id)
            self._parts.append(part)
        part.id = part.id or call_id
        if extra := call.get("extra_content"):  # the signature of Gemini's thoughts
            part.extra = {"extra_content": extra}
        new = self._new_of_name(part, name)
        part.given.append(given)
        return ReplyChunk(call=self._parts.index(part), name=new, arguments=given)

    def drop_torn(self, *, may_be_blank: bool) -> bool:
        """Drop the last call if its arguments never ended; whether it was so.

        Args:
            may_be_blank: no arguments at all are none, not a beginning.
        """
        if not self._parts or self._parts[-1].is_whole:
            return False
        if may_be_blank and not self._parts[-1].arguments.strip():
            return False
        self._parts.pop()
        return True

    def mended(self) -> MendedCalls:
        """The calls as they are meant; what nobody can read stays as it came."""
        calls: list[FunctionCall] = []
        extras: list[Mapping[str, Any]] = []
        remarks: dict[str, None] = {}
        for part in self._parts:
            if part.is_resent:
                remarks[f"The arguments of {part.name} came anew with each piece"] = None
            for call, said in mended_calls(part.id, part.name, part.arguments, self._offered):
                calls.append(call)
                extras.append(part.extra)
                remarks.update(dict.fromkeys(said))
        return MendedCalls(tuple(calls), tuple(extras), tuple(remarks))

    def _part_for(self, index: int | None, call_id: str, name: str, given: str) -> _Part | None:
        """The part that a piece goes on with, None if it begins another."""
        if not self._parts:
            return None
        last = self._parts[-1]
        alike = [part for part in self._parts if index is None or part.index == index]
        by_id = [part for part in self._parts if call_id and part.id == call_id]
        if not alike:
            if by_id and not name:
                return by_id[-1]
            # A number that goes up with each piece: it says neither a name nor an id.
            return last if not (name or call_id) and not last.is_whole else None
        of_both = [part for part in alike if part in by_id]
        known = of_both[-1] if of_both else alike[-1]
        if not of_both and call_id and known.id:
            if not name:
                return known
            return known if name == known.name and not known.is_whole else None
        return None if self._begins_another(known, name, given) else known

    def _begins_another(self, known: _Part, name: str, given: str) -> bool:
        if not name or not known.name:
            return False
        is_same = name == known.name
        if known.is_whole:
            is_numbered = bool(known.id)  # its next pieces may come without an id, as they should
            return not is_same or (not is_numbered and given.lstrip().startswith("{"))
        is_known, is_other = known.name in self._offered, name in self._offered
        joined = known.name + name
        return (
            not is_same and is_known and is_other and not self._is_begun(joined)
        ) and not known.arguments.strip()

    def _new_of_name(self, part: _Part, name: str) -> str:
        """Take a name, or a piece of one; what is new of it. One that is resent is no piece."""
        if not name:
            return ""
        before, joined = part.name, part.name + name
        if name == before and not (before not in self._offered and self._is_begun(joined)):
            return ""
        if before and name.startswith(before) and not self._is_begun(joined):
            part.name = name
            return name[len(before) :]
        if before in self._offered and not self._is_begun(joined):
            return ""
        part.name = joined
        return name

    def _is_begun(self, name: str) -> bool:
        return any(offered.startswith(name) for offered in self._offered)


def mended_calls(
    call_id: str, name: str, arguments: str, offered: Collection[str] = ()
) -> Iterator[tuple[FunctionCall, Sequence[str]]]:
    """What one call means: usually itself; several where their arguments stand glued together.
    With each, what had to be mended."""
    known = known_name(name, offered)
    remarks = [] if known == name else [f"The name {name[:80]!r} was read as {known!r}"]
    if known == PARALLEL and (inner := list(_in_parallel(arguments))):
        for at, (each, given) in enumerate(inner):
            one = FunctionCall(f"{call_id}_{at}" if call_id else "", each, given)
            for call, said in mended_calls(one.id, one.name, one.arguments, offered):
                yield call, [f"{PARALLEL} was read as the calls in it", *said]
        return
    found = mended_arguments(arguments)
    if found is not None:
        found = [_within(known, each, offered) for each in found]
    if found is None or found == [arguments]:
        yield FunctionCall(call_id, known, arguments), remarks
        return
    remarks.append(f"The arguments of {known} were mended")
    for at, text in enumerate(found):
        yield FunctionCall(f"{call_id}_{at}" if call_id and at else call_id, known, text), remarks


def known_name(name: str, offered: Collection[str]) -> str:
    """The offered function that a name means: without what templates write before or behind it,
    such as `functions.`; the name itself if it means none, or more than one."""
    if name in offered or not offered:
        return name
    bare = _TAIL.sub("", name).strip(" \t\r\n`'\"")
    if bare in offered:
        return bare
    for mark in (".", ":", "/"):
        after = bare.rpartition(mark)[2]
        if after in offered:
            return after
    for meant in (bare, re.split(r"[.:/]", bare)[-1]):
        folded = _NO_LETTER.sub("", meant).casefold()
        alike = [each for each in offered if _NO_LETTER.sub("", each).casefold() == folded]
        if len(alike) == 1 and folded:
            return alike[0]
    return name


def mended_arguments(text: str) -> list[str] | None:
    """The objects that arguments mean, as JSON, each for a call of its own; None if nobody can read
    them. What is an object already stays as it came."""
    if not text.strip() or _object(text) is not None:
        return [text]
    for _ in range(4):
        text = text.strip()
        fence = _FENCE.fullmatch(text) if text.startswith("```") else None
        text = fence[1] if fence else text
        if text.strip().lower() in _NOTHING:
            return ["{}"]
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            break
        if isinstance(value, str):
            text = value
        elif isinstance(value, dict):
            return [text]
        elif isinstance(value, list) and len(cast("list[Any]", value)) == 1:
            text = json.dumps(value[0], ensure_ascii=False)
        else:
            return None
    return _glued(text) or _python(text)


def _within(name: str, arguments: str, offered: Collection[str]) -> str:
    """Arguments that are a call of the same function, as the arguments of that."""
    fields = _object(arguments) or {}
    inner = next((fields[key] for key in ("arguments", "parameters") if key in fields), None)
    is_call = len(fields) == 2 and known_name(_text(fields.get("name")), offered) == name
    if not is_call or not isinstance(inner, dict | str):
        return arguments
    text = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
    return text if _object(text) is not None else arguments


def _glued(text: str) -> list[str] | None:
    """Objects one after the other: what was meant twice counts once, and empty ones only if there
    is nothing else."""
    begin = text.find("{")
    found: list[dict[str, Any]] = []
    if begin < 0:
        return None
    at, rest = begin, text
    while at < len(text) and text[at] == "{":
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        found.append(cast("dict[str, Any]", value))
        rest = text[end:]
        at = end + len(rest) - len(rest.lstrip(" \t\r\n,;"))
    if not found or not _AFTER.fullmatch(rest):
        return None
    several: list[dict[str, Any]] = []
    for value in found:
        if value and value not in several:
            several.append(value)
    return [json.dumps(value, ensure_ascii=False) for value in several or found[:1]]


def _python(text: str) -> list[str] | None:
    """Arguments written as Python writes them."""
    if not text.startswith("{") or len(text) > 20_000:
        return None
    try:
        value = ast.literal_eval(text)
        return [json.dumps(value, ensure_ascii=False)] if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _in_parallel(arguments: str) -> Iterator[tuple[str, str]]:
    uses = (_object(arguments) or {}).get("tool_uses")
    for use in cast("list[Any]", uses) if isinstance(uses, list) else ():
        if isinstance(use, Mapping):
            fields = cast("_Fields", use)
            yield _text(fields.get("recipient_name")), _arguments(fields)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _function_of(call: _Fields) -> _Fields:
    """Where name and arguments of a call stand."""
    for name in ("function", "custom"):
        inner = call.get(name)
        if isinstance(inner, Mapping):
            return cast("_Fields", inner)
    return call


def _arguments(function: _Fields) -> str:
    names = ("arguments", "parameters", "input", "args")
    given = next((function[name] for name in names if function.get(name) is not None), "")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""
