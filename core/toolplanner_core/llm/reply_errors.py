"""What an endpoint says when it does not answer, by status or in a body, in whatever form.

Gateways answer 200 with an error in the body, or in the middle of a stream, and each writes it in
its own form. What counts is the status that it means: `domain/http_status.py` knows the rest.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

from toolplanner_core.domain.http_status import status_of_code, status_of_words
from toolplanner_core.words.formatting import one_line

_Fields = Mapping[str, Any]
_LONGEST_WORDS = 600
_STATUS_IN_WORDS = re.compile(
    r"(?:error code|status(?: code)?|http)\W{0,3}([45]\d\d)\b", re.IGNORECASE
)
_STATUS_IN_PAGE = re.compile(r"\b([45]\d\d)\b")
_WAIT_IN_WORDS = re.compile(
    r"(?:try again|retry|wait)[^.\d]{0,40}?((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)[a-z]*\s*)+)",
    re.IGNORECASE,
)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|h|m|s)?", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_IS_PAGE = re.compile(
    r"\s*(?:<!doctype html|<html|<head|<body|<!--|<\?xml|<h1|<center)", re.IGNORECASE
)
_WORDS_AT = ("message", "msg", "detail", "error", "errors", "error_description", "error_msg",
             "reason", "title", "description", "Message", "error_message", "errorMessage", "errmsg",
             "status_msg", "faultstring", "fault", "base_resp")  # fmt: skip
_CODES_AT = ("code", "status", "status_code", "http_status", "http_code", "statusCode", "type",
             "error_code", "errorCode", "__type", "Code")  # fmt: skip
_WAITS_AT = (("retry_after_ms", 0.001), ("retry-after-ms", 0.001), ("retryAfterMs", 0.001),
             ("retry_after", 1.0), ("retry-after", 1.0), ("Retry-After", 1.0), ("retryAfter", 1.0),
             ("retryDelay", 1.0), ("retry_delay", 1.0), ("retry_after_seconds", 1.0))  # fmt: skip
_COMPLAINTS = ("detail", "message", "msg", "error_msg", "error_description", "Message",
               "error_message", "errorMessage", "errmsg", "fault", "base_resp")  # fmt: skip
_MOST_PLACES = 200


@dataclass(slots=True, eq=False)
class EndpointError(Exception):
    """An endpoint said that it does not answer.

    Attributes:
        status: of HTTP, or the one that its body means; None where nothing says which.
        words: what it said, for people, on one line; "" = nothing.
        code: its name for the error, "" if it has none.
        retry_after_s: how long it asks to wait.
        said: all of it as text, to look for names of parameters in it.
        is_page: it was a web page: somebody else answered, such as a proxy.
    """

    status: int | None
    words: str = ""
    code: str = ""
    retry_after_s: float | None = None
    said: str = ""
    is_page: bool = False

    def __str__(self) -> str:
        """Its words after its status."""
        return f"HTTP {self.status}: {self.words}" if self.status else self.words


def error_in(body: Any) -> EndpointError | None:
    """The error that a body, or an event of a stream, of status 200 holds; None if it is none."""
    if isinstance(body, list):  # Google wraps its errors so
        found = (error_in(each) for each in cast("list[Any]", body))
        return next((error for error in found if error is not None), None)
    fields = _fields(body)
    is_error = fields.get("object") == "error" or fields.get("type") == "error"
    if is_error or fields.get("success") is False:
        return read_error(fields)
    if _says(fields.get("error")) or _says(fields.get("errors")):
        return read_error(fields)
    choices = fields.get("choices")
    first = _fields(choices[0]) if isinstance(choices, list) and choices else {}
    return read_error({"error": first["error"]}) if _says(first.get("error")) else None


def complaint_in(body: Any) -> EndpointError | None:
    """What a body says that is no reply, under a name that is not only used for errors: an error
    where nothing else comes, a remark in the middle of a stream."""
    fields = _fields(body)
    if fields.get("choices") or not any(fields.get(name) for name in _COMPLAINTS):
        return None
    return read_error(fields) if _words(fields) else None


def _says(error: Any) -> bool:
    """Whether a field for errors holds one; many replies carry it empty."""
    if isinstance(error, Mapping):
        return bool(_words(error) or _code(error) or _status_of(error, ""))
    return bool(error)


def read_error(
    body: Any, status: int | None = None, headers: Mapping[str, str] | None = None, now_s: float = 0
) -> EndpointError:
    """What a body says that is known to be an error.

    Args:
        body: JSON as it was read, or text.
        status: of HTTP, None if that was a success.
        headers: of the reply, by names in lower case.
        now_s: seconds since 1970, for a date to wait for.
    """
    if isinstance(body, str) and _IS_PAGE.match(body):
        words, code, is_page = _page_words(body), "", True
    else:
        words, code, is_page = _words(body), _code(body), False
    said = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    if status is None or 200 <= status < 300:
        status = _status_of(body, words)
        if is_page and status is None and (written := _STATUS_IN_PAGE.search(words)):
            status = int(written[1])
    return EndpointError(
        status,
        one_line(words, _LONGEST_WORDS),
        code,
        _wait_s(body, words, headers or {}, now_s),
        said,
        is_page,
    )


def is_page(text: str) -> bool:
    """Whether a text is a web page or XML, not a reply of an API."""
    return _IS_PAGE.match(text) is not None


def _page_words(page: str) -> str:
    title = _TITLE.search(page)
    words = _TAG.sub(" ", title[2] if title else page)
    return f"a web page: {' '.join(words.split())[:200]}".rstrip(": ")


def _words(body: Any, depth: int = 0) -> str:
    """What an error says, wherever it stands in it; JSON inside a text is read, too."""
    if not body or depth > 6:
        return ""
    if isinstance(body, str):
        inner = _inner(body)
        return (_words(inner, depth + 1) if inner is not None else "") or body.strip()
    if isinstance(body, list | tuple):
        found = [_words(each, depth + 1) for each in cast("Sequence[Any]", body)[:5]]
        return "; ".join(dict.fromkeys(filter(None, found)))
    fields = _fields(body)
    inner = _fields(fields.get("error"))
    raw = _words(_fields(inner.get("metadata") or fields.get("metadata")).get("raw"), depth + 1)
    places = ("error", *_WORDS_AT) if isinstance(fields.get("error"), Mapping) else _WORDS_AT
    words = next((found for name in places if (found := _words(fields.get(name), depth + 1))), "")
    where = fields.get("loc") or fields.get("param")
    at = ".".join(map(str, cast("list[Any]", where))) if isinstance(where, list) else where
    if words and isinstance(at, str) and at and at not in words:
        words = f"{at}: {words}"
    return f"{words}: {raw}" if raw and raw not in words else words


def _inner(text: str) -> Any:
    """JSON that stands in a text, perhaps after a word of who passes it on."""
    begin = text.find("{")
    if begin < 0 or not text.rstrip().endswith(("}", "]", "'", '"')):
        return None
    with suppress(ValueError, RecursionError):
        found, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
        return found if isinstance(found, dict) and _words(found, 3) else None
    return None


def _places(body: Any) -> Iterator[_Fields]:
    """All objects of an error, the inner ones after the outer ones."""
    waiting: list[Any] = [body]
    for _ in range(_MOST_PLACES):
        if not waiting:
            return
        each = waiting.pop(0)
        if isinstance(each, str):
            each = _inner(each)
        if isinstance(each, Mapping):
            fields = cast("_Fields", each)
            yield fields
            waiting += fields.values()
        elif isinstance(each, list):
            waiting += cast("list[Any]", each)


def _code(body: Any) -> str:
    for fields in _places(body):
        for name in ("code", "type", "status"):
            value = fields.get(name)
            if isinstance(value, str) and value not in ("error", "") and not value.isdigit():
                return value
    return ""


def _status_of(body: Any, words: str) -> int | None:
    named: int | None = None
    for fields in _places(body):
        for name in _CODES_AT:
            value = fields.get(name)
            text = str(value).strip() if isinstance(value, str | int | float) else ""
            if re.fullmatch(r"[45]\d\d(\.0)?", text):
                return int(float(text))
            named = named or status_of_code(text)
    if named is not None:
        return named
    if written := _STATUS_IN_WORDS.search(words):
        return int(written[1])
    return status_of_words(words)


def _wait_s(body: Any, words: str, headers: Mapping[str, str], now_s: float) -> float | None:
    wait = _seconds(headers.get("retry-after-ms"), 0.001)
    if wait is None and (named := headers.get("retry-after")):
        wait = _seconds(named)
        if wait is None:
            now_s = _date_s(headers.get("date", "")) or now_s
            at_s = _date_s(named)
            wait = None if at_s is None else max(at_s - now_s, 0.0)
    if wait is not None:
        return wait
    for fields in _places(body):
        for name, unit in _WAITS_AT:
            if (wait := _seconds(fields.get(name), unit)) is not None:
                return wait
    written = _WAIT_IN_WORDS.search(words)
    return _seconds(written[1]) if written else None


def _date_s(text: str) -> float | None:
    with suppress(ValueError, OverflowError, TypeError):
        return parsedate_to_datetime(text).timestamp()
    return None


def _seconds(value: Any, unit: float = 1.0) -> float | None:
    """Seconds of a number, or of a text such as "13s", "1m30.5s" or "250ms"."""
    if isinstance(value, Mapping):  # google.protobuf.Duration
        value = cast("_Fields", value).get("seconds")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int | float):
        return value * unit if 0 <= value < 1e9 else None
    text = value.strip()
    parts = _DURATION.findall(text)
    if not parts or not re.fullmatch(r"(?:\d+(?:\.\d+)?\s*[a-z]*\s*)+", text, re.IGNORECASE):
        return None
    if len(parts) == 1 and not parts[0][1]:
        return _seconds(float(parts[0][0]), unit)
    return _seconds(sum(float(number) * _SECONDS[of.lower()] for number, of in parts))


def _fields(value: Any) -> _Fields:
    return cast("_Fields", value) if isinstance(value, Mapping) else {}
