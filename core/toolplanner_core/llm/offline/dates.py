"""Dates in English text, relative to a given now. Called by `mentions.py`."""

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple

from dateutil import parser
from dateutil.relativedelta import relativedelta

from toolplanner_core.llm.offline.tables import either, table

_MONTHS = {name.lower()[:3]: index for index, name in enumerate(calendar.month_abbr) if name}
_DAYS = {name.lower()[:3]: index for index, name in enumerate(calendar.day_abbr)}


class DateSpan(NamedTuple):
    """A date or range in a text; `first == last` for a single day, `at` when a time was said."""

    start: int
    end: int
    first: date
    last: date
    at: time | None = None


_Found = tuple[date, date]
_Read = Callable[[dict[str, str], date, bool], _Found | None]

_MONTH = rf"(?P<month>{either([*calendar.month_name[1:], *calendar.month_abbr[1:], 'Sept'])})\b\.?"
_WEEKDAYS = [*calendar.day_name, *calendar.day_abbr, "Tues", "Thur", "Thurs"]
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_UNTIL = r"(?:\s*(?:-|–|to|and|until|till)\s*(?:the\s+)?(?P<e>\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?"
_YEAR = r"(?:,?\s+(?P<y>(?:19|20)\d{2}))?\b"
_SPAN = (
    r"(?P<n>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\s+"
    r"(?P<unit>day|week|month|year)s?\b"
)
_NEAR = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1}
_STEP = {"next": 1, "last": -1}
_UNITS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
}


def _written(said: dict[str, str], _today: date, _past: bool) -> _Found:
    """With dots the day comes first everywhere; with slashes the United States put the month
    first."""
    day = parser.parse(said["all"], dayfirst="." in said["all"]).date()
    return (day, day)


def _in_year(said: dict[str, str], today: date, is_past: bool) -> _Found:
    """A day without its year is the next such day, or the last one; a month alone is all of it."""
    if said.get("name"):
        month, day = map(int, table("named_days")[said["name"].replace("’", "'")].split("-"))
    else:
        month, day = _MONTHS[said["month"][:3]], int(said.get("d") or 0)
    at, now = (month, day), (today.month, today.day)
    year = today.year - (is_past and at > now) + (not is_past and at < now)
    if said.get("y"):
        year = int(said["y"])
    if not day:
        return (date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
    return (date(year, month, day), date(year, month, int(said.get("e") or day)))


def _near(said: dict[str, str], today: date, _past: bool) -> _Found:
    shift = next((days for word, days in _NEAR.items() if word in said["all"]), 0)
    return (today + timedelta(days=shift), today + timedelta(days=shift))


def _counted(said: dict[str, str], today: date, _past: bool) -> _Found | None:
    lead, tail = said["lead"], said["tail"]
    count = int(said["n"]) if said["n"].isdigit() else table("numbers").get(said["n"], 1)
    shift = _UNITS[said["unit"]] * count
    if tail == "ago":
        return (today - shift, today - shift)
    if tail or lead == "in":
        return (today + shift, today + shift)
    if lead in ("last", "past", "previous"):
        return (today - shift, today)
    return (today, today + shift) if lead else None


def _whole(said: dict[str, str], today: date, _past: bool) -> _Found:
    step, unit = _STEP.get(said["which"], 0), said["unit"]
    if unit.startswith("week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return (monday + timedelta(days=5 * (unit == "weekend")), monday + timedelta(days=6))
    first = today.replace(day=1, month=1 if unit == "year" else today.month) + _UNITS[unit] * step
    return (first, first + _UNITS[unit] - _UNITS["day"])


def _weekday(said: dict[str, str], today: date, is_past: bool) -> _Found | None:
    written = said["written"].split()[-1]
    if len(written) < 6 and written.islower():
        return None  # "sat" and "sun" are words, "Sat" and "Sun" are days
    day, which = _DAYS[said["weekday"][:3]], said["which"]
    ahead = (day - today.weekday()) % 7
    if which == "next":
        ahead = 7 - today.weekday() + day
    elif which == "last" or (is_past and ahead):
        ahead -= 7
    return (today + timedelta(days=ahead), today + timedelta(days=ahead))


def _year(said: dict[str, str], _today: date, _past: bool) -> _Found:
    return (date(int(said["y"]), 1, 1), date(int(said["y"]), 12, 31))


@cache
def _rules() -> list[tuple[re.Pattern[str], _Read]]:
    named = either(table("named_days")).replace("'", "['’]")
    texts: list[tuple[str, _Read]] = [
        (r"(?<!\d)(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{4})(?!\d)", _written),
        (rf"\b{_DAY}{_UNTIL}\s+(?:of\s+)?{_MONTH}{_YEAR}", _in_year),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?![\d:]){_UNTIL}{_YEAR}", _in_year),
        (rf"\b{_MONTH},?\s+(?P<y>(?:19|20)\d{{2}})\b", _in_year),
        (
            r"\b(?:the )?day (?:after tomorrow|before yesterday)|\b(?:today|tonight|tomorrow"
            r"|yesterday|this (?:morning|afternoon|evening))\b",
            _near,
        ),
        (
            r"\b(?:(?P<lead>in|last|past|previous|next|coming|following)\s+)?"
            rf"{_SPAN}(?:'?\s+time)?(?:\s+(?P<tail>ago|from\s+(?:now|today))\b)?",
            _counted,
        ),
        (r"\b(?P<which>this|next|last)\s+(?P<unit>weekend|week|month|year)\b", _whole),
        (rf"\b(?P<name>{named})\b{_YEAR}", _in_year),
        (
            rf"\b(?:(?P<which>this|next|last|on|coming)\s+)?(?P<weekday>{either(_WEEKDAYS)})\b",
            _weekday,
        ),
        (
            r"\b(?:in|of|for|since|year|during)\s+(?P<y>(?:19|20)\d{2})\b(?!\s*[a-z$€£%])",
            _year,
        ),
    ]
    return [(re.compile(text, re.IGNORECASE), read) for text, read in texts]


_PAST = re.compile(
    r"\b(?:was|were|did|had|happened|history|historical|since|past)\b", re.IGNORECASE
)
_TIME = re.compile(
    r"(?:\bat\s+|[T\s]|,\s*)(?P<at>\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\b)?"
    r"|\d{1,2}\s*[ap]\.?m\b|noon\b|midnight\b)",
    re.IGNORECASE,
)


def find_time(text: str) -> tuple[int, int, time] | None:
    """The first time of day in a text with its place."""
    for match in _TIME.finditer(f" {text}"):
        said = match["at"].lower().replace(".", "").replace("noon", "12:00")
        try:
            at = parser.parse(said.replace("midnight", "0:00")).time().replace(second=0)
        except (ValueError, OverflowError):
            continue
        return (max(match.start() - 1, 0), match.end() - 1, at)
    return None


def find_dates(text: str, now: datetime) -> list[DateSpan]:
    """All dates and ranges in a text, in order of place; never raises on odd ones (31 February)."""
    is_past = bool(_PAST.search(text))
    taken: list[DateSpan] = []
    for pattern, read in _rules():
        for match in pattern.finditer(text):
            if any(match.start() < span.end and span.start < match.end() for span in taken):
                continue
            said = {key: (value or "").lower() for key, value in match.groupdict().items()}
            said |= {"all": match.group().lower(), "written": match.group()}
            try:
                found = read(said, now.date(), is_past)
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
