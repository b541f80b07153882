"""Where things are: countries, places by name, postal code or coordinates, and distances."""

import math
from functools import cache

from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    fold,
    number,
    table,
    text,
    whole,
)

_STATES = {
    "il": "illinois", "ma": "massachusetts", "mo": "missouri", "ny": "new york", "nyc": "new york",
    "ca": "california", "wa": "washington", "or": "oregon", "me": "maine", "co": "colorado",
    "tx": "texas", "az": "arizona", "nv": "nevada", "ut": "utah", "mn": "minnesota",
    "mi": "michigan", "oh": "ohio", "tn": "tennessee", "ga": "georgia", "fl": "florida",
    "la": "louisiana", "pa": "pennsylvania", "dc": "district of columbia", "md": "maryland",
    "nc": "north carolina", "hi": "hawaii", "ak": "alaska", "on": "ontario",
    "bc": "british columbia", "qc": "quebec", "wy": "wyoming", "mt": "montana", "va": "virginia",
}  # fmt: skip
_COUNTRIES = {
    "usa": "us", "u s a": "us", "united states of america": "us", "uk": "gb", "great britain": "gb",
    "england": "gb", "uae": "ae", "holland": "nl", "america": "us",
}  # fmt: skip


@cache
def countries() -> dict[str, Record]:
    """Countries by two-letter code."""
    return {row["cc"]: row for row in table("countries")}


@cache
def country_names() -> dict[str, str]:
    """Codes of countries by folded name, code and usual short form."""
    names: dict[str, str] = {}
    for code, row in countries().items():
        names |= dict.fromkeys((fold(row["name"]), fold(code), fold(row["iso3"])), code)
    return names | {alias: code.upper() for alias, code in _COUNTRIES.items()}


def country_code(name: str) -> str:
    """Two-letter code of a country by name or code.

    Raises:
        Problem: 404, there is no such country in this world.
    """
    code = country_names().get(fold(name))
    if code is None:
        raise Refusal(404, "not_found", f"No country called {name!r}", field="country")
    return code


def state_name(name: str) -> str:
    """The folded name of a state or region, from its name or a usual abbreviation."""
    return _STATES.get(fold(name), fold(name))


EARTH_RADIUS_KM = 6371.0088
"""Mean radius (IUGG)."""


def describe(row: Record) -> Record:
    """A place as the functions of this package hand it out."""
    country = countries()[row["cc"]]["name"]
    parts = [row["name"], row["region"], country]
    return {
        "name": row["name"],
        "region": row["region"],
        "country": country,
        "cc": row["cc"],
        "lat": row["lat"],
        "lon": row["lon"],
        "timezone": row["timezone"],
        "population": row["population"],
        "elevation_m": row["elevation_m"],
        "is_coast": row["is_coast"],
        "zip": row["zips"][0],
        "zips": row["zips"],
        "label": ", ".join(dict.fromkeys(parts)),
    }


def find_places(name: str, country: str = "") -> list[Record]:
    """Places with this name, those that fit "City, State, Country" best first; may be empty."""
    parts = [fold(part) for part in name.split(",")]
    if country:
        parts.append(fold(country))
    head, qualifiers = parts[0], [part for part in parts[1:] if part]
    found: list[tuple[int, int, Record]] = []
    for row in table("places"):
        own = fold(row["name"])
        rest = qualifiers
        if head != own:
            if not (head.startswith(own + " ") or head == own.replace("st ", "saint ")):
                continue
            # "Springfield IL" without a comma.
            rest = [head[len(own) :].strip(), *qualifiers] if head.startswith(own) else qualifiers
        region, code = fold(row["region"]), row["cc"]
        misses = sum(
            not (state_name(q) == region or q == region or country_names().get(q) == code)
            for q in rest
        )
        if not misses:
            found.append((misses, -row["population"], row))
    found.sort(key=lambda item: item[:2])
    return [describe(row) for _, _, row in found]


def place_by_zip(code: str) -> Record | None:
    """The place of a postal code, None if this world has none."""
    wanted = fold(code).replace(" ", "")
    for row in table("places"):
        for own in row["zips"]:
            if fold(own).replace(" ", "") == wanted:
                return describe(row) | {"zip": own}
    return None


def coordinates(args: Args, lat: str = "lat", lon: str = "lon") -> tuple[float, float]:
    """Latitude and longitude in degrees.

    Raises:
        Problem: 400 or 422, missing, no numbers or out of range.
    """
    found = number(args, lat), number(args, lon)
    for name, value, most in ((lat, found[0], 90), (lon, found[1], 180)):
        if abs(value) > most:
            message = f"{name} must lie between -{most} and {most}"
            raise Refusal(400, "invalid_parameter", message, field=name)
    return found


def nearest(lat: float, lon: float) -> tuple[Record, float]:
    """The nearest place of the gazetteer and its distance in km."""
    row = min(table("places"), key=lambda p: distance_km(lat, lon, p["lat"], p["lon"]))
    return describe(row), distance_km(lat, lon, row["lat"], row["lon"])


