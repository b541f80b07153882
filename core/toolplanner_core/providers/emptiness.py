"""Whether a reply that came well holds nothing: empty collections beside nothing but particulars.

Careful: `false` and 0 are answers, an empty list beside a fact is part of that fact, and no alerts
are good news.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

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
