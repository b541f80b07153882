"""JSON-RPC messages as servers really write them, read leniently: whatever line carries the id of
a call answers it.

The SDK takes a message that is right in everything, and drops the rest with a line in a log: the
call then waits until its time is over, and what the server said is lost. So both transports read
here first and hand on what is right: half surrogate pairs, NaN, byte order marks, batches, several
messages on a line or one over several lines, ids of the wrong kind, errors whose code is a text or
that say nothing, results that are no objects. A line that is no JSON and carries the id of a call
fails that call at once with its own words.

Source: JSON-RPC 2.0, sections 4 and 5; MCP 2025-11-25, "Base Protocol: Messages".
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.words.formatting import storable

Message = dict[str, Any]
"""A right JSON-RPC message: a request, a notification, a result or an error."""
MessageId = int | str

BARE_RESULT = "toolplanner/result"
"""Key of a result that was no object, in the object that is made of it."""
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
_MOST_STARTS = 20
"""Places of a line at which a message is looked for."""
_LONGEST_MESSAGE = 16_000_000
_SHOWN = 300
_MAY_BEGIN = re.compile(r'\{\s*"|\[\s*\{')
_ID = re.compile(r"""["']id["']\s*:\s*["']?(\d{1,15})\b""")
_DIGITS = re.compile(r"\s*([0-9]{1,18})(?:\.0*)?\s*")
_IS_ANSWER = re.compile(r"""["'](?:result|error)["']\s*:""")
_IS_CALL = re.compile(r"""["']method["']\s*:""")
_IS_OF_ANSWER = frozenset({"result", "error", "content"})
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_PROGRESS = "notifications/progress"
_HEARD = frozenset({"notifications/tools/list_changed", "notifications/initialized"})
"""Notifications that somebody here listens to."""
_UNHEARD: Message = {"jsonrpc": "2.0", "method": "notifications/toolplanner/unheard"}
"""What others become: the SDK logs each that it knows and that is not quite right."""
_JSON_RPC = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})


def is_whole(text: str) -> bool:
    """Whether a text ends with JSON objects that are whole."""
    start = _MAY_BEGIN.search(text)
    at = start.start() if start else len(text) + 1
    try:
        while at < len(text):
            at = _DECODER.raw_decode(text, at)[1]
            at += len(text) - at - len(text[at:].lstrip())
    except (ValueError, RecursionError):
        return False
    return start is not None


class MessageReader:
    """Reads what a server writes; knows which calls wait for an answer.

    Args:
        takes_any_id: an answer with the id of nobody belongs to the one call that waits: of a reply
            over HTTP, which is the reply to one call.
    """

    def __init__(self, *, takes_any_id: bool = False) -> None:
        self._waiting: set[MessageId] = set()
        self._takes_any_id = takes_any_id
        self._begun: list[str] = []

    def sent(self, message: Mapping[str, Any]) -> None:
        """Note a message of ours: its id waits, or waits no more."""
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            self._waiting.discard((params or {}).get("requestId"))
        elif "method" in message and message.get("id") is not None:
            self._waiting.add(message["id"])

    def read_line(self, line: bytes | str) -> list[Message]:
        """The messages that a line holds or ends, none if it is something else.

        A message may go over several lines if the first of them is nothing but its bracket.
        """
        text = line if isinstance(line, str) else line.decode("utf-8", "replace")
        stripped = text.strip().lstrip("\ufeff")
        if self._begun:
            self._begun.append(text)
            # What is written over lines ends as it began: with a bracket at the margin.
            if text[:1] in ("}", "]") and (found := self.read("".join(self._begun))):
                self._begun.clear()
                return found
            if sum(map(len, self._begun)) > _LONGEST_MESSAGE:
                self._begun.clear()
        found = self.read(stripped)
        if found or (stripped in ("{", "[") and not self._begun):
            self._begun = [] if found else [text]
        return found

    def read(self, text: str) -> list[Message]:
        """The messages that a text holds."""
        text = text.strip().lstrip("\ufeff")
        found: list[Message] = []
        place = n_values = 0
        for _ in range(_MOST_STARTS):
            start = _MAY_BEGIN.search(text, place)
            if start is None:
                break
            # What a log line quotes may be a request of ours; only an answer counts there.
            is_alone = not text[place : start.start()].strip() and (place == 0 or bool(found))
            try:
                value, place = _DECODER.raw_decode(text, start.start())
                if _HALF_PAIR.search(text, start.start(), place):
                    value = storable(value)
            except (ValueError, RecursionError) as error:
                if failed := self._broken(text[start.start() :], error):
                    return [*found, failed]
                place = start.start() + 1
                continue
            n_values += 1
            for each in cast("list[Any]", value) if isinstance(value, list) else [value]:
                message = self._message(each)
                if message is not None and (is_alone or "method" not in message):
                    found.append(message)
        if not n_values and (failed := self._broken(text, ValueError("it has none"))):
            return [failed]
        return found

    def _message(self, value: Any) -> Message | None:
        """A value as a right message; None if it is none, or answers nobody."""
        if not isinstance(value, dict):
            return None
        known = cast("dict[str, Any]", value)
        method, message_id = known.get("method"), _id_of(known.get("id"))
        if isinstance(method, str) and method:
            return _asked(known, method, message_id)
        if not _IS_OF_ANSWER & known.keys() and message_id is None:
            return None
        waiting = self._waiting_for(message_id, has_failed=known.get("error") is not None)
        if waiting is None:
            return None
        self._waiting.discard(waiting)
        if known.get("error") is not None and known.get("result") is None:
            return _error(waiting, _error_of(known["error"]))
        result = known["result"] if "result" in known else _beside(known)
        if not isinstance(result, dict):
            result = {BARE_RESULT: result}
        return {"jsonrpc": "2.0", "id": waiting, "result": result}

    def _waiting_for(self, message_id: MessageId | None, *, has_failed: bool) -> MessageId | None:
        for each in (message_id, _as_number(message_id)):
            if each in self._waiting:
                return each
        if len(self._waiting) == 1 and (self._takes_any_id or (message_id is None and has_failed)):
            return next(iter(self._waiting))
        return None

    def _broken(self, text: str, error: Exception) -> Message | None:
        """The failure of the call whose answer cannot be read; None if the text is none."""
        ids = [int(found) for found in _ID.findall(text[:_LONGEST_MESSAGE])]
        waiting = next((each for each in ids if each in self._waiting), None)
        is_answer = _IS_ANSWER.search(text) and not _IS_CALL.search(text[:_SHOWN])
        if waiting is None or not is_answer:
            return None
        self._waiting.discard(waiting)
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:100]
        words = f"its reply is no JSON ({why}): {text[:_SHOWN]}"
        return _error(waiting, {"code": PARSE_ERROR, "message": words})


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _whole(digits: str) -> int | float | None:
    return int(digits) if len(digits) < 4_000 else _finite(digits)


