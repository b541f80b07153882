"""What the body of a reply says: whether it holds nothing, and whether it reports a failure.

Careful: `false` and 0 are answers, an empty list beside a fact is part of that fact, and no alerts
are good news.

Public APIs report failures in a few dozen shapes, many of them with status 200. A body is an error
only when it has the *form* of one: fields that speak of a failure and no payload beside them, never
because the word "error" or the number 500 occurs in it (strategies.md, section 0).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.providers.error_classes import (
    ERROR_STATES,
    class_of_code,
    class_of_words,
    http_code,
    is_failing_token,
    opens_as_failure,
    says_failure,
)

RESULTS = {
    "results", "result", "data", "items", "list", "hits", "records", "rows", "entries", "features",
    "matches", "content", "docs", "documents", "values", "objects", "response", "elements",
}  # fmt: skip
"""Keys, without marks and in small letters, under which what was asked for stands."""
_PARTICULAR = re.compile(
    r"^(?:status(?:code|text|message)?|success|ok|code|message|msg|errors?|iserror|haserrors?|type"
    r"|took|time|timestamp|meta(?:data)?|info|requestid|requesttype|version|apiversion|keyword"
    r"|notice|q|query|search|term|userinput|params|parameters|request|input|filters?|sort|order|page"
    r"|pages|perpage|limit|offset|next|previous|cursor|nextcursor|continuation(?:token)?|number"
    r"|from|to|start|end|startdate|enddate|since|until|lang|language|locale|format|warnings?"
    r"|links?|paging|pagination|hasmore|hasnext|model|usage|credits|copyright|attribution|size"
    r"|numresults)$"
)
"""What stands beside results: how it went, which page it is, what was asked for."""
_ASIDE = {
    "status", "meta", "metadata", "userinput", "params", "parameters", "request", "input", "query",
    "filter", "filters", "sort", "links", "link", "paging", "pagination", "usage", "model", "info",
    "search", "page", "cursor",
}  # fmt: skip
"""Of these, what may be an object."""
_COUNT = re.compile(r"count|total|rows|size|length|found|num|amount|page|per|limit|offset|matching")
_PAGING = re.compile(r"^\w*(?:page|limit|offset|cursor)\w*$|^(?:max|batch)?size$")
_HOW_IT_WENT = re.compile(
    r"ok|success|succeed|true|complete|done|fail|error|zero|no[ _]|empty|found|fetched|200",
    re.IGNORECASE,
)
_NO_LETTER = re.compile(r"[^a-z]")
_UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f-]{27}$", re.IGNORECASE)
_GOOD_NEWS = re.compile(
    r"alert|warning|error|issue|violation|conflict|problem|outage|delay|incident|recall|breach"
    r"|threat|vulnerab|restrict|strike|sanction|blacklist|malware|hazard|disruption|penalt"
)
"""That there are none of them is an answer."""


def is_empty(value: Any) -> bool:
    """Whether a payload holds nothing."""
    if isinstance(value, str):
        return not value.strip() or value.strip() in ("b''", 'b""', "null", "None")
    if value is None or value in ([], {}):
        return True
    if isinstance(value, list):
        return all(item is None or item in ([], {}, "") for item in cast(list[Any], value))
    if not isinstance(value, Mapping):
        return False
    body = {plain_key(key): item for key, item in cast(Mapping[str, Any], value).items()}
    nothings = [key for key, item in body.items() if _is_nothing(key, item)]
    return (
        bool(nothings)
        and all(key in nothings or _is_beside(key, body[key]) for key in body)
        and _are_telling(nothings, body)
    )


@lru_cache(2_048)
def plain_key(key: str) -> str:
    """A key in small letters without marks: `Total_Count` is `totalcount`."""
    return _NO_LETTER.sub("", key.lower()) or key


def _is_nothing(key: str, item: Any) -> bool:
    is_nothing = item is None or item == "" or (isinstance(item, list | Mapping) and is_empty(item))
    return is_nothing and not _PARTICULAR.match(key)


def _is_beside(key: str, item: Any) -> bool:
    if key == "status" and isinstance(item, str):  # {"status": "UP", "checks": []} is an answer
        return bool(_HOW_IT_WENT.search(item))
    if key == "id":
        return isinstance(item, str) and bool(_UUID.match(item))
    if _PARTICULAR.match(key):
        is_small = not isinstance(item, list | Mapping) or is_empty(item)
        return is_small or (key in _ASIDE and isinstance(item, Mapping))
    if _PAGING.match(key) and not isinstance(item, list | Mapping):
        return True
    if key == "response":  # {"response": "success", "domains": []}
        return isinstance(item, str)
    return _is_zero(item) and bool(_COUNT.search(key))


def _is_zero(item: Any) -> bool:
    return item == "0" or (isinstance(item, int) and not isinstance(item, bool) and item <= 0)


def _are_telling(nothings: list[str], body: Mapping[str, Any]) -> bool:
    """Whether what is not there is what was asked for."""
    if any(key in RESULTS for key in nothings):
        return True
    collections = [key for key in nothings if isinstance(body[key], list | Mapping)]
    if not collections:  # {"broadcast": null, "reel": null}, but not {"winner": null}
        return len(nothings) > 1
    counts_nothing = any(_COUNT.search(key) and _is_zero(item) for key, item in body.items())
    return counts_nothing or not all(_GOOD_NEWS.search(key) for key in collections)


_SAYS = re.compile(
    r"^(?:\w*(?:message|messages|msg|mesg|messsage|messgae)|errors?|err|erreur|error(?:text|info)"
    r"|\w*errordescription|faultstring|exception|details?|reason|notice|warn|description|info"
    r"|title|status(?:text|txt|string)|codestring)$"
)
"""Fields of messages, as plain keys."""
_SAYS_IT_ALONE = re.compile(
    r"^(?:\w*(?:message|messages|msg|mesg|messsage|messgae)|errors?|err|details?|notice|warn|info"
    r"|description|status|success|response|code)$"
)
"""Those that may stand alone: a message that is nothing but the news of a failure."""
_BLAMES = {
    "error", "errors", "err", "erreur", "errormessage", "errormsg", "errordescription",
    "errorinfo", "fault", "exception", "responseerrors",
}  # fmt: skip
_CODES = {
    "code", "errorcode", "statuscode", "cod", "status", "type", "kind", "name", "responsecode",
    "retcode", "errno", "responsetype", "outcome", "resultcode", "exctype", "result", "id",
}  # fmt: skip
_NEGATIVE_CODES = {"code", "errorcode", "retcode"}
_STATES = {
    "status", "success", "succes", "successful", "ok", "response", "result", "state", "severity",
    "requestsuccessful", "hassucceeded",
}  # fmt: skip
_FLAGS = {"iserror", "haserror", "haserrors"}
_TELLING = _BLAMES | _CODES | _NEGATIVE_CODES | _STATES | _FLAGS
"""Fields by which an object says that it is a failure, besides messages."""
_DATA = ("data", "result", "results", "response", "payload", "content", "body", "text")
"""Where a payload stands, or the message of a reply that has failed."""
_ERROR_ASIDE = re.compile(
    r"^(?:timestamp|time\w*|date(?:time)?|path|url|uri|method|\w*requestid|\w*traceid|docs?|help"
    r"|documentation\w*|instance|version|field|param|parameter|argument|property|retryafter|hint"
    r"|successor|replacement|processe\w*|elapsed\w*|query|params|parameters|userinput|input|request"
    r"|requestinfo|original|\w*page|\w*pages|\w*count|total\w*|limit|offset|tools|constraints|options"
    r"|supported\w*|platforms|actions|meta|more|etype|stack|trace|context|model|service|ratelimit"
    r"|requirelogin|loc)$"
)
"""What stands beside a message without being a payload."""
_FIELD_KEYS = ("field", "param", "parameter", "argument", "property")
_MOST_FACTS = 4
_PAGE = re.compile(r"^<(?:!doctype html|html)\b", re.IGNORECASE)
_HEADING = re.compile(r"<(title|h1)\b[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_ERROR_ROOT = re.compile(
    r"^(?:<\?xml[^>]*>\s*)?<(?:\w+:)?(?:errors?|fault|exception)\b[^>]*>(.*)",
    re.IGNORECASE | re.DOTALL,
)


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
    if len(body) == 1 and _says_of_failure(inner := fields_of(_only(body))):
        body = inner
    plain = _plain(body)
    for key in ("error", "errors", "detail", "err", "fault", "message", "data", "status"):
        if inner := fields_of(_first(plain.get(key))):
            return _read_fields(_plain(inner), fallback=plain)
    return _read_fields(plain, fallback={})


def fields_of(value: Any) -> Mapping[str, Any]:
    """An object's fields; none of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def find_error_envelope(value: Any) -> ErrorBody | None:
    """The error that a reply of status 2xx reports in its body, None when it reports none.

    An object does so by a code of 400 to 599 or below zero, a state (`"success": false`), an error
    field or an error code in one word, each with a message and without a payload; or by a message
    alone that reads as the news of a failure. A bare text or the heading of a page does by how it
    begins.
    """
    value = _first(value)
    if isinstance(value, str):
        text = _text_of_page(value)
        if not opens_as_failure(text):
            return None
        return ErrorBody(error=class_of_words(text) or ErrorClass.SERVER_ERROR, message=text[:300])
    body = fields_of(value)
    if not body or not (_says_of_failure(body) or _says_of_failure(fields_of(_only(body)))):
        return None
    found = read_error_body(body)
    return ErrorBody(error=found.error or ErrorClass.SERVER_ERROR, message=found.message)


