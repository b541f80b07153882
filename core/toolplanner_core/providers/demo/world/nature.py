"""Weather, air, parks and beaches: a seeded climate instead of a weather service.

The climate is the mean temperature of a latitude and height with a yearly swing, damped on coasts,
plus a day's chance. It is made up, but a July in Phoenix is hot and a January in Oslo is not.
"""

import math
from datetime import date, timedelta

from toolplanner_core.providers.demo.world.gazetteer import locate, near, state_name
from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    contains_words,
    day,
    fold,
    number,
    table,
    text,
    whole,
)

_WET = ("light rain", "rain showers", "steady rain")
_DRY = ("clear sky", "mostly sunny", "partly cloudy", "overcast")


def weather_of(world: World, place: Record, when: date) -> Record:
    """The weather of one day at a place, metric units."""
    spot = (round(place["lat"], 1), round(place["lon"], 1))
    lat = place["lat"]
    mean_c = 28 - 0.45 * abs(lat) - 0.0055 * place["elevation_m"]
    swing_c = 0.33 * abs(lat) * (0.6 if place["is_coast"] else 1.0)
    season = math.cos(2 * math.pi * (when.timetuple().tm_yday - 201) / 365.25)
    middle_c = mean_c + swing_c * (season if lat >= 0 else -season)
    middle_c += 6 * (world.chance("temperature", spot, when) - 0.5)
    spread_c = 6 if place["is_coast"] else 9
    rain_chance = round(100 * world.chance("rain", spot, when))
    rain_mm = round(max(0.0, rain_chance - 55) * 0.4 * world.chance("mm", spot, when), 1)
    high_c, low_c = round(middle_c + spread_c / 2, 1), round(middle_c - spread_c / 2, 1)
    if rain_mm > 0.2:
        sky = "snow" if middle_c < 0 else _WET[min(2, int(rain_mm / 4))]
    else:
        sky = str(world.pick(list(_DRY), "sky", spot, when))
    wind_kmh = round(4 + 32 * world.chance("wind", spot, when) ** 2, 1)
    will_rain = rain_mm > 0.2
    return {
        "date": when.isoformat(),
        "weekday": when.strftime("%A"),
        "high_c": high_c,
        "low_c": low_c,
        "mean_c": round(middle_c, 1),
        "rain_mm": rain_mm,
        "rain_chance": rain_chance,
        "will_rain": will_rain,
        "humidity": round(35 + 0.5 * rain_chance + 10 * world.chance("damp", spot, when)),
        "wind_kmh": wind_kmh,
        "wind_deg": round(360 * world.chance("wind from", spot, when)),
        "pressure_hpa": round(1008 + 16 * world.chance("pressure", spot, when)),
        "uv": round(max(0.5, 11 - 0.17 * abs(lat) - 0.04 * rain_chance), 1),
        "condition": sky,
        "summary": f"{sky.capitalize()}, {low_c:.0f} to {high_c:.0f} °C, "
        + (f"{rain_mm} mm of rain" if will_rain else "no rain"),
    }


def forecast(world: World, args: Args) -> Record:
    """The weather of one day or several at a place."""
    place = locate(args)
    first = day(world, args)
    days = [
        weather_of(world, place, first + timedelta(days=i))
        for i in range(whole(args, "days", 1, most=16))
    ]
    return place | days[0] | {"days": days, "alerts": []}


def current(world: World, args: Args) -> Record:
    """The weather now."""
    place = locate(args)
    today = weather_of(world, place, world.now.date())
    hour = (world.now.hour + place["lon"] / 15) % 24
    half = (today["high_c"] - today["low_c"]) / 2
    temp_c = round(today["mean_c"] + half * math.cos(2 * math.pi * (hour - 15) / 24), 1)
    feels_c = round(temp_c - today["wind_kmh"] * 0.06, 1)
    time = world.now.strftime("%Y-%m-%dT%H:%M:00Z")
    return place | today | {"temp_c": temp_c, "feels_c": feels_c, "time": time}


