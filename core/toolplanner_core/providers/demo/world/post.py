"""Parcels: what sending costs, which carrier a number belongs to, and where the parcel is."""

import re
from datetime import timedelta

from toolplanner_core.providers.demo.world.gazetteer import distance_km, locate
from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    fold,
    number,
    table,
    text,
)

_STAGES = (
    "label created",
    "picked up",
    "at the sorting centre",
    "in transit",
    "out for delivery",
    "delivered",
)
_S10_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)
"""Weights of the check digit of international post (Source: UPU standard S10)."""


def shipping(world: World, args: Args) -> Record:
    """Offers of all carriers for a parcel, cheapest first."""
    origin, target = locate(args, "from"), locate(args, "to")
    kilos = number(args, "weight_kg", 1)
    if not 0 < kilos <= 70:
        message = "weight must lie between 0 and 70 kg"
        raise Refusal(400, "invalid_parameter", message, field="weight_kg")
    km = distance_km(origin["lat"], origin["lon"], target["lat"], target["lon"])
    abroad = origin["cc"] != target["cc"]
    offers: list[Record] = []
    for row in table("carriers"):
        price = row["base_usd"] + row["per_kg_usd"] * kilos + 0.0022 * km + (11 if abroad else 0)
        days = max(1, round(km / row["km_per_day"])) + (2 if abroad else 0)
        arrives = world.now.date() + timedelta(days=days)
        offers.append(
            {
                "carrier": row["name"],
                "code": row["code"],
                "price_usd": round(price, 2),
                "days": days,
                "arrives": arrives.isoformat(),
            }
        )
    offers.sort(key=lambda row: row["price_usd"])
    fastest = min(offers, key=lambda row: (row["days"], row["price_usd"]))
    return {
        "from": origin["label"],
        "to": target["label"],
        "weight_kg": kilos,
        "offers": offers,
        "km": round(km),
        "count": len(offers),
        "best": offers[0],
        "fastest": fastest,
        "price_usd": offers[0]["price_usd"],
        "carrier": offers[0]["carrier"],
        "days": offers[0]["days"],
    }


def _carrier(code: str) -> Record:
    for row in table("carriers"):
        if any(re.fullmatch(pattern, code) for pattern in row["patterns"]):
            return row
    raise Refusal(404, "not_found", f"No carrier uses numbers like {code!r}", field="number")


def detect_carrier(world: World, args: Args) -> Record:
    """The carrier that a tracking number belongs to, by its form and check digit."""
    del world
    code = re.sub(r"[\s-]", "", text(args, "number")).upper()[:60]
    row = _carrier(code)
    is_valid = True
    if re.fullmatch(r"[A-Z]{2}[0-9]{9}[A-Z]{2}", code):
        weighted = zip(code[2:10], _S10_WEIGHTS, strict=True)
        check = 11 - sum(int(digit) * weight for digit, weight in weighted) % 11
        is_valid = {10: 0, 11: 5}.get(check, check) == int(code[10])
    return {
        "number": code,
        "carrier": row["name"],
        "code": row["code"],
        "check_digit_ok": is_valid,
        "confidence": 0.97 if is_valid else 0.55,
        "tracking_url": f"https://track.{row['code'].replace('_', '-')}.example/{code}",
    }


def track(world: World, args: Args) -> Record:
    """Where a parcel is."""
    found = detect_carrier(world, args)
    wanted = fold(args.get("carrier") or "")
    if wanted and wanted not in (fold(found["carrier"]), fold(found["code"])):
        raise Refusal(
            404, "not_found", f"{args['carrier']} does not know this number", field="carrier"
        )
    code = found["number"]
    places = table("places")
    start, end = (places[int(world.chance(code, w) * len(places))]["name"] for w in ("from", "to"))
    reached = 1 + int(world.chance(code, "stage") * (len(_STAGES) - 1))
    events: list[Record] = []
    for i in range(reached + 1):
        when = world.now - timedelta(hours=11 * (reached - i) + 3)
        events.append(
            {
                "status": _STAGES[i],
                "place": start if i < 3 else end,
                "time": when.strftime("%Y-%m-%dT%H:%MZ"),
            }
        )
    left = timedelta(days=max(0, 5 - reached))
    return found | {
        "status": events[-1]["status"],
        "place": events[-1]["place"],
        "time": events[-1]["time"],
        "events": events,
        "from": start,
        "to": end,
        "expected": (world.now + left).date().isoformat(),
        "delivered": reached == len(_STAGES) - 1,
    }


FUNCTIONS = {"shipping": shipping, "detect_carrier": detect_carrier, "track": track}
