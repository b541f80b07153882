"""Dates in English text, relative to a given now. Called by the offline planner and by
`query_values.py`."""

import calendar
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from dateutil import parser
from dateutil.relativedelta import relativedelta

from toolplanner_core.words.tables import compiled, pattern, table

ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""For where dates are only told apart from other words, or are written out."""
_MONTHS = {name.lower()[:3]: index for index, name in enumerate(calendar.month_abbr) if name}
_DAYS = {name.lower()[:3]: index for index, name in enumerate(calendar.day_abbr)}


class DateSpan(NamedTuple):
    """A date or range in a text; `first == last` for a single day."""

    start: int
    end: int
    first: date
    last: date


_Found = tuple[date, date]
_Read = Callable[[dict[str, str], date, bool], _Found | None]

_NEAR = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1}


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


def _shift(unit: str, count: int) -> relativedelta:
    return relativedelta(**{f"{unit}s": count})  # pyright: ignore[reportArgumentType]


def _counted(said: dict[str, str], today: date, _past: bool) -> _Found | None:
    lead, tail = said["lead"], said["tail"]
    count = int(said["n"]) if said["n"].isdigit() else table("numbers").get(said["n"], 1)
    shift = _shift(said["unit"], count)
    if tail == "ago":
        return (today - shift, today - shift)
    if tail or lead == "in":
        return (today + shift, today + shift)
    if lead in ("last", "past", "previous"):
        return (today - shift, today)
    return (today, today + shift) if lead else None


def _whole(said: dict[str, str], today: date, _past: bool) -> _Found:
    step, unit = {"next": 1, "last": -1}.get(said["which"], 0), said["unit"]
    if unit.startswith("week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return (monday + timedelta(days=5 * (unit == "weekend")), monday + timedelta(days=6))
    first = today.replace(day=1, month=1 if unit == "year" else today.month) + _shift(unit, step)
    return (first, first + _shift(unit, 1) - timedelta(days=1))


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


_READ: dict[str, _Read] = {
    "written": _written, "in_year": _in_year, "near": _near, "counted": _counted,
    "whole": _whole, "weekday": _weekday, "year": _year,
}  # fmt: skip


def find_time(text: str) -> tuple[int, int, time] | None:
    """The first time of day in a text with its place."""
    for match in pattern("time_of_day").finditer(f" {text}"):
        said = match["at"].lower().replace(".", "").replace("noon", "12:00")
        try:
            at = parser.parse(said.replace("midnight", "0:00")).time().replace(second=0)
        except (ValueError, OverflowError):
            continue
        return (max(match.start() - 1, 0), match.end() - 1, at)
    return None


def find_dates(text: str, now: datetime) -> list[DateSpan]:
    """All dates and ranges in a text, in order of place; never raises on odd ones (31 February)."""
    is_past = bool(pattern("past").search(text))
    taken: list[DateSpan] = []
    for kind, rule in compiled("dates"):
        for match in rule.finditer(text):
            if any(match.start() < span.end and span.start < match.end() for span in taken):
                continue
            said = {key: (value or "").lower() for key, value in match.groupdict().items()}
            said |= {"all": match.group().lower(), "written": match.group()}
            try:
                found = _READ[kind](said, now.date(), is_past)
            except (ValueError, OverflowError):
                continue
            if found is not None and found[0] <= found[1]:
                taken.append(DateSpan(match.start(), match.end(), *found))
    return sorted(taken)
