"""A quantity in the unit that was asked for: 877.5 km are 545.3 miles.

Lengths, masses and speeds, whose units differ by a factor alone: what is told in one of them is
told in all. Called by the offline planner, whose replies speak of a quantity in their own unit.
"""

import re
from functools import cache
from typing import NamedTuple

from toolplanner_core.words.tables import spelled

_FACTORS = (
    {
        "metre": 1.0, "kilometre": 1_000.0, "centimetre": 0.01, "millimetre": 0.001,
        "mile": 1_609.344, "yard": 0.9144, "foot": 0.3048, "inch": 0.0254,
    },
    {"kilogram": 1.0, "gram": 0.001, "tonne": 1_000.0, "pound": 0.45359237, "ounce": 0.0283495},
    {"kmh": 1.0, "mph": 1.609344},
)  # fmt: skip
"""By quantity, what one of a unit is in the first one (Source: BIPM, NIST SP 811)."""
_OTHER_SENSES = frozenset({"in", "t", "g", "pound", "pounds", "foot"})
"""Spellings that more often say something else where a text asks for a unit."""
_NUMBER = r"(?<![\w.,])(-?\d+(?:,\d{3})*(?:\.\d+)?)\s?"


class ConvertedQuantity(NamedTuple):
    """A number of a text in another unit.

    Attributes:
        asked: the word that asks for the unit.
        words: both, such as "877.5 km are 545.2 miles".
    """

    asked: str
    words: str


def convert_asked_quantity(asked: str, told: str) -> ConvertedQuantity | None:
    """The first number of a text, if it has one in a unit of the same quantity as the unit that a
    question names, and none in that unit itself; else None.

    Args:
        asked: the question; a number with its unit is given there, and not asked for.
    """
    bare = re.sub(_NUMBER + r"[a-z/]+", " ", asked.lower())
    for word in re.findall(r"(?<![\w/])[a-z]+(?:/h)?(?![\w/])", bare):
        unit = "" if word in _OTHER_SENSES else spelled("units").get(word, "")
        factors = next((each for each in _FACTORS if unit in each), None)
        if factors is None:
            continue
        numbers = [(said, spelled("units")[said[2]]) for said in _told_with_units(told)]
        numbers = [each for each in numbers if each[0][0] not in asked]
        same = [(said, of) for said, of in numbers if of in factors]
        if not same or unit in {of for _, of in same}:
            return None
        (number, written, _), of = same[0]
        value = float(number.replace(",", "")) * factors[of] / factors[unit]
        return ConvertedQuantity(word, f"{number} {written} are {value:,.1f} {word}")
    return None


def _told_with_units(told: str) -> list[tuple[str, str, str]]:
    """Numbers of a text with their unit as written, and in lower case."""
    found = re.finditer(f"{_NUMBER}({_either()})(?![\\w/])", told, re.IGNORECASE)
    return [(match[1], match[2], match[2].lower()) for match in found]


@cache
def _either() -> str:
    known = {unit for factors in _FACTORS for unit in factors}
    said = [name for name, unit in spelled("units").items() if unit in known and name != "in"]
    return "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
