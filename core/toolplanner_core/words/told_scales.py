"""The scale of temperatures that a reply gives bare, as the documentation says it.

"temp_min": 0.5 is a number without a scale; "temperatures in Celsius" in the documentation is the
scale. A documentation that speaks of two, such as a converter's, tells none. Called by
`llm/offline/planner.py` before a reply is put into words.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.words.identifiers import split_words

_SCALES = re.compile(r"(?i)\b(celsius|fahrenheit|kelvin)\b|°\s?([CFK])\b")
_LETTERS = {"c": "celsius", "f": "fahrenheit", "k": "kelvin"}
_WARMTH = {"temp", "temps", "temperature", "temperatures"}
_SIDES = {"min", "max", "low", "high", "avg", "mean", "current", "now", "day", "night", "air"}
_NAMED = {"unit", "units", "scale"}
_DEPTH = 6


def with_scale(value: Any, documentation: str) -> Any:
    """A reply in which fields of bare temperatures name the one scale that is documented."""
    found: list[str] = [letter or name for name, letter in _SCALES.findall(documentation)]
    scales: set[str] = {_LETTERS.get(one.lower(), one.lower()) for one in found}
    return _named(value, scales.pop(), _DEPTH) if len(scales) == 1 else value


def _named(value: Any, scale: str, depth: int) -> Any:
    if isinstance(value, list) and depth:
        return [_named(item, scale, depth - 1) for item in cast(list[Any], value)]
    if not isinstance(value, dict) or not depth:
        return value
    fields = cast(Mapping[str, Any], value)
    if not _NAMED.isdisjoint(map(str, fields)):
        return fields
    return {
        f"{key}_{scale}" if _is_bare(str(key), inner) else key: _named(inner, scale, depth - 1)
        for key, inner in fields.items()
    }


def _is_bare(key: str, value: Any) -> bool:
    said = set(split_words(key).lower().split())
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and not said.isdisjoint(_WARMTH) and said <= _WARMTH | _SIDES