def _says_of_failure(body: Mapping[str, Any]) -> bool:
    """Whether an object is the news of a failure and nothing else."""
    plain = _plain(body)
    if not _may_speak(plain):
        return False
    denies = any(_denies(plain.get(key), of=key) for key in _STATES) or any(
        plain.get(key) is True for key in _FLAGS
    )
    is_coded = any(http_code(plain.get(key)) for key in _CODES) or any(
        _is_negative(plain.get(key)) for key in _NEGATIVE_CODES
    )
    blame = next((_deep_text(plain[key]) for key in plain if key in _BLAMES and plain[key]), "")
    is_named = any(is_failing_token(plain.get(key)) for key in _CODES)
    is_strong = denies or is_coded or bool(blame) or is_named
    facts = _facts_of(plain, may_say=is_strong)
    if facts is None or len(facts) > _MOST_FACTS:
        return False
    message = _message_of(plain, also_data=is_strong)
    if is_strong and (message or blame):
        return not facts or says_failure(message or blame)
    if is_named or (denies and {"code", "data", "message"} & plain.keys()):
        return not facts and len(plain) <= 3
    if "data" in plain and message and not facts and _is_plain_news(message):
        return True
    if not all(_SAYS_IT_ALONE.match(key) for key in plain if plain[key] == message):
        return False
    affirms = any(plain.get(key) is True for key in _STATES)
    return says_failure(message) and len(facts) <= (0 if affirms else 1)


