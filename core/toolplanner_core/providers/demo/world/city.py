"""Towns from near: sights, maps, safety, helicopters over them."""

from html import escape

from toolplanner_core.providers.demo.world.gazetteer import distance_km, find_places, locate
from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    contains_words,
    fold,
    number,
    table,
    text,
    whole,
)


def points(world: World, args: Args) -> Record:
    """Points of interest at a place, nearest or best first."""
    del world
    place = locate(args)
    radius_km = number(args, "radius_km", 30)
    category = fold(args.get("category") or "").removesuffix("s")
    found: list[Record] = []
    for row in table("points"):
        away_km = distance_km(place["lat"], place["lon"], row["lat"], row["lon"])
        if away_km <= radius_km and category in row["category"]:
            found.append(row | {"distance_km": round(away_km, 1)})
    found.sort(key=lambda row: (-row["rating"], row["distance_km"]))
    found = found[: whole(args, "limit", 10)]
    return {
        "place_label": place["label"],
        "points": found,
        "count": len(found),
        **(found[0] if found else {}),
    }


def point(world: World, args: Args) -> Record:
    """One point of interest by name."""
    del world
    wanted = fold(text(args, "name"))
    for row in table("points"):
        if contains_words(wanted, fold(row["name"])):
            hour = row["opening_hours"].split("-")
            return row | {"opens": hour[0], "closes": hour[1]}
    raise Refusal(404, "not_found", f"No place called {args['name']!r}", field="name")


def static_map(world: World, args: Args) -> Record:
    """A drawn map of a place as SVG, with the towns around it."""
    del world
    place = locate(args)
    width, height = (whole(args, k, 400, least=64, most=1280) for k in ("width", "height"))
    zoom = whole(args, "zoom", 8, most=18)
    span = 360 / 2**zoom
    marks: list[str] = []
    for row in table("places"):
        x = width / 2 + (row["lon"] - place["lon"]) / span * width
        y = height / 2 - (row["lat"] - place["lat"]) / span * width
        if 0 <= x <= width and 0 <= y <= height:
            name = escape(row["name"])
            marks.append(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4"/><text x="{x + 6:.0f}" '
                f'y="{y:.0f}">{name}</text>'
            )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="100%" height="100%" fill="#eef2e6"/>{"".join(marks)}</svg>'
    )
    where = f"center={place['lat']},{place['lon']}&zoom={zoom}&size={width}x{height}"
    return {
        "lat": place["lat"],
        "lon": place["lon"],
        "zoom": zoom,
        "width": width,
        "svg": svg,
        "height": height,
        "label": place["label"],
        "format": "svg",
        "url": f"https://maps.example/static?{where}",
    }


def safety(world: World, args: Args) -> Record:
    """How safe a town is: index from 0 to 100 and offences for 1,000 people and year."""
    place = locate(args)
    total = round(8 + 42 * world.chance("crime", place["label"]), 1)
    violent = round(total * (0.08 + 0.1 * world.chance("violent", place["label"])), 1)
    score = round(100 - 1.6 * total)
    steps = ((75, "very safe"), (55, "safe"), (35, "fair"))
    level = next((word for least, word in steps if score > least), "in need of caution")
    counts = {"burglary": 0.14, "theft": 0.55, "vehicle_theft": 0.12, "robbery": 0.05}
    people = place["population"] / 1000
    return {
        "place": place["label"],
        "city": place["name"],
        "region": place["region"],
        "score": score,
        "level": level,
        "per_1000": total,
        "violent_per_1000": violent,
        "property_per_1000": round(total - violent, 1),
        "year": world.now.year - 1,
        "incidents": {k: round(v * total * people) for k, v in counts.items()},
        "advice": f"{place['name']} is rated {level}; mind your belongings in crowds.",
    }


def helicopters(world: World, args: Args) -> Record:
    """Helicopters by model, maker, seats or role."""
    del world
    rows = table("helicopters")
    if args.get("model") is not None:
        wanted = fold(text(args, "model"))
        rows = [
            row
            for row in rows
            if contains_words(wanted, fold(row["model"]))
            or contains_words(wanted, fold(f"{row['manufacturer']} {row['model']}"))
        ]
    if args.get("manufacturer") is not None:
        rows = [r for r in rows if fold(r["manufacturer"]) == fold(args["manufacturer"])]
    if args.get("role") is not None:
        rows = [row for row in rows if row["role"] == fold(args["role"])]
    rows = [row for row in rows if row["seats"] >= number(args, "seats", 0)]
    found = [r | {"title": f"{r['manufacturer']} {r['model']}"} for r in rows]
    found = found[: whole(args, "limit", 10)]
    return {"helicopters": found, "count": len(found), **(found[0] if found else {})}


def charter(world: World, args: Args) -> Record:
    """A helicopter flight between two places: machine, time, price."""
    origin, target = locate(args, "from"), locate(args, "to")
    seats = whole(args, "seats", 2, most=30)
    km = distance_km(origin["lat"], origin["lon"], target["lat"], target["lon"])
    able = [r for r in table("helicopters") if r["seats"] > seats and r["range_km"] > km]
    able = [row for row in able if row["role"] not in ("military", "training")]
    if not able:
        raise Refusal(404, "not_found", "No helicopter flies that far with so many", field="to")
    best = min(able, key=lambda row: (row["seats"], -row["cruise_kmh"]))
    minutes = round(km / best["cruise_kmh"] * 60) + 10
    price = round(minutes * (14 + 5.5 * best["seats"]) * (0.95 + 0.1 * world.chance(best["model"])))
    return {
        "from": origin["label"],
        "to": target["label"],
        "km": round(km),
        "minutes": minutes,
        "seats": seats,
        "aircraft": f"{best['manufacturer']} {best['model']}",
        "price_usd": price,
    }


def sightseeing(world: World, args: Args) -> Record:
    """Helicopter sightseeing flights over a town."""
    place = locate(args)
    sights = [
        row["name"]
        for row in table("points")
        if find_places(row["place"])[0]["label"] == place["label"]
    ]
    tours = [
        {
            "title": f"{place['name']} {word} flight",
            "minutes": minutes,
            "seats": 5,
            "price_usd": round(minutes * (9 + 4 * world.chance("tour", place["label"], word))),
            "sights": sights[:count],
        }
        for word, minutes, count in (("skyline", 15, 1), ("sunset", 25, 2), ("grand", 45, 4))
    ]
    return {"place": place["label"], "tours": tours, "count": len(tours), **tours[0]}


FUNCTIONS = {
    "points": points,
    "point": point,
    "static_map": static_map,
    "safety": safety,
    "helicopters": helicopters,
    "charter": charter,
    "sightseeing": sightseeing,
}
