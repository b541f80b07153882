"""Single values and their labels in words. Called by `saying.py` and `facts.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline.words import name_words

_TEXT = 240
_UNITS = {
    "c": "°C",
    "celsius": "°C",
    "f": "°F",
    "fahrenheit": "°F",
    "kmh": "km/h",
    "kph": "km/h",
    "mph": "mph",
    "km": "km",
    "mi": "miles",
    "m": "m",
    "mm": "mm",
    "cm": "cm",
    "kg": "kg",
    "g": "g",
    "lb": "lb",
    "pct": "%",
    "percent": "%",
    "ms": "ms",
    "min": "min",
    "minutes": "minutes",
    "hours": "hours",
    "days": "days",
    "hpa": "hPa",
    "kcal": "kcal",
    "usd": "USD",
    "eur": "EUR",
    "gbp": "GBP",
}
_SVG = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<svg\b", re.IGNORECASE)
_HTML = re.compile(r"\s*(?:<!doctype html|<html|<body|<div|<table|<p\b)", re.IGNORECASE)
_DATA = re.compile(r"data:(?P<kind>\w+)/(?P<form>[\w.+-]+)[;,]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")


def in_words(value: Any) -> str:
    """A single value: yes and no for truth values, no needless ".0", no dumps of files."""
    if value is True or value is False:
        return "yes" if value else "no"
    if value is None:
        return "unknown"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = str(value)
    file = _file(text)
    if file:
        return file
    text = " ".join(text.split())
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"


def _file(text: str) -> str:
    """What a text that is no text for people is, "" for others."""
    size = f"{len(text.encode('utf-8', 'replace')):,} bytes"
    if _SVG.match(text):
        return f"an image (svg, {size})"
    if len(text) > 80 and _HTML.match(text):
        return f"a web page (html, {size})"
    if len(text) > 80 and sum(map(text[:400].count, "\ufffd\0")) > 8:
        return f"a file (binary, {size})"
    data = _DATA.match(text)
    if data is not None:
        what = "an image" if data["kind"] == "image" else "a file"
        return f"{what} ({data['form'].removesuffix('+xml')}, {size})"
    if len(text) > 200 and _BASE64.fullmatch(re.sub(r"\s", "", text)):
        return f"a file (base64, {size})"
    return ""


def is_file(value: Any) -> bool:
    """Whether a value is a picture, a page or other data that nobody reads."""
    return isinstance(value, str) and bool(_file(value))


def label_and_unit(key: str, value: Any) -> tuple[str, str]:
    """The words of a key, without the unit in it, and that unit: "temp_c" is ("temp", "°C")."""
    words = list(name_words(key))
    if len(words) > 1 and words[0] == "str":
        words.pop(0)  # some APIs name fields by their type: "strInstructions"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and len(words) > 1 and words[-1] in _UNITS:
        return " ".join(words[:-1]), _UNITS[words[-1]]
    return " ".join(words), ""


def with_unit(text: str, unit: str) -> str:
    """A value and its unit."""
    return f"{text}{'' if unit == '%' else ' '}{unit}" if unit else text