def _may_speak(plain: Mapping[str, Any]) -> bool:
    """Whether anything in an object could be the news of a failure: a quick look. A no is certain,
    since then there is neither a sign of a failure nor a message."""
    return any(_is_telling(key) or _lone_text(value) for key, value in plain.items())


@lru_cache(2_048)
def _is_telling(key: str) -> bool:
    return key in _TELLING or _SAYS.match(key) is not None


def _is_plain_news(message: str) -> bool:
    return says_failure(message) or class_of_words(message) is not None


def _facts_of(plain: Mapping[str, Any], *, may_say: bool) -> list[str] | None:
    """Keys of small values that belong to no failure; None if there is a payload."""
    facts: list[str] = []
    for key, value in plain.items():
        if _lone_text(value):
            continue
        if key in _DATA:
            if isinstance(value, str) or is_empty(value) or http_code(value) or not value:
                continue
            if may_say and isinstance(value, Mapping) and _deep_text(value):
                continue
            if isinstance(value, int) and not isinstance(value, bool):
                continue
            return None
        if (
            _SAYS.match(key)
            or _ERROR_ASIDE.match(key)
            or key in _CODES | _STATES | _FLAGS | _BLAMES
        ):
            continue
        if value is None or value is False or value in (0, "", [], {}) or is_empty(value):
            continue
        if isinstance(value, list | Mapping):
            return None
        facts.append(key)
    return facts