def air(world: World, args: Args) -> Record:
    """Air quality now, as the US index with its fine dust."""
    place = locate(args)
    size = math.log10(max(1000, place["population"]))
    pm25 = round(
        2 + size**2 * 0.55 * (0.4 + world.chance("air", place["label"], world.now.date())), 1
    )
    steps = (
        (12.0, 0, 50, "Good"),
        (35.4, 51, 100, "Moderate"),
        (55.4, 101, 150, "Unhealthy for sensitive groups"),
        (150.4, 151, 200, "Unhealthy"),
    )
    below, index, level = 0.0, 200, "Unhealthy"
    for top, low, high, name in steps:
        if pm25 <= top:
            index, level = round(low + (high - low) * (pm25 - below) / (top - below)), name
            break
        below = top
    return place | {
        "aqi": index,
        "level": level,
        "pm25": pm25,
        "pm10": round(pm25 * 1.7, 1),
        "ozone": round(30 + 50 * world.chance("ozone", place["label"])),
        "date": world.now.date().isoformat(),
    }


def parks(world: World, args: Args) -> Record:
    """Parks by state or country, by name, by activity, or near a place."""
    del world
    rows = table("parks")
    if args.get("state") is not None:
        wanted = state_name(text(args, "state"))
        rows = [row for row in rows if fold(row["region"]) == wanted]
    if args.get("name") is not None:
        wanted = fold(text(args, "name"))
        rows = [row for row in rows if contains_words(wanted, fold(row["name"]))]
    if args.get("activity") is not None:
        rows = [row for row in rows if fold(args["activity"]) in row["activities"]]
    if any(args.get(key) is not None for key in ("place", "lat", "zip")):
        rows = near(args, rows)
    rows = rows[: whole(args, "limit", 10)]
    return {"parks": rows, "count": len(rows), **(rows[0] if rows else {})}


def beaches(world: World, args: Args) -> Record:
    """Beaches near a place or by name, with the water as it is on a day."""
    rows = table("beaches")
    if args.get("name") is not None:
        wanted = fold(text(args, "name"))
        rows = [row for row in rows if contains_words(wanted, fold(row["name"]))]
    if args.get("dogs_allowed") is not None:
        rows = [row for row in rows if row["dogs_allowed"] == bool(args["dogs_allowed"])]
    if any(args.get(key) is not None for key in ("place", "lat", "zip")):
        rows = near(args, rows, limit=3)
        rows = [row for row in rows if row["distance_km"] <= number(args, "radius_km", 120)]
    when = day(world, args)
    share = (1 - math.cos(2 * math.pi * (when.timetuple().tm_yday - 15) / 365.25)) / 2
    found: list[Record] = []
    for row in rows[: whole(args, "limit", 10)]:
        water_c = row["water_jan_c"] + (row["water_jul_c"] - row["water_jan_c"]) * share
        wave_m = {"gentle": 0.4, "moderate": 1.1, "strong": 2.0}[row["surf"]]
        wave_m *= 0.6 + 0.8 * world.chance("waves", row["name"], when)
        found.append(
            row
            | {
                "water_c": round(water_c, 1),
                "wave_m": round(wave_m, 1),
                "flag": "red" if wave_m > 2 else "yellow" if wave_m > 1 else "green",
                "date": when.isoformat(),
            }
        )
    return {"beaches": found, "count": len(found), **(found[0] if found else {})}


def safe_sea(world: World, args: Args) -> Record:
    """Beaches, or 404 when there is none near."""
    found = beaches(world, args)
    if not found["count"]:
        raise Refusal(404, "not_found", "No beach near there", field="place")
    return found


FUNCTIONS = {
    "forecast": forecast,
    "current": current,
    "air": air,
    "parks": parks,
    "beaches": beaches,
    "safe_sea": safe_sea,
}
