"""Currencies by a dated table, shares by a seeded walk, petrol by country and day."""

import math
from datetime import date, timedelta

from toolplanner_core.providers.demo.world.gazetteer import countries, country_code, locate
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

RATES_DATE = "2026-11-20"
"""The day of the table of currencies."""
LITRES_PER_GALLON = 3.785411784
"""US liquid gallon."""
_USD_PER_LITRE = {"US": 0.83, "CA": 1.12, "MX": 1.22, "AE": 0.76, "NG": 0.62, "NO": 1.98, "HK": 3.0}
_FUELS = {"regular": 1.0, "midgrade": 1.09, "premium": 1.2, "diesel": 1.13, "e10": 0.97}
_BRANDS = ("Prairie Fuel", "Blue Pump", "Roadrunner", "Harbour Oil", "Quickfill", "Greenline")
_STREETS = ("Main Street", "Station Road", "5th Avenue", "Airport Road", "Lincoln Avenue")


def _currency(args: Args, name: str) -> Record:
    wanted = text(args, name)
    for row in table("currencies"):
        if fold(wanted) in (fold(row["code"]), fold(row["name"])):
            return row
    for row in countries().values():
        if fold(wanted) == fold(row["name"]):
            return _currency({name: row["currency"]}, name)
    plural = fold(wanted).removesuffix("s")
    for row in table("currencies"):
        if plural and fold(row["name"]).endswith(plural):
            return row
    raise Refusal(404, "not_found", f"Unknown currency {wanted!r}", field=name)


def convert(world: World, args: Args) -> Record:
    """An amount of one currency in another."""
    del world
    source, target = _currency(args, "from"), _currency(args, "to")
    amount = number(args, "amount", 1)
    rate = target["per_eur"] / source["per_eur"]
    return {
        "from": source["code"],
        "to": target["code"],
        "from_name": source["name"],
        "to_name": target["name"],
        "amount": amount,
        "rate": round(rate, 6),
        "result": round(amount * rate, target["decimals"]),
        "date": RATES_DATE,
    }


def rates(world: World, args: Args) -> Record:
    """All rates against a base currency."""
    del world
    base = _currency({"base": args.get("base") or "EUR"}, "base")
    wanted = fold(args.get("symbols") or "").split()
    found = {
        row["code"]: round(row["per_eur"] / base["per_eur"], 6)
        for row in table("currencies")
        if not wanted or fold(row["code"]) in wanted
    }
    return {"base": base["code"], "date": RATES_DATE, "rates": found, "count": len(found)}


def currencies(world: World, args: Args) -> Record:
    """The currencies of this world, or that of one country."""
    del world
    rows = table("currencies")
    if args.get("country") is not None:
        code = countries()[country_code(text(args, "country"))]["currency"]
        rows = [row for row in rows if row["code"] == code]
    return {
        "currencies": rows,
        "count": len(rows),
        "code": rows[0]["code"],
        "name": rows[0]["name"],
    }


def _stock(args: Args) -> Record:
    wanted = fold(text(args, "symbol"))
    for row in table("stocks"):
        if wanted in (fold(row["symbol"]), fold(row["name"]), fold(row["name"]).split()[0]):
            return row
    raise Refusal(404, "not_found", f"Unknown symbol {args['symbol']!r}", field="symbol")


def _close(world: World, row: Record, when: date) -> float:
    swing = 0.12 * math.sin(when.toordinal() / 53 + 6 * world.chance("phase", row["symbol"]))
    swing += 0.03 * (world.chance("close", row["symbol"], when) - 0.5)
    return round(row["base_price"] * (1 + swing), 2)


def quote(world: World, args: Args) -> Record:
    """The price of a share today."""
    row, today = _stock(args), world.now.date()
    price, before = _close(world, row, today), _close(world, row, today - timedelta(days=1))
    return row | {
        "price": price,
        "previous_close": before,
        "change": round(price - before, 2),
        "change_percent": round(100 * (price - before) / before, 2),
        "high": round(price * 1.008, 2),
        "low": round(price * 0.991, 2),
        "volume": int(200_000 + 4e6 * world.chance("volume", row["symbol"], today)),
        "market_cap": int(price * (8e7 + 9e8 * world.chance("shares", row["symbol"]))),
        "date": today.isoformat(),
        "time": world.now.isoformat(timespec="seconds"),
    }


def history(world: World, args: Args) -> Record:
    """Closing prices of the last days."""
    row, count = _stock(args), whole(args, "days", 5, most=365)
    days = [world.now.date() - timedelta(days=i) for i in range(count)]
    prices = [{"date": d.isoformat(), "close": _close(world, row, d)} for d in reversed(days)]
    return row | {
        "prices": prices,
        "count": count,
        "first": prices[0]["close"],
        "last": prices[-1]["close"],
    }


def find_stock(world: World, args: Args) -> Record:
    """Symbols of companies whose name holds the words asked for."""
    words = fold(text(args, "query"))
    found = [
        quote(world, {"symbol": row["symbol"]})
        for row in table("stocks")
        if f" {words}" in f" {fold(' '.join(row[key] for key in ('name', 'symbol', 'sector')))}"
    ]
    return {"matches": found, "count": len(found), **(found[0] if found else {})}


def petrol(world: World, args: Args) -> Record:
    """Petrol stations at a place with their prices, cheapest first."""
    place = locate(args)
    fuel = fold(text(args, "fuel", "regular"))
    if fuel not in _FUELS:
        raise Refusal(
            400, "invalid_parameter", f"fuel must be one of {', '.join(_FUELS)}", field="fuel"
        )
    money = next(
        row for row in table("currencies") if row["code"] == countries()[place["cc"]]["currency"]
    )
    usd = next(row for row in table("currencies") if row["code"] == "USD")
    base = _USD_PER_LITRE.get(place["cc"], 1.72) * _FUELS[fuel] * money["per_eur"] / usd["per_eur"]
    stations: list[Record] = []
    for i, brand in enumerate(_BRANDS):
        about = ("petrol", place["label"], brand, world.now.date())
        price = base * (0.94 + 0.13 * world.chance(*about))
        stations.append(
            {
                "name": brand,
                "address": f"{100 + i * 37} {world.pick(list(_STREETS), *about)}",
                "price_litre": round(price, 3),
                "price_gallon": round(price * LITRES_PER_GALLON, 2),
                "distance_km": round(0.4 + 6 * world.chance(*about, "far"), 1),
                "lat": round(place["lat"] + 0.03 * (world.chance(*about, "n") - 0.5), 4),
                "lon": round(place["lon"] + 0.03 * (world.chance(*about, "e") - 0.5), 4),
            }
        )
    stations.sort(key=lambda row: row["price_litre"])
    mean = sum(row["price_litre"] for row in stations) / len(stations)
    best = stations[0]
    return {
        "place": place["label"],
        "region": place["region"],
        "country": place["country"],
        "fuel": fuel,
        "currency": money["code"],
        "date": world.now.date().isoformat(),
        "stations": stations[: whole(args, "limit", 6)],
        "cheapest": best,
        "cheapest_name": best["name"],
        "cheapest_address": best["address"],
        "cheapest_litre": best["price_litre"],
        "cheapest_gallon": best["price_gallon"],
        "average_litre": round(mean, 3),
        "average_gallon": round(mean * LITRES_PER_GALLON, 2),
    }


FUNCTIONS = {
    "convert_currency": convert,
    "rates": rates,
    "currencies": currencies,
    "quote": quote,
    "history": history,
    "find_stock": find_stock,
    "petrol": petrol,
}