def _message_of(plain: Mapping[str, Any], *, also_data: bool) -> str:
    """The words of a reply about itself, "" if none."""
    said = [_deep_text(value) for key, value in plain.items() if _SAYS.match(key)]
    sentences = [
        value
        for key, value in plain.items()
        if key in _STATES | {"code"} and isinstance(value, str) and " " in value.strip()
    ]
    data = [_deep_text(plain[key]) for key in _DATA if also_data and key in plain]
    lone = [_lone_text(value) for value in plain.values()]
    return next((text for text in (*said, *sentences, *data, *lone) if text), "")


def _lone_text(value: Any) -> str:
    """The news of a failure in place of rows: `{"rankings": [{"Text": "No data available"}]}`."""
    if not isinstance(value, list):
        return ""
    text = _only(fields_of(_first(value)))
    return text.strip() if isinstance(text, str) and opens_as_failure(text) else ""


def _deep_text(value: Any) -> str:
    """A text, or that of the message fields in what lies within."""
    while isinstance(value, list) and value:
        value = cast(list[Any], value)[0]
    if isinstance(value, str):
        return value.strip()
    inner = _plain(fields_of(value))
    if len(inner) == 1 and isinstance(said := _only(inner), str):  # {"city": "Invalid value"}
        [name] = fields_of(value)
        return said.strip() if _SAYS.match(plain_key(name)) else f"{name}: {said.strip()}"
    for key, item in inner.items():
        if (_SAYS.match(key) or key in ("text", "code", "type")) and isinstance(item, str) and item:
            return item.strip()
    return ""


def _denies(value: Any, *, of: str) -> bool:
    """Whether a state says no; `{"result": false}` is an answer."""
    if isinstance(value, str):
        value = False if value.strip().lower() == "false" else value.strip().lower()
    return value in ERROR_STATES if isinstance(value, str) else value is False and of != "result"


def _is_negative(value: Any) -> bool:
    return isinstance(value, int) and value < 0


def _text_of_page(text: str) -> str:
    """The heading of a page, what an XML error holds, or the text as it is."""
    stripped = text.lstrip()
    if _PAGE.match(stripped):
        headings = [
            re.sub(r"<[^>]*>", " ", found[1]) for found in _HEADING.findall(stripped[:20_000])
        ]
        return next((" ".join(each.split()) for each in headings if opens_as_failure(each)), "")
    if root := _ERROR_ROOT.match(stripped[:2_000]):
        return "Error: " + " ".join(re.sub(r"<[^>]*>", " ", root[1]).split())
    return " ".join(text.split()) if len(text) <= 400 else ""


def _read_fields(fields: Mapping[str, Any], *, fallback: Mapping[str, Any]) -> ErrorBody:
    message = _message_of(fields, also_data=True) or _message_of(fallback, also_data=True)
    if not message and len(fields) == 1 and not fallback.get("error"):  # {"city": "Invalid value"}
        [(name, said)] = fields.items()
        message = f"{name}: {said}" if isinstance(said, str) else ""
    codes = [source.get(key) for source in (fields, fallback) for key in sorted(_CODES)]
    error = next(filter(None, map(class_of_code, codes)), None)
    if error is None or error in (ErrorClass.INVALID_PARAMETER, ErrorClass.SERVER_ERROR):
        # "400" and "validation_error" say less than "q is required".
        said = class_of_words(message)
        is_ours = error is ErrorClass.INVALID_PARAMETER and said is ErrorClass.SERVER_ERROR
        error = error if is_ours else said or error
    place = next((str(fields[key]) for key in _FIELD_KEYS if fields.get(key)), "")
    loc = fields.get("loc")
    if isinstance(loc, list) and loc:
        place = str(cast(list[Any], loc)[-1])
    if place and place not in message:
        message = f"{place}: {message}" if message else place
    return ErrorBody(error=error, message=" ".join(message.split())[:300])


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    return {plain_key(key): value for key, value in body.items()}


def _only(body: Mapping[str, Any]) -> Any:
    """The one value of an object that has one: what it is wrapped in says nothing."""
    return next(iter(body.values())) if len(body) == 1 else None


def _first(value: Any) -> Any:
    while isinstance(value, list) and len(cast(list[Any], value)) == 1:
        value = cast(list[Any], value)[0]
    return value
