"""Units, phrases, definitions, web sites and IP addresses: things looked up by name or number."""

import ipaddress
from urllib.parse import urlsplit

from toolplanner_core.providers.demo.world.gazetteer import find_places
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

_UNITS: dict[str, dict[str, float]] = {
    "length": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "ft": 0.3048,
               "in": 0.0254, "yd": 0.9144, "nmi": 1852},
    "mass": {"kg": 1, "g": 0.001, "mg": 1e-6, "t": 1000, "lb": 0.45359237, "oz": 0.028349523125,
             "st": 6.35029318},
    "volume": {"l": 1, "ml": 0.001, "gal": 3.785411784, "qt": 0.946352946, "pt": 0.473176473,
               "cup": 0.2365882365, "floz": 0.0295735295625, "tbsp": 0.01478676478125},
    "speed": {"m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704, "kn": 1852 / 3600},
    "area": {"m2": 1, "km2": 1e6, "ha": 1e4, "acre": 4046.8564224, "ft2": 0.09290304,
             "mi2": 2589988.110336},
    "time": {"s": 1, "min": 60, "h": 3600, "d": 86400, "week": 604800},
    "data": {"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "pressure": {"pa": 1, "hpa": 100, "bar": 1e5, "psi": 6894.757293168, "atm": 101325},
    "energy": {"j": 1, "kj": 1000, "kcal": 4184, "kwh": 3.6e6},
}  # fmt: skip
"""Factors to the base unit, exact by definition (Source: NIST SP 811)."""

_NAMES = {
    "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "centimetre": "cm",
    "centimeter": "cm", "millimetre": "mm", "millimeter": "mm", "mile": "mi", "foot": "ft",
    "feet": "ft", "inch": "in", "inche": "in", "yard": "yd", "nautical mile": "nmi",
    "kilogram": "kg", "kilo": "kg", "gram": "g", "milligram": "mg", "tonne": "t", "ton": "t",
    "pound": "lb", "ounce": "oz", "stone": "st", "litre": "l", "liter": "l", "millilitre": "ml",
    "milliliter": "ml", "gallon": "gal", "quart": "qt", "pint": "pt", "fluid ounce": "floz",
    "tablespoon": "tbsp", "kmh": "km/h", "kph": "km/h", "km h": "km/h", "m s": "m/s",
    "mile per hour": "mph", "kilometer per hour": "km/h", "kilometre per hour": "km/h",
    "knot": "kn", "hectare": "ha", "second": "s", "minute": "min", "hour": "h", "day": "d",
    "byte": "b", "kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb", "joule": "j",
    "kilojoule": "kj", "kilocalorie": "kcal", "calorie": "kcal", "celsiu": "c", "celsius": "c",
    "fahrenheit": "f", "kelvin": "k", "lbs": "lb", "degree celsius": "c", "degree fahrenheit": "f",
}  # fmt: skip
_LANGUAGES = {
    "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "swedish": "sv", "japanese": "ja", "english": "en",
}  # fmt: skip


def _unit(args: Args, name: str) -> str:
    said = text(args, name)
    short = said.replace("°", "").replace("²", "2").casefold().strip()
    if short in ("c", "f", "k") or any(short in units for units in _UNITS.values()):
        return short
    plain = fold(said)
    singular = plain.removesuffix("s")
    found = _NAMES.get(plain) or _NAMES.get(singular)
    if found is None and any(singular in units for units in _UNITS.values()):
        return singular
    if found is None:
        raise Refusal(400, "invalid_parameter", f"Unknown unit {said!r}", field=name)
    return found


def convert_unit(world: World, args: Args) -> Record:
    """A measure in another unit; temperatures too."""
    del world
    value, source, target = number(args, "value"), _unit(args, "from"), _unit(args, "to")
    kind = "temperature"
    if source in "cfk" and target in "cfk":
        celsius = {"c": value, "f": (value - 32) / 1.8, "k": value - 273.15}[source]
        result = {"c": celsius, "f": celsius * 1.8 + 32, "k": celsius + 273.15}[target]
    else:
        kinds = (k for k, units in _UNITS.items() if source in units and target in units)
        kind = next(kinds, "")
        if not kind:
            message = f"{source} cannot be converted to {target}"
            raise Refusal(400, "invalid_parameter", message, field="to")
        result = value * _UNITS[kind][source] / _UNITS[kind][target]
    return {"value": value, "from": source, "to": target, "result": float(f"{result:.8g}"),
            "kind": kind, "text": f"{value:g} {source} = {result:.6g} {target}"}  # fmt: skip


def units(world: World, args: Args) -> Record:
    """The units of a kind of measure."""
    del world
    kind = fold(text(args, "kind", "length"))
    if kind not in _UNITS:
        raise Refusal(404, "not_found", f"kind must be one of {', '.join(_UNITS)}", field="kind")
    return {"kind": kind, "units": list(_UNITS[kind]), "count": len(_UNITS[kind])}


def phrase(world: World, args: Args) -> Record:
    """An everyday phrase in another language."""
    del world
    said, target = fold(text(args, "text")), fold(text(args, "to"))
    code = _LANGUAGES.get(target, target)
    if code not in _LANGUAGES.values():
        raise Refusal(400, "invalid_parameter", f"Unknown language {args['to']!r}", field="to")
    source = fold(args.get("from") or "en")
    source = _LANGUAGES.get(source, source)
    for row in table("phrases"):
        if fold(row.get(source, "")) == said:
            return {"text": row[source], "translation": row[code], "from": source, "to": code}
    raise Refusal(404, "not_found", f"No translation of {args['text']!r}", field="text")


def define(world: World, args: Args) -> Record:
    """What a word means."""
    del world
    wanted = fold(text(args, "word"))
    for row in table("definitions"):
        if row["word"] == wanted:
            return dict(row)
    raise Refusal(404, "not_found", f"No entry for {args['word']!r}", field="word")


def uptime(world: World, args: Args) -> Record:
    """Whether a web site of the demo world is up; sites it does not know are up, mostly."""
    said = text(args, "url")
    try:
        host = (urlsplit(said if "//" in said else f"https://{said}").hostname or "").lower()
    except ValueError:
        host = ""
    if "." not in host or " " in host:
        raise Refusal(
            422, "wrong_format", "url must be an address such as https://example.com", field="url"
        )
    row: Record = next((row for row in table("sites") if row["host"] == host), {})
    if not row:
        is_down = world.chance("down", host) < 0.06
        row = {"host": host, "status": 503 if is_down else 200, "server": "nginx",
               "response_ms": round(40 + 400 * world.chance("ms", host)),
               "uptime_30d": round(99 + world.chance("up", host), 2),
               "certificate_days_left": round(5 + 300 * world.chance("cert", host))}  # fmt: skip
    is_up = row["status"] < 400
    return row | {"is_up": is_up, "state": "up" if is_up else "down", "url": f"https://{host}/",
                  "time": world.now.strftime("%Y-%m-%dT%H:%M:00Z")}  # fmt: skip


def ip(world: World, args: Args) -> Record:
    """Where an IP address is, and whose it is."""
    del world
    try:
        address = ipaddress.ip_address(text(args, "ip"))
    except ValueError:
        raise Refusal(422, "wrong_format", "ip is not a valid IP address", field="ip") from None
    for row in table("ip_blocks"):
        if address in ipaddress.ip_network(row["network"]):
            place = find_places(row["place"])[0]
            return place | row | {"ip": str(address), "version": address.version}
    raise Refusal(404, "not_found", f"{address} is in no known network", field="ip")


FUNCTIONS = {
    "convert_unit": convert_unit,
    "units": units,
    "phrase": phrase,
    "define": define,
    "uptime": uptime,
    "ip": ip,
}
