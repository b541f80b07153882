"""Dates in English text, relative to a given now. Called by `mentions.py`."""

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple

from toolplanner_core.llm.offline.tables import named_days, number_words

_MONTHS = {
    name.lower(): index
    for index in range(1, 13)
    for name in (calendar.month_name[index], calendar.month_abbr[index])
} | {"sept": 9}
_DAYS = {
    name.lower(): index
    for index in range(7)
    for name in (calendar.day_name[index], calendar.day_abbr[index])
} | {"tues": 1, "thur": 3, "thurs": 3}


class DateSpan(NamedTuple):
    """A date or range in a text; `first == last` for a single day, `at` when a time was said."""

    start: int
    end: int
    first: date
    last: date
    at: time | None = None


def _either(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_MONTH = rf"(?P<month>{_either(_MONTHS)})\b\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_UNTIL = r"\s*(?:-|–|to|and|until|till)\s*(?:the\s+)?(?P<e>\d{1,2})(?:st|nd|rd|th)?(?![\d:])"
_YEAR = r"(?:,?\s+(?P<y>(?:19|20)\d{2}))?\b"
_N = r"(?P<n>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_UNIT = r"(?P<unit>day|week|month|year)s?\b"
_Found = tuple[date, date]
_Read = Callable[[re.Match[str], date, bool], _Found | None]


def _one(day: date) -> _Found:
    return (day, day)


def _year_for(match: re.Match[str], month: int, day: int, today: date, is_past: bool) -> int:
    """The year that was said, else the one that makes the day the next (or the last) such day."""
    said = match.groupdict().get("y")
    if said:
        return int(said)
    if is_past and (month, day) > (today.month, today.day):
        return today.year - 1
    if not is_past and (month, day) < (today.month, today.day):
        return today.year + 1
    return today.year


def _iso(match: re.Match[str], _today: date, _past: bool) -> _Found:
    return _one(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _slashed(match: re.Match[str], _today: date, _past: bool) -> _Found:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    # With dots the day comes first everywhere; with slashes the United States put the month first.
    if first > 12 or match["sep"] == ".":
        first, second = second, first
    return _one(date(year, first, second))


def _day_month(match: re.Match[str], today: date, is_past: bool) -> _Found:
    month, day = _MONTHS[match["month"].lower()], int(match["d"])
    year = _year_for(match, month, day, today, is_past)
    until = match.groupdict().get("e")
    return (date(year, month, day), date(year, month, int(until) if until else day))


def _month_year(match: re.Match[str], _today: date, _past: bool) -> _Found:
    return _whole_month(int(match["y"]), _MONTHS[match["month"].lower()])


def _whole_month(year: int, month: int) -> _Found:
    return (date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


_NEAR = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
}


def _near(match: re.Match[str], today: date, _past: bool) -> _Found:
    said = match.group().lower()
    return _one(today + timedelta(days=next((n for word, n in _NEAR.items() if word in said), 0)))


def _shift(today: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return today + timedelta(days=count * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))


def _count(match: re.Match[str]) -> int:
    said = match["n"].lower()
    return int(said) if said.isdigit() else number_words().get(said, 1)


def _in_n(match: re.Match[str], today: date, _past: bool) -> _Found:
    return _one(_shift(today, _count(match), match["unit"].lower()))


def _n_ago(match: re.Match[str], today: date, _past: bool) -> _Found:
    return _one(_shift(today, -_count(match), match["unit"].lower()))


def _last_n(match: re.Match[str], today: date, _past: bool) -> _Found:
    return (_shift(today, -_count(match), match["unit"].lower()), today)


def _next_n(match: re.Match[str], today: date, _past: bool) -> _Found:
    return (today, _shift(today, _count(match), match["unit"].lower()))


_WHICH = {"this": 0, "next": 1, "last": -1, "coming": 0, "on": 0}


def _whole(match: re.Match[str], today: date, _past: bool) -> _Found:
    step = _WHICH[match["which"].lower()]
    unit = match["unit"].lower()
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
    if unit == "week":
        return (monday, monday + timedelta(days=6))
    if unit == "weekend":
        return (monday + timedelta(days=5), monday + timedelta(days=6))
    if unit == "year":
        return (date(today.year + step, 1, 1), date(today.year + step, 12, 31))
    there = _shift(today.replace(day=1), step, "month")
    return _whole_month(there.year, there.month)


def _named(match: re.Match[str], today: date, is_past: bool) -> _Found:
    month, day = named_days()[match["name"].lower().replace("’", "'")]
    return _one(date(_year_for(match, month, day, today, is_past), month, day))


def _weekday(match: re.Match[str], today: date, is_past: bool) -> _Found | None:
    if len(match["weekday"]) < 6 and match["weekday"].islower():
        return None  # "sat" and "sun" are words, "Sat" and "Sun" are days
    day = _DAYS[match["weekday"].lower()]
    which = (match["which"] or "on").lower()
    if which == "next":
        return _one(today + timedelta(days=7 - today.weekday() + day))
    ahead = (day - today.weekday()) % 7
    if which == "last" or (is_past and ahead):
        return _one(today + timedelta(days=ahead - 7))
    return _one(today + timedelta(days=ahead))


def _bare_year(match: re.Match[str], _today: date, _past: bool) -> _Found:
    return (date(int(match["y"]), 1, 1), date(int(match["y"]), 12, 31))


@cache
def _rules() -> list[tuple[re.Pattern[str], _Read]]:
    named = "|".join(sorted(map(re.escape, named_days()), key=len, reverse=True))
    named = named.replace("'", "['’]")
    texts: list[tuple[str, _Read]] = [
        (r"(?<!\d)(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?!\d)", _iso),
        (r"(?<!\d)(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})[/.-](?P<y>\d{4})(?!\d)", _slashed),
        (rf"\b{_DAY}{_UNTIL}\s+(?:of\s+)?{_MONTH}{_YEAR}", _day_month),
        (rf"\b{_MONTH}\s+{_DAY}{_UNTIL}{_YEAR}", _day_month),
        (rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", _day_month),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?![\d:]){_YEAR}", _day_month),
        (rf"\b{_MONTH},?\s+(?P<y>(?:19|20)\d{{2}})\b", _month_year),
        (
            r"\b(?:the )?day (?:after tomorrow|before yesterday)|\b(?:today|tonight|tomorrow"
            r"|yesterday|this (?:morning|afternoon|evening))\b",
            _near,
        ),
        (rf"\bin\s+{_N}\s+{_UNIT}(?:'?\s+time)?", _in_n),
        (rf"\b{_N}\s+{_UNIT}\s+from\s+(?:now|today)", _in_n),
        (rf"\b{_N}\s+{_UNIT}\s+ago\b", _n_ago),
        (rf"\b(?:last|past|previous)\s+{_N}\s+{_UNIT}", _last_n),
        (rf"\b(?:next|coming|following)\s+{_N}\s+{_UNIT}", _next_n),
        (r"\b(?P<which>this|next|last)\s+(?P<unit>weekend|week|month|year)\b", _whole),
        (rf"\b(?P<name>{named})\b{_YEAR}", _named),
        (
            rf"\b(?:(?P<which>this|next|last|on|coming)\s+)?(?P<weekday>{_either(_DAYS)})\b",
            _weekday,
        ),
        (
            r"\b(?:in|of|for|since|year|during)\s+(?P<y>(?:19|20)\d{2})\b(?!\s*[a-z$€£%])",
            _bare_year,
        ),
    ]
    return [(re.compile(text, re.IGNORECASE), read) for text, read in texts]


_PAST = re.compile(
    r"\b(?:was|were|did|had|happened|history|historical|since|past)\b", re.IGNORECASE
)
_TIME = re.compile(
    r"(?:\bat\s+|[T\s]|,\s*)(?:(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2})?\s*(?P<ap>[ap]\.?m\b)?"
    r"|(?P<h2>\d{1,2})\s*(?P<ap2>[ap]\.?m)\b|(?P<noon>noon|midnight)\b)",
    re.IGNORECASE,
)


def find_time(text: str) -> tuple[int, int, time] | None:
    """The first time of day in a text with its place."""
    for match in _TIME.finditer(f" {text}"):
        hour = int(match["h"] or match["h2"] or (12 if (match["noon"] or "")[:1] in "nN" else 0))
        half = (match["ap"] or match["ap2"] or "").lower()
        if half and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        minute = int(match["m"] or 0)
        if hour < 24 and minute < 60:
            return (max(match.start() - 1, 0), match.end() - 1, time(hour, minute))
    return None


def find_dates(text: str, now: datetime) -> list[DateSpan]:
    """All dates and ranges in a text, in order of place; never raises on odd ones (31 February)."""
    is_past = bool(_PAST.search(text))
    taken: list[DateSpan] = []
    for pattern, read in _rules():
        for match in pattern.finditer(text):
            if any(match.start() < span.end and span.start < match.end() for span in taken):
                continue
            try:
                found = read(match, now.date(), is_past)
            except (ValueError, OverflowError):
                continue
            if found is not None and found[0] <= found[1]:
                taken.append(DateSpan(match.start(), match.end(), *found))
    return sorted(_with_time(taken, text))


def _with_time(spans: list[DateSpan], text: str) -> Iterator[DateSpan]:
    for span in spans:
        follows = find_time(text[span.end : span.end + 24])
        if follows is not None and follows[0] <= 4 and span.first == span.last:
            yield span._replace(end=span.end + follows[1], at=follows[2])
        else:
            yield span
