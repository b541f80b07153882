"""Make of a provider's reply what the strategy sees: a value, or a failure with its class.

Classification looks at transport, status, schema, known error fields (`error_bodies.py`) and
whether anything is there (`emptiness.py`), never
at the bare word "error" in a payload (Source: design/strategies.md section 0). The gate calls
`observe` once per call; the raw reply stays in the log whatever comes out here.
"""

import ast
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.http_status import class_of_status, is_perhaps_done
from toolplanner_core.domain.media_types import is_json_lines
from toolplanner_core.domain.observation import NOT_SENT, Effect, Observation, RawResult
from toolplanner_core.providers.error_classes import class_of_words
from toolplanner_core.providers.reply_bodies import (
    fields_of,
    find_error_envelope,
    is_empty,
    read_error_body,
)
from toolplanner_core.sources.documents import MAX_DEPTH, is_too_deep
from toolplanner_core.sources.risk import changes_something
from toolplanner_core.words.formatting import storable
from toolplanner_core.words.reply_values import has_no_condition, lists_nothing

_TOO_DEEP = f"JSON nested more than {MAX_DEPTH} levels deep"
_LONGEST_LITERAL = 1_000
_PERHAPS = frozenset(
    {ErrorClass.TIMEOUT, ErrorClass.NETWORK, ErrorClass.BAD_PAYLOAD, ErrorClass.CANCELLED}
)


class _Parsed(NamedTuple):
    """The body read as JSON or text; `problem` says why it could not be read."""

    value: Any
    is_json: bool
    problem: str


def observe(
    raw: RawResult, api: Api, *, arguments: Mapping[str, Any] | None = None, seq: int = 0
) -> Observation:
    """The outcome of a call: never raises, and exactly one of `ok` and `error` is set.

    Args:
        raw: the reply as received.
        api: what was called; an API that only writes may answer with nothing.
        arguments: with which it was called, None if unknown: an empty list of what was asked for
            without any condition is an answer, there are none.
        seq: number of the log event that holds the reply.
    """
    if raw.failure is not None:
        return _failed(raw, raw.failure, raw.message, seq)
    if raw.status is None:
        return _failed(raw, ErrorClass.NETWORK, raw.message, seq)
    parsed = _parse(raw)
    if 200 <= raw.status < 300:
        is_listing = arguments is not None and has_no_condition(arguments)
        return _observe_success(raw, parsed, api, seq, is_listing=is_listing)
    return _observe_failure(raw, raw.status, parsed, seq)


def effect_of(raw: RawResult, seen: Observation) -> Effect:
    """What a call that changes something did: only a clear refusal says that it did nothing."""
    if seen.ok:
        return Effect.DONE
    if raw.reached is False or raw.origin == NOT_SENT:
        return Effect.NONE
    is_refused = raw.status is not None and 400 <= raw.status < 600
    perhaps = is_perhaps_done(raw.status) if is_refused else seen.error in _PERHAPS
    return Effect.UNKNOWN if raw.reached or perhaps else Effect.NONE


def _observe_success(
    raw: RawResult, parsed: _Parsed, api: Api, seq: int, *, is_listing: bool
) -> Observation:
    if parsed.problem:
        return _failed(raw, ErrorClass.BAD_PAYLOAD, parsed.problem, seq)
    meant = parsed.value if parsed.is_json else _python_literal(parsed.value)
    envelope = find_error_envelope(meant)
    if envelope is not None and envelope.error is not None:
        return _failed(raw, envelope.error, envelope.message, seq)
    # What changes something need say nothing.
    is_answer = changes_something(api) or (is_listing and lists_nothing(meant))
    if is_empty(meant) and not is_answer:
        return _failed(raw, ErrorClass.EMPTY_RESULT, "The reply holds no result", seq)
    return Observation(ok=True, value=parsed.value, origin=raw.origin, seq=seq)


