"""What the body of a failed reply says: known error fields, codes and phrases.

Public APIs report failures in a few dozen shapes, many of them with status 200. This file knows
those shapes and nothing else: a body is an error only when it has the *form* of one, never because
the word "error" or the number 500 occurs in it (strategies.md, section 0). Called by
`classify.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.failure import ErrorClass

_ERROR_STATES = {"error", "fail", "failed", "failure", "err"}
_MESSAGE_KEYS = ("message", "msg", "error_message", "errorMessage", "error_description", "detail",
                 "reason", "description", "info", "title", "Message", "Error",
                 "faultstring")  # fmt: skip
_CODE_KEYS = ("code", "error_code", "errorCode", "statusCode", "status_code", "cod", "status",
              "type", "kind", "name")  # fmt: skip
_ENVELOPE_KEYS = {
    *_MESSAGE_KEYS, *_CODE_KEYS, "error", "errors", "success", "ok", "response", "Response",
    "timestamp", "path", "request_id", "requestId", "trace_id", "data", "result", "results",
    "documentation_url", "docs", "help", "instance", "field", "param", "parameter", "successor",
    "fault", "Fault", "retry_after", "hint", "version",
}  # fmt: skip
_SHORT = 300
"""Characters of a text that can be nothing but an error message."""
_FIELD_KEYS = ("field", "param", "parameter", "argument", "property")

_STATUSES = {
    **dict.fromkeys((401, 403, 407, 451), ErrorClass.UNAUTHORISED),
    **dict.fromkeys((404, 405, 410), ErrorClass.NOT_FOUND),
    402: ErrorClass.NOT_SUBSCRIBED,
    408: ErrorClass.TIMEOUT,
    415: ErrorClass.WRONG_FORMAT,
    429: ErrorClass.RATE_LIMITED,
}
_PHRASES: tuple[tuple[ErrorClass, re.Pattern[str]], ...] = tuple(
    (error, re.compile(pattern, re.IGNORECASE))
    for error, pattern in (
        (ErrorClass.NOT_SUBSCRIBED,
         r"not[ _-]subscribed|no active subscription|subscri\w+ (?:has )?(?:expired|required)"
         r"|upgrade your (?:plan|subscription)|(?:plan|subscription) does not (?:include|allow)"
         r"|disabled for your subscription|payment[ _]required"),
        (ErrorClass.RATE_LIMITED,
         r"rate[ _-]?limit|too[ _]many[ _]requests|quota|exceeded .{0,40}\b(?:limit|requests)\b"
         r"|limit (?:has been )?(?:reached|exceeded)|throttl"),
        (ErrorClass.UNAUTHORISED,
         r"api[ _-]?key|access[ _-]?key|app[ _-]?id\b.*invalid|unauthori[sz]ed|not authori[sz]ed"
         r"|authenticat|forbidden|access denied|(?:invalid|missing|expired)[ _](?:token|credential)"
         r"|permission[ _]denied|\b(?:token|password|passcode|verification code|credentials?)"
         r" (?:is|are|was|were) (?:invalid|incorrect|wrong)|account is private"),
        (ErrorClass.TIMEOUT, r"timed?[ _-]?out\b"),
        (ErrorClass.MISSING_PARAMETER,
         r"\bmissing|is required|are required|field required"
         r"|required (?:field|param|query|argument)"
         r"|must be (?:provided|supplied|specified)"
         r"|(?:cannot|can ?not|can't|should not|must not|may not) be (?:blank|empty|null)"
         r"|\b(?:name|value|code|id|key|email|parameters?|field|argument|text|query|url)"
         r" (?:is|are) (?:empty|blank|null)\b|please (?:provide|enter|specify|supply)\b"
         r"|value_error\.missing"),
        (ErrorClass.NOT_FOUND,
         r"not[ _]found|does(?:n't| not) exists?|does(?:n't| not) have an?\b|no such"
         r"|could ?(?:n't| not) (?:be )?(?:find|found)|unable to find|\byou have no\b"
         r"|\bno [\w -]{1,40}\b(?:found|match)|^no (?:data|valid|results?|entry|entries|records?)\b"
         r"|returned no|not in the (?:database|list)|not maintained|n[ãa]o encontrad"
         r"|no longer available"
         r"|no such|unknown (?:endpoint|route|path)|no longer"
         r"|deprecated|has been (?:removed|retired|shut down)|\bgone\b|discontinued"),
        (ErrorClass.WRONG_FORMAT,
         r"(?:wrong|invalid|bad|unsupported)[ _](?:\w+ )?(?:format|type|syntax|json|content)\b"
         r"|is not an? (?:boolean|number|integer|string|date|array|list|object)\b"
         r"|\biso format"
         r"|(?:should|must) be a valid (?:uuid|date|time|number|email|url|json)"
         r"|must be (?:in the |an? )?"
         r"(?:form|format|integer|number|string|boolean|date|iso|array|list|object)"
         r"|expected (?:format|type)|format[ _]|type_error"
         r"|not a valid (?:\w+ )?(?:number|integer|float|date|time|uuid|e-?mail|url|json|format)\b"
         r"|could not (?:be )?parse"
         r"|malformed|cannot parse"),
        (ErrorClass.INVALID_PARAMETER,
         r"invalid|out of range|not allowed|unsupported|illegal|bad[ _]request|must be|unknown"
         r"|incorrect|is wrong|already (?:exist|been|in use|taken|registered)|duplicat|has expired"
         r"|not a valid|do(?:es)?(?:n't|nt| not) own|could not be validated"
         r"|cannot be (?:later|earlier)"
         r"|should (?:be|have|contain)\b|is only\b|no modification|is not changed|you need to\b"
         r"|unrecogni[sz]ed|validation|not supported|expected"),
        (ErrorClass.SERVER_ERROR,
         r"internal|server (?:error|problem)|exception|cannot read propert|crashed"
         r"|unavailable|unexpected (?:error|condition)|bad gateway"
         r"|maintenance|overload"),
    )
)  # fmt: skip
"""Tried in this order: the more telling first ("missing API key" is a key problem)."""

_GATEWAY_MESSAGES = re.compile(
    r"^(?:you are not subscribed to this api\.?"
    r"|invalid api key\. go to https?://\S+ for more info\.?"
    r"|you have exceeded the .{1,40} quota for .{1,80}"
    r"|too many requests\.?"
    r"|endpoint '?\S+'? does not exist\.?"
    r"|api doesn't exists?\.?"
    r"|blocked user\. please contact your api provider\.?"
    r"|service unavailable\.?"
    r"|(?:missing|invalid) authentication token\.?"
    r"|unauthorized\.?|forbidden\.?|not found\.?|internal server error\.?"
    r"|endpoint request timed out\.?"
    r"|(?:http )?(?:50[0234]|429)(?: ?[-:] ?| )(?:(?:internal )?server error|bad gateway"
    r"|service (?:temporarily )?unavailable|gateway time-?out|too many requests|error)\.?$"
    r"|service (?:is )?(?:no longer|not|temporarily un) ?available\.?$"
    r"|an api key is required .{1,100}$)",
    re.IGNORECASE,
)
"""What API gateways say in a body of nothing but `{"message": ...}`; RapidAPI's come first."""
_NOTHING_FOUND = re.compile(
    r"^(?:the )?[\w ]{0,40}\bnot found\b.{0,40}$|^no [\w ]{1,40}\bfound\b.{0,80}$"
    r"|^no (?:data|results?|records?) .{1,80}$|^no valid (?:entry|record|result) .{1,60}$"
    r"|^could(?:n't| not) find .{1,80}$|^(?:the )?[\w ]{1,40}\bhas expired!?$"
    r"|^[\w ]{1,20}\breturned no (?:data|results?)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A text that is nothing but the news that there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """What a body says about its failure.

    Attributes:
        error: its class as far as the body tells, None when it only has a message.
        message: the vendor's words, "" if none.
    """

    error: ErrorClass | None
    message: str


def read_error_body(value: Any) -> ErrorBody:
    """Message and class from the body of a reply that is known to have failed."""
    value = _first(value)
    if isinstance(value, str):
        text = "" if value.lstrip().startswith("<") else " ".join(value.split())[:300]
        return ErrorBody(error=class_of_words(text), message=text)
    body = fields_of(value)
    for key in ("error", "errors", "detail", "err", "fault", "Fault", "message"):
        if inner := fields_of(_first(body.get(key))):
            return _read_fields(inner, fallback=body)
    return _read_fields(body, fallback={})


def fields_of(value: Any) -> Mapping[str, Any]:
    """An object's fields; none of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def find_error_envelope(value: Any) -> ErrorBody | None:
    """The error that a reply of status 2xx reports in its body, None when it reports none.

    Recognised: `{"status": "error", "message": ...}`, `{"success": false, "message": ...}`,
    `{"error": {"code" or "message": ...}}`, `{"error": "text"}` with nothing beside it,
    `{"errors": [...]}` without data, `{"code": 404, "message": ...}` with nothing beside it, and a
    lone `{"message": ...}` in the words of an API gateway, or that nothing was found; and a bare
    text of such words.
    """
    if isinstance(value, str):
        text = " ".join(value.split())[:300]
        says_it = len(value) < _SHORT and _is_bare_failure(text)
        error = class_of_words(text) or ErrorClass.SERVER_ERROR
        return ErrorBody(error=error, message=text) if says_it else None
    body = fields_of(value)
    if not body or not _is_envelope(body):
        return None
    found = read_error_body(body)
    return ErrorBody(error=found.error or ErrorClass.SERVER_ERROR, message=found.message)


def class_of_status(status: int) -> ErrorClass | None:
    """The class an HTTP status alone stands for, None for 1xx to 3xx."""
    if status in _STATUSES or status < 400:
        return _STATUSES.get(status)
    return ErrorClass.INVALID_PARAMETER if status < 500 else ErrorClass.SERVER_ERROR


def class_of_words(text: str) -> ErrorClass | None:
    """The class that an error code or message is known to stand for."""
    for error, pattern in _PHRASES:
        if pattern.search(text[:500]):
            return error
    return None


def _is_envelope(body: Mapping[str, Any]) -> bool:
    if any(key not in _ENVELOPE_KEYS for key in body):
        return False
    if any(body.get(key) for key in ("data", "result", "results")):
        return False
    error, errors, state = body.get("error"), body.get("errors"), body.get("status")
    if any(fields_of(body.get(key)) and len(body) == 1 for key in ("fault", "Fault")):
        return True
    if isinstance(error, Mapping):
        fields = fields_of(error)
        told = (fields.get(key) for key in (*_MESSAGE_KEYS, *_CODE_KEYS))
        return any(isinstance(value, str | int) and value for value in told)
    message = _first_text(body, _MESSAGE_KEYS)
    if (isinstance(error, str) and error.strip()) or (error is True and message):
        return True
    if errors and isinstance(errors, list | Mapping | str):
        return True
    says_no = any(str(body.get(key)).lower() == "false" for key in ("success", "ok", "Response"))
    says_no |= state is False or (isinstance(state, str) and state.lower() in _ERROR_STATES)
    told = message or body.get("message")
    if says_no and (told or "code" in body or "data" in body):
        return True
    has_code = any(_http_code(body.get(key)) for key in _CODE_KEYS)
    if "data" in body and message and class_of_words(message):
        return True
    is_bare = len(body) <= 2 and _is_bare_failure(message or str(body.get("Response") or ""))
    return is_bare or bool(message and has_code)


def _is_bare_failure(text: str) -> bool:
    """Whether a text is the news of a failure and nothing else."""
    return bool(_GATEWAY_MESSAGES.match(text) or _NOTHING_FOUND.match(text))


def _read_fields(fields: Mapping[str, Any], *, fallback: Mapping[str, Any]) -> ErrorBody:
    message = _first_text(fields, _MESSAGE_KEYS) or _first_text(fallback, _MESSAGE_KEYS)
    inner = [_first(fields.get(key)) for key in ("error", "errors")]
    message = message or next((text for text in inner if text and isinstance(text, str)), "")
    if not message and len(fields) == 1 and not fallback.get("error"):  # {"city": "Invalid value"}
        [(name, said)] = fields.items()
        message = f"{name}: {said}" if isinstance(said, str) else ""
    message = message or _first_text(fields, ("Response",))
    codes = [source.get(key) for source in (fields, fallback) for key in _CODE_KEYS]
    error = next(filter(None, map(_class_of_code, codes)), None)
    if error is None or error is ErrorClass.INVALID_PARAMETER:
        # "400" and "validation_error" say less than "q is required".
        error = class_of_words(message) or error
    place = next((str(fields[key]) for key in _FIELD_KEYS if fields.get(key)), "")
    loc = fields.get("loc")
    if isinstance(loc, list) and loc:
        place = str(cast(list[Any], loc)[-1])
    if place and place not in message:
        message = f"{place}: {message}" if message else place
    return ErrorBody(error=error, message=" ".join(message.split())[:300])


def _class_of_code(code: Any) -> ErrorClass | None:
    if number := _http_code(code):
        return class_of_status(number)
    if isinstance(code, str) and code.lower() not in _ERROR_STATES:
        return class_of_words(code.replace("-", "_"))
    return None


def _first(value: Any) -> Any:
    while isinstance(value, list) and value:
        value = cast(list[Any], value)[0]
    return value


def _first_text(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        text = fields.get(key)
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def _http_code(value: Any) -> int | None:
    """`value` as an HTTP status of a failure, as number or as digits."""
    number: Any = value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3:
        number = int(value)
    if isinstance(number, int) and not isinstance(number, bool) and 400 <= number <= 599:
        return number
    return None