def locate(args: Args, name: str = "place") -> Record:
    """The place that arguments speak of: `place`, `zip`, or `lat` and `lon`.

    Coordinates away from any town keep their own position and borrow the rest of the nearest one.

    Raises:
        Problem: nothing given (400), or nothing found (404).
    """
    if args.get(name) is not None:
        wanted = text(args, name)
        if "," in wanted and _is_pair(wanted):
            lat, lon = wanted.split(",")
            return locate({"lat": lat, "lon": lon})
        found = find_places(wanted, str(args.get("country") or ""))
        by_zip = None if found else place_by_zip(wanted)
        if by_zip:
            return by_zip
        if not found:
            raise Refusal(404, "not_found", f"No place called {wanted!r}", field=name)
        return found[0]
    if args.get("zip") is not None:
        found_zip = place_by_zip(text(args, "zip"))
        if found_zip is None:
            raise Refusal(404, "not_found", f"No postal code {args['zip']}", field="zip")
        return found_zip
    if args.get("lat") is None and args.get("lon") is None:
        raise Refusal(400, "missing_parameter", f"{name} is required", field=name)
    lat, lon = coordinates(args)
    place, away_km = nearest(lat, lon)
    if away_km > 25:
        place |= {"lat": lat, "lon": lon, "label": f"{lat:.3f}, {lon:.3f}"}
    return place


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Great-circle distance (haversine)."""
    a, b = math.radians(lat1), math.radians(lat2)
    half = math.sin((b - a) / 2) ** 2
    half += math.cos(a) * math.cos(b) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(half)))


def bearing_deg(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Initial course from the first to the second point, degrees clockwise from north."""
    a, b, turn = math.radians(lat1), math.radians(lat2), math.radians(lon2 - lon1)
    east = math.sin(turn) * math.cos(b)
    north = math.cos(a) * math.sin(b) - math.sin(a) * math.cos(b) * math.cos(turn)
    return math.degrees(math.atan2(east, north)) % 360


def near(args: Args, rows: list[Record], *, limit: int = 5) -> list[Record]:
    """Rows with `lat` and `lon` by distance from where the arguments point, `distance_km` added."""
    place = locate(args)
    within_km = number(args, "radius_km", 20_100)
    found = [
        row
        | {"distance_km": round(distance_km(place["lat"], place["lon"], row["lat"], row["lon"]), 1)}
        for row in rows
    ]
    found.sort(key=lambda row: row["distance_km"])
    return [r for r in found if r["distance_km"] <= within_km][: whole(args, "limit", limit)]


def _is_pair(wanted: str) -> bool:
    parts = wanted.split(",")
    try:
        return len(parts) == 2 and all(math.isfinite(float(part)) for part in parts)
    except ValueError:
        return False


def geocode(world: World, args: Args) -> Record:
    """Coordinates of a place by name."""
    del world
    matches = find_places(text(args, "place"), str(args.get("country") or ""))
    if not matches:
        by_zip = place_by_zip(text(args, "place"))
        if by_zip is None:
            raise Refusal(404, "not_found", f"No place called {args['place']!r}", field="place")
        matches = [by_zip]
    matches = matches[: whole(args, "limit", 5)]
    return matches[0] | {"matches": matches, "count": len(matches)}


def reverse(world: World, args: Args) -> Record:
    """The place at or near coordinates."""
    del world
    place, away_km = nearest(*coordinates(args))
    return place | {"distance_km": round(away_km, 2)}


def postal_code(world: World, args: Args) -> Record:
    """The place that a postal code belongs to."""
    del world
    place = place_by_zip(text(args, "zip"))
    if place is None:
        raise Refusal(404, "not_found", f"No postal code {args['zip']}", field="zip")
    if args.get("country") and country_code(text(args, "country")) != place["cc"]:
        raise Refusal(404, "not_found", "No such postal code in that country", field="zip")
    return place


def place_facts(world: World, args: Args) -> Record:
    """What is known of a place: postal codes, population, time zone."""
    del world
    return locate(args)


def distance(world: World, args: Args) -> Record:
    """Great-circle distance between two places or two pairs of coordinates."""
    del world
    if args.get("from") is not None or args.get("to") is not None:
        a, b = locate(args, "from"), locate(args, "to")
    else:
        a = locate({"lat": args.get("lat"), "lon": args.get("lon")})
        b = locate({"lat": args.get("lat2"), "lon": args.get("lon2")})
    km = distance_km(a["lat"], a["lon"], b["lat"], b["lon"])
    road_km = km * 1.24
    return {
        "from": a["label"],
        "to": b["label"],
        "km": round(km, 1),
        "miles": round(km / 1.609344, 1),
        "nautical_miles": round(km / 1.852, 1),
        "bearing": round(bearing_deg(a["lat"], a["lon"], b["lat"], b["lon"]), 1),
        "road_km": round(road_km, 1),
        "drive_minutes": round(road_km / 85 * 60),
        "flight_minutes": round(km / 820 * 60 + 30),
    }


def country(world: World, args: Args) -> Record:
    """Facts about a country by name or code."""
    del world
    row = countries()[country_code(text(args, "country"))]
    money = next(c for c in table("currencies") if c["code"] == row["currency"])
    return row | {
        "currency_name": money["name"],
        "density": round(row["population"] / row["area_km2"], 1),
    }


def airport(world: World, args: Args) -> Record:
    """An airport by IATA or ICAO code."""
    del world
    code = text(args, "code").upper()
    for row in table("airports"):
        if code in (row["iata"], row["icao"]):
            return row | {"country": countries()[row["cc"]]["name"]}
    raise Refusal(404, "not_found", f"No airport with the code {code!r}", field="code")


def airports_near(world: World, args: Args) -> Record:
    """Airports by distance from a place or coordinates."""
    del world
    found = near(args, table("airports"), limit=3)
    return found[0] | {"airports": found, "count": len(found)}


FUNCTIONS = {
    "geocode": geocode,
    "reverse": reverse,
    "postal_code": postal_code,
    "place_facts": place_facts,
    "distance": distance,
    "country": country,
    "airport": airport,
    "airports_near": airports_near,
}
