"""Time, sun, moon and holidays: real zones, real formulas, real rules."""

import math
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toolplanner_core.providers.demo.world.gazetteer import countries, country_code, locate
from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    day,
    fold,
    number,
    table,
    text,
    whole,
)

_PHASES = (
    "New moon",
    "Waxing crescent",
    "First quarter",
    "Waxing gibbous",
    "Full moon",
    "Waning gibbous",
    "Last quarter",
    "Waning crescent",
)
_SYNODIC_DAYS = 29.530588853


def _zone(args: Args, name: str = "timezone", place: str = "place") -> ZoneInfo:
    if args.get(name) is not None:
        wanted = text(args, name)
        try:
            return ZoneInfo(wanted)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            # Names of places are understood too; what is neither is a 404 of `locate`.
            return ZoneInfo(locate({"place": wanted})["timezone"])
    return ZoneInfo(locate(args, place)["timezone"])


def _moment(when: datetime) -> Record:
    offset = when.utcoffset() or timedelta()
    sign, minutes = ("-" if offset < timedelta() else "+"), int(abs(offset).total_seconds() // 60)
    return {
        "timezone": str(when.tzinfo),
        "iso": when.isoformat(timespec="seconds"),
        "date": when.date().isoformat(),
        "time": when.strftime("%H:%M"),
        "time12": when.strftime("%I:%M %p").lstrip("0"),
        "weekday": when.strftime("%A"),
        "unix": int(when.timestamp()),
        "offset": f"{sign}{minutes // 60:02d}:{minutes % 60:02d}",
        "offset_hours": offset.total_seconds() / 3600,
        "offset_seconds": int(offset.total_seconds()),
        "dst": bool(when.dst()),
        "abbreviation": when.tzname() or "",
    }


def local_time(world: World, args: Args) -> Record:
    """The time now at a place, at coordinates or in a zone."""
    place = {} if args.get("timezone") is not None else locate(args)
    return place | _moment(world.now.astimezone(_zone(args)))


def convert_time(world: World, args: Args) -> Record:
    """A time of one place in another place."""
    source = ZoneInfo(str(_zone(args, "from", "from")))
    target = ZoneInfo(str(_zone(args, "to", "to")))
    clock = text(args, "time", world.now.astimezone(source).strftime("%H:%M"))
    for form in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I %p", "%I%p", "%Y-%m-%dT%H:%M"):
        try:
            read = datetime.strptime(clock.upper(), form)  # noqa: DTZ007
        except ValueError:
            continue
        whole_day = read.date() if read.year > 1900 else day(world, args)
        when = datetime.combine(whole_day, read.time(), tzinfo=source)
        result, start = _moment(when.astimezone(target)), _moment(when)
        shift = result["offset_hours"] - start["offset_hours"]
        return result | {"source": start, "difference_hours": shift}
    raise Refusal(422, "wrong_format", "time must be in the form HH:MM", field="time")


def sun(world: World, args: Args) -> Record:
    """Sunrise and sunset at a place. Source: NOAA solar calculator, low precision formulas."""
    place, when = locate(args), day(world, args)
    zone = ZoneInfo(place["timezone"])
    turn = 2 * math.pi / 365 * (when.timetuple().tm_yday - 1)
    equation_min = 229.18 * (
        0.000075
        + 0.001868 * math.cos(turn)
        - 0.032077 * math.sin(turn)
        - 0.014615 * math.cos(2 * turn)
        - 0.040849 * math.sin(2 * turn)
    )
    tilt = (
        0.006918
        - 0.399912 * math.cos(turn)
        + 0.070257 * math.sin(turn)
        - 0.006758 * math.cos(2 * turn)
        + 0.000907 * math.sin(2 * turn)
    )
    lat = math.radians(max(-89.8, min(89.8, place["lat"])))
    cosine = math.cos(math.radians(90.833)) / (math.cos(lat) * math.cos(tilt))
    cosine -= math.tan(lat) * math.tan(tilt)
    half_min = 4 * math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    noon_min = 720 - 4 * place["lon"] - equation_min
    midnight = datetime.combine(when, datetime.min.time(), tzinfo=UTC)

    def at(minutes: float) -> Record:
        return _moment((midnight + timedelta(minutes=minutes)).astimezone(zone))

    rise, fall, noon = at(noon_min - half_min), at(noon_min + half_min), at(noon_min)
    length = round(2 * half_min)
    return place | {
        "date": when.isoformat(),
        "sunrise": rise["time"],
        "sunset": fall["time"],
        "sunrise12": rise["time12"],
        "sunset12": fall["time12"],
        "sunrise_iso": rise["iso"],
        "sunset_iso": fall["iso"],
        "noon": noon["time"],
        "day_minutes": length,
        "day_length": f"{length // 60:02d}:{length % 60:02d}",
        "dawn": at(noon_min - half_min - 30)["time"],
        "dusk": at(noon_min + half_min + 30)["time"],
    }


def moon(world: World, args: Args) -> Record:
    """Phase of the moon on a day, from the mean synodic month (good to about half a day)."""
    when = day(world, args)
    new_moon = datetime(2000, 1, 6, 18, 14, tzinfo=UTC)
    noon = datetime.combine(when, datetime.min.time(), tzinfo=UTC) + timedelta(hours=12)
    age = ((noon - new_moon).total_seconds() / 86400) % _SYNODIC_DAYS
    until_full = (_SYNODIC_DAYS / 2 - age) % _SYNODIC_DAYS
    until_new = _SYNODIC_DAYS - age
    return {
        "date": when.isoformat(),
        "phase": _PHASES[round(age / _SYNODIC_DAYS * 8) % 8],
        "illumination": round(50 * (1 - math.cos(2 * math.pi * age / _SYNODIC_DAYS))),
        "age_days": round(age, 1),
        "next_full": (noon + timedelta(days=until_full)).date().isoformat(),
        "next_new": (noon + timedelta(days=until_new)).date().isoformat(),
    }


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar. Source: anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)


