"""Values of a reply as the query and the documentation mean them.

A reply that lists more days than were asked for is cut to those; temperatures without a scale get
the one that the documentation names. An empty list of what was asked for without any condition says
that there are none, which is an answer.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

from toolplanner_core.words.dates import DateSpan, find_dates
from toolplanner_core.words.word_splitting import split_words

_DAY = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"
    r"|(?P<first>\d{1,2})[/.](?P<second>\d{1,2})[/.](?P<year>\d{4}))(?!\d)"
)
_LONG, _DEPTH = 2_000, 6
_PAGING = re.compile(
    r"(?i)^(?:(?:per_?)?page(?:_?size|_?number)?|limit|offset|cursor|(?:max_?)?size)$"
)
_LISTS = {"results", "result", "data", "items", "list", "records", "entries", "values", "objects"}


def has_no_condition(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments name nothing that what comes back must match: at most pages of it."""
    return all(_PAGING.match(name) for name in arguments)


def lists_nothing(value: Any) -> bool:
    """Whether a reply is an empty list, bare or under a usual key such as "items"."""
    if isinstance(value, Mapping):
        fields = cast(Mapping[Any, Any], value)
        lists = [inner for inner in fields.values() if isinstance(inner, list)]
        named = [inner for key, inner in fields.items() if str(key).lower() in _LISTS]
        return lists == [[]] and named == [[]]
    return value == []


def filter_by_dates(value: Any, text: str, now: datetime | None) -> Any:
    """A reply whose lists of dated things hold those of the asked days only; as it is where none of
    a list is of them, or the text names no day."""
    spans = find_dates(text, now) if now else []
    return _matching_days(value, spans, _DEPTH) if spans else value


def _matching_days(value: Any, spans: Sequence[DateSpan], depth: int) -> Any:
    if isinstance(value, dict) and depth:
        return {
            k: _matching_days(v, spans, depth - 1) for k, v in cast(dict[Any, Any], value).items()
        }
    if not isinstance(value, list) or not depth:
        return value
    items = cast(list[Any], value)
    days = [_days(item) for item in items]
    kept = [item for item, own in zip(items, days, strict=True) if _is_within(own, spans)]
    if kept and all(days):
        return kept
    return [_matching_days(item, spans, depth - 1) for item in items]


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


_SCALES = re.compile(r"(?i)\b(celsius|fahrenheit|kelvin)\b|°\s?([CFK])\b")
_LETTERS = {"c": "celsius", "f": "fahrenheit", "k": "kelvin"}
_WARMTH = {"temp", "temps", "temperature", "temperatures"}
_SIDES = {"min", "max", "low", "high", "avg", "mean", "current", "now", "day", "night", "air"}
_NAMED = {"unit", "units", "scale"}
_SCALE_DEPTH = 6


def add_temperature_scale(value: Any, documentation: str) -> Any:
    """A reply in which fields of bare temperatures name the one scale that is documented."""
    found: list[str] = [letter or name for name, letter in _SCALES.findall(documentation)]
    scales: set[str] = {_LETTERS.get(one.lower(), one.lower()) for one in found}
    return _add_scale(value, scales.pop(), _SCALE_DEPTH) if len(scales) == 1 else value


def _add_scale(value: Any, scale: str, depth: int) -> Any:
    if isinstance(value, list) and depth:
        return [_add_scale(item, scale, depth - 1) for item in cast(list[Any], value)]
    if not isinstance(value, dict) or not depth:
        return value
    fields = cast(Mapping[str, Any], value)
    if not _NAMED.isdisjoint(map(str, fields)):
        return fields
    return {
        f"{key}_{scale}" if _is_bare(str(key), inner) else key: _add_scale(inner, scale, depth - 1)
        for key, inner in fields.items()
    }


def _is_bare(key: str, value: Any) -> bool:
    said = set(split_words(key).lower().split())
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and not said.isdisjoint(_WARMTH) and said <= _WARMTH | _SIDES
