"""What of a reply is about the days that a text asks for.

A forecast of a week that was asked for Monday is an answer about Monday: what it says of Sunday is
none. Called by `llm/offline/planner.py` before a reply is judged and put into words.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, cast

from toolplanner_core.words.dates import DateSpan, find_dates

_DAY = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"
    r"|(?P<first>\d{1,2})[/.](?P<second>\d{1,2})[/.](?P<year>\d{4}))(?!\d)"
)
_LONG, _DEPTH = 2_000, 6


def of_asked_days(value: Any, text: str, now: datetime | None) -> Any:
    """A reply whose lists of dated things hold those of the asked days only; as it is where none of
    a list is of them, or the text names no day."""
    spans = find_dates(text, now) if now else []
    return _kept(value, spans, _DEPTH) if spans else value


def _kept(value: Any, spans: Sequence[DateSpan], depth: int) -> Any:
    if isinstance(value, dict) and depth:
        return {k: _kept(v, spans, depth - 1) for k, v in cast(dict[Any, Any], value).items()}
    if not isinstance(value, list) or not depth:
        return value
    items = cast(list[Any], value)
    days = [_days(item) for item in items]
    kept = [item for item, own in zip(items, days, strict=True) if _is_within(own, spans)]
    if kept and all(days):
        return kept
    return [_kept(item, spans, depth - 1) for item in items]


def _is_within(days: Sequence[date], spans: Sequence[DateSpan]) -> bool:
    return any(span.first <= day <= span.last for day in days for span in spans)


def _days(item: Any) -> list[date]:
    """The day that a thing names first; with slashes or dots, read in both orders."""
    match = _DAY.search(str(item)[:_LONG]) if isinstance(item, dict) else None
    if match is None:
        return []
    if match["y"]:
        orders = [(match["y"], match["m"], match["d"])]
    else:
        first, second = match["first"], match["second"]
        orders = [(match["year"], second, first), (match["year"], first, second)]
    return [found for order in orders if (found := _date(*map(int, order)))]


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