def _by_rule(rule: str | list[int], year: int) -> date:
    if isinstance(rule, list):
        month, weekday, n = rule
        if n > 0:
            first = date(year, month, 1)
            return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))
        last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    if rule.startswith("easter"):
        return easter(year) + timedelta(days=int(rule[6:]))
    month, number_ = rule.split("-")
    return date(year, int(month), int(number_))


def holidays_of(code: str, year: int) -> list[Record]:
    """Public holidays of a country in a year, in order.

    Raises:
        Problem: 404, this world has no calendar for the country.
    """
    found = [
        {"name": row["name"], "date": when.isoformat(), "weekday": when.strftime("%A"), "cc": code}
        for row in table("holidays")
        if row["cc"] == code
        for when in [_by_rule(row["rule"], year)]
    ]
    if not found:
        raise Refusal(404, "not_found", f"No calendar for {code}", field="country")
    return sorted(found, key=lambda row: row["date"])


def holidays(world: World, args: Args) -> Record:
    """Public holidays of a country in a year."""
    code = country_code(text(args, "country"))
    year = int(number(args, "year", world.now.year))
    if not 1950 <= year <= 2100:
        raise Refusal(400, "invalid_parameter", "year must lie between 1950 and 2100", field="year")
    found = holidays_of(code, year)
    if args.get("month") is not None:
        month = whole(args, "month", 1, most=12)
        found = [row for row in found if int(row["date"][5:7]) == month]
    return {
        "country": countries()[code]["name"],
        "cc": code,
        "year": year,
        "holidays": found,
        "count": len(found),
    }


def is_holiday(world: World, args: Args) -> Record:
    """Whether a day is a public holiday."""
    code, when = country_code(text(args, "country")), day(world, args)
    hit = next((r for r in holidays_of(code, when.year) if r["date"] == when.isoformat()), None)
    return {
        "country": countries()[code]["name"],
        "cc": code,
        "date": when.isoformat(),
        "is_holiday": hit is not None,
        "name": hit["name"] if hit else None,
        "weekday": when.strftime("%A"),
        "is_weekend": when.weekday() >= 5,
    }


def next_holiday(world: World, args: Args) -> Record:
    """The next public holiday after a day."""
    code, when = country_code(text(args, "country")), day(world, args)
    rows = holidays_of(code, when.year) + holidays_of(code, min(2101, when.year + 1))
    hit = next(row for row in rows if row["date"] > when.isoformat())
    ahead = (date.fromisoformat(hit["date"]) - when).days
    return hit | {"country": countries()[code]["name"], "days_until": ahead}


def zones(world: World, args: Args) -> Record:
    """Time zones of a country."""
    code = country_code(text(args, "country"))
    names = sorted({row["timezone"] for row in table("places") if row["cc"] == code})
    found = [_moment(world.now.astimezone(ZoneInfo(name))) for name in names]
    if not found:
        raise Refusal(404, "not_found", f"No zones for {fold(code)}", field="country")
    return {"country": countries()[code]["name"], "zones": found, "count": len(found)}


FUNCTIONS = {
    "local_time": local_time,
    "convert_time": convert_time,
    "sun": sun,
    "moon": moon,
    "holidays": holidays,
    "is_holiday": is_holiday,
    "next_holiday": next_holiday,
    "zones": zones,
}
