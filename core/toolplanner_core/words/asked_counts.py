"""What a query asks for by number: so many things ("two parks"), so many of a unit ("how many
hours").

A list that has at least so many of the things meets the first; the second is met only by what
speaks of that unit: sunrise and sunset are no hours of sun. Called by `runs/evidence.py` and
`strategies/toolkits/attempts.py`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from toolplanner_core.words.identifiers import split_words
from toolplanner_core.words.tables import spelled
from toolplanner_core.words.typed_values import typed_values

_LISTED = re.compile(
    r"(?i)(?:^|\b(?:name|list|show|give|find|get|suggest|recommend|need|want)(?: me| us)? )"
    r"(?:the |any |some )?(?:top |first |best )?(?:[a-z]+(?:-[a-z]+)?|\d+) ([a-z]{3,})s\b"
)
_HOW_MANY = re.compile(r"(?i)\bhow many ([a-z]{3,})\b")
_NUMBERED = re.compile(r'"([^"]{1,40})":\s?\[?\s?(?:-?\d|"-?\d[\d.,]*\s?[a-z]*")')
"""A key of a result, if it holds a number."""
_ALSO_THINGS = {"pound", "bar", "cup", "stone"}
"""Units whose names are those of money and of things, too; codes of currencies have capitals."""
_TIMES = {"second", "minute", "hour", "day"}
_LASTING = {"duration", "length", "lasts"}
_DEPTH = 4
_NAMES = {"name", "title"}


def _units() -> dict[str, str]:
    """Units and currencies by their spellings."""
    return spelled("currencies") | spelled("units")


def listed_counts(text: str, told: Sequence[tuple[str, Any]]) -> frozenset[float]:
    """The numbers of things that a text asks for of which some result lists at least as many.

    Args:
        told: title of what was called and what came back; one of both must name the things.
    """
    found: set[float] = set()
    for match in _LISTED.finditer(text):
        if f"{match[1]}s".lower() in _units():
            continue
        thing = match[1].lower().removesuffix("e")
        about = [value for title, value in told if thing in f"{title} {value}".lower()]
        lengths = [len(one) for value in about for one in _lists(value, thing)]
        numbers = {one for value in typed_values(match[0].lower()) for one in value.numbers}
        found |= {one for one in numbers if one <= max(lengths, default=0)}
    return frozenset(found)


def _lists(value: Any, thing: str, depth: int = 0) -> Iterator[list[Any]]:
    """Lists of such things in a result: not the ingredients of the one cocktail that came back."""
    if isinstance(value, list):
        yield cast(list[Any], value)
    elif isinstance(value, dict) and depth < _DEPTH:
        fields = {str(k).lower(): inner for k, inner in cast(dict[str, Any], value).items()}
        for key, inner in fields.items():
            of_things = isinstance(inner, list) and (
                bool(inner) and isinstance(inner[0], dict) and not _NAMES & fields.keys()
            )
            if thing in key or of_things or isinstance(inner, dict):
                yield from _lists(inner, thing, depth + 1)


def untold_units(text: str, answer: str, sent: Sequence[str], told: Sequence[str]) -> list[str]:
    """The "how many UNIT" of a text of which neither answer, arguments nor results speak.

    Args:
        sent: arguments of calls.
        told: what came back, as JSON, and from whom.
    """
    missing: list[str] = []
    for match in _HOW_MANY.finditer(text):
        unit = _units().get(match[1].lower(), "")
        if not unit or unit.isupper() or unit in _ALSO_THINGS:
            continue
        spelled = {said for said, meant in _units().items() if meant == unit}
        spelled |= _LASTING if unit in _TIMES else set[str]()
        either = "|".join(map(re.escape, spelled))
        counted = rf"(?i)\d\s?(?:{either})\b"
        said = re.compile(rf'{counted}|"(?:{either})"(?!\s*:)|\b{match[1]}\b')
        keys = (key for part in told for key in _NUMBERED.findall(part))
        if not (
            re.search(counted, answer)
            or any(map(said.search, [*sent, *told]))
            or any(spelled & {*split_words(key).lower().split()} for key in keys)
        ):
            missing.append(match[0])
    return missing