def _nothing(_word: str) -> None:
    """NaN and Infinity, as a browser writes them into JSON."""


_DECODER = json.JSONDecoder(
    strict=False, parse_constant=_nothing, parse_float=_finite, parse_int=_whole
)


def _id_of(value: Any) -> MessageId | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return value


def _as_number(message_id: MessageId | None) -> MessageId | None:
    if isinstance(message_id, str) and (digits := _DIGITS.fullmatch(message_id)):
        return int(digits[1])
    return message_id


def _asked(known: dict[str, Any], method: str, message_id: MessageId | None) -> Message:
    """A request or a notification of the server's."""
    message: Message = {"jsonrpc": "2.0", "method": method}
    if message_id is not None:
        message["id"] = message_id
    if isinstance(known.get("params"), dict):
        message["params"] = known["params"]
    if message_id is None and method == _PROGRESS:
        return _progress(message)
    return message if message_id is not None or method in _HEARD else dict(_UNHEARD)


def _progress(message: Message) -> Message:
    """Progress with numbers, which some write as texts."""
    params = message.get("params", {})
    done, total = _number(params.get("progress")), _number(params.get("total"))
    token, words = _id_of(params.get("progressToken")), params.get("message")
    if done is None or token is None:
        return dict(_UNHEARD)
    kept = {"progress": done, "total": total, "progressToken": token, "message": words}
    kept["message"] = words if isinstance(words, str) else None
    return {**message, "params": {key: value for key, value in kept.items() if value is not None}}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.strip().rstrip("%") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _beside(known: dict[str, Any]) -> Any:
    """The result of an answer without the word: what else it holds."""
    rest = {key: value for key, value in known.items() if key not in _JSON_RPC}
    return rest or None


def _error(message_id: MessageId, error: Mapping[str, Any]) -> Message:
    return {"jsonrpc": "2.0", "id": message_id, "error": dict(error)}


def _error_of(said: Any) -> Message:
    """An error with a number as its code and words as its message."""
    if not isinstance(said, dict):
        words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return {"code": INTERNAL_ERROR, "message": words[:2_000]}
    known = cast("dict[str, Any]", said)
    code, message, data = known.get("code"), known.get("message"), known.get("data")
    number = _id_of(code)
    number = _as_number(number.removeprefix("-")) if isinstance(number, str) else number
    parts: list[str] = []
    if not isinstance(number, int):
        number = INTERNAL_ERROR
        parts = [str(code)] if code is not None else []
    elif isinstance(code, str) and code.startswith("-"):
        number = -number
    if isinstance(message, str) and message.strip():
        parts.append(message)
    elif others := {key: value for key, value in known.items() if key != "code" and value}:
        parts.append(json.dumps(others, ensure_ascii=False))
    words = ": ".join(parts) or f"an error without words, code {number}"
    return {"code": number, "message": words[:2_000], **({"data": data} if data else {})}