def _observe_failure(raw: RawResult, status: int, parsed: _Parsed, seq: int) -> Observation:
    body = read_error_body(parsed.value)
    by_status = class_of_status(status)
    if by_status is None:
        where = raw.headers.get("Location") or raw.headers.get("location")
        message = f"redirected to {where}" if where else "neither an answer nor an error"
        return _failed(raw, ErrorClass.BAD_PAYLOAD, message, seq)
    error: ErrorClass = by_status
    if status in (400, 422) and body.error in (
        ErrorClass.MISSING_PARAMETER,
        ErrorClass.WRONG_FORMAT,
        ErrorClass.UNAUTHORISED,
        ErrorClass.NOT_FOUND,
        ErrorClass.RATE_LIMITED,
    ):
        error = body.error or by_status
    elif status in (401, 403):
        # Gateways say "not subscribed" and "quota exceeded" with these statuses too.
        said = class_of_words(body.message) or by_status
        if said in (ErrorClass.NOT_SUBSCRIBED, ErrorClass.RATE_LIMITED):
            error = said
    message = body.message
    successor = _successor(parsed.value)
    if successor and successor not in message:
        message = f"{message} Its successor is {successor}".strip()
    return _failed(raw, error, message, seq)


def explanation_of(error: ErrorClass, status: int | None) -> str:
    """What a class of failures means, with which each message of one begins."""
    explanation = EXPLANATIONS[error].rstrip(".")
    if status is not None and not 200 <= status < 300:
        return f"{explanation.split(' (HTTP')[0]} (HTTP {status})"
    return explanation


def _failed(raw: RawResult, error: ErrorClass, said: str, seq: int) -> Observation:
    said = said.strip()
    explanation = explanation_of(error, raw.status)
    message = f"{explanation}: {said}" if said and said != explanation else explanation
    wait = raw.headers.get("Retry-After") or raw.headers.get("retry-after")
    if error is ErrorClass.RATE_LIMITED and wait and wait.isdigit():
        message = f"{message.rstrip('.')}. Try again after {wait} s"
    return Observation(
        ok=False, error=error, message=f"{message.rstrip('.')}.", origin=raw.origin, seq=seq
    )


def _parse(raw: RawResult) -> _Parsed:
    is_declared = "json" in raw.content_type.lower()
    text = raw.body.lstrip("\ufeff \t\r\n")
    if not text:
        return _Parsed(value=None, is_json=False, problem="")
    if not is_declared and text[0] not in "{[":
        return _Parsed(value=raw.body, is_json=False, problem="")
    try:
        value = _decode_lines(text) if is_json_lines(raw.content_type) else _DECODER.decode(text)
        problem = _TOO_DEEP if is_too_deep(value, text) else ""
    except RecursionError:
        value, problem = None, _TOO_DEEP
    except ValueError as error:
        value, problem = None, f"not valid JSON: {str(error)[:200]}"
    if problem:
        return _Parsed(value=raw.body, is_json=False, problem=problem if is_declared else "")
    if "\\ud" in text or "\\uD" in text:
        value = storable(value)
    return _Parsed(value=value, is_json=True, problem="")


_BLANKS = re.compile(r"\s*")


def _decode_lines(text: str) -> list[Any]:
    """The values of JSON lines; a value may reach over several lines."""
    values: list[Any] = []
    at = 0
    # Sequences of RFC 7464 have a record separator before each value.
    text = text.replace("\x1e", "\n").strip()
    while at < len(text):
        value, at = _DECODER.raw_decode(text, at)
        values.append(value)
        at = blanks.end() if (blanks := _BLANKS.match(text, at)) else at
    return values


def _python_literal(value: Any) -> Any:
    """What a server meant that sent Python's notation (`{'message': ...}`) instead of JSON."""
    if not isinstance(value, str) or len(value) > _LONGEST_LITERAL or value.strip()[:2] != "{'":
        return value
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return value


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


def _successor(value: Any) -> str:
    """The endpoint that a retired one names in its place, "" if none."""
    body = fields_of(value)
    named = (
        source.get(key)
        for source in (body, fields_of(body.get("error")))
        for key in ("successor", "replacement", "use_instead")
    )
    return next((name for name in named if isinstance(name, str)), "")
