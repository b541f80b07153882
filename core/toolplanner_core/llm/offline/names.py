"""Names in a text: countries, languages, states, tickers, and capitalised spans. Called by
`mentions.py`."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from toolplanner_core.llm.offline import patterns, tables

_LOWER_PLACE = re.compile(
    r"\b(?P<prep>in|near|around|at|to|from|for)\s+(?P<name>[a-zà-ÿ][a-zà-ÿ'-]{2,}"
    r"(?:\s+(?!and\b|or\b|for\b|to\b|in\b|on\b|at\b|from\b|of\b|with\b|is\b|are\b|this\b|next\b|by\b"
    r"|today\b|tomorrow\b|tonight\b|right\b|now\b|as\b|please\b|the\b|within\b|between\b|last\b)"
    r"[a-zà-ÿ'-]{2,}){0,2})"
)


class Name(NamedTuple):
    """A name in a text; `kind` is "country", "language", "state", "company", "ticker", "name" or
    "lower"."""

    kind: str
    value: str
    start: int
    end: int
    preposition: str


@cache
def _country_pattern() -> re.Pattern[str]:
    names = sorted({n for c in tables.countries().values() for n in c.names}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")


def find_names(text: str, is_free: Callable[[int, int], bool]) -> Iterator[Name]:
    """Names in free spans of a text; lower-case place names only after a preposition."""
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return is_free(start, end) and all(end <= a or b <= start for a, b in taken)

    for match in patterns.CAPITALISED.finditer(text):
        for start, end in _split(text, *match.span(), free):
            if _only_starts_sentence(text, start, end):
                continue
            taken.append((start, end))
            yield _classify(text, start, end)
    for match in _country_pattern().finditer(text):
        if free(*match.span()):
            taken.append(match.span())
            country = tables.countries()[match.group().lower()]
            yield Name("country", country.iso2, *match.span(), _before(text, match.start()))
    for match in re.finditer(r"[a-z]+", text):
        word = match.group()
        if word in tables.languages() and free(*match.span()):
            taken.append(match.span())
            yield Name("language", tables.languages()[word].iso1, *match.span(), "")
    for match in _LOWER_PLACE.finditer(text):
        start, end = match.span("name")
        first = match["name"].split()[0]
        if (
            first in tables.words("not_places")
            or first in tables.units()
            or (match["prep"] == "to" and first in tables.words("commands"))
        ):
            continue
        if free(start, end):
            taken.append((start, end))
            yield Name("lower", match["name"], start, end, match["prep"])


def _split(
    text: str, start: int, end: int, free: Callable[[int, int], bool]
) -> Iterator[tuple[int, int]]:
    """A capitalised span without leading words that are no names, cut at "and" between names."""
    words = list(re.finditer(r"\S+", text[start:end]))
    while words and words[0].group().lower().strip(".,'’") in tables.words("not_names"):
        words.pop(0)
    while words and words[-1].group().lower() in tables.words("not_names"):
        words.pop()
    if not words:
        return
    begin, stop = start + words[0].start(), start + words[-1].end()
    whole = text[begin:stop]
    if whole.lower() not in tables.countries() and re.search(r"\s(?:and|&)\s", whole):
        middle = re.search(r"\s(?:and|&)\s(?:the\s)?", whole)
        if middle is not None and " and " in middle.group():
            yield from _split(text, begin, begin + middle.start(), free)
            yield from _split(text, begin + middle.end(), stop, free)
            return
    if whole.endswith(("'s", "’s")):
        stop -= 2
    if stop > begin and free(begin, stop):
        yield begin, stop


def _only_starts_sentence(text: str, start: int, end: int) -> bool:
    """Whether a single word is capitalised only because a sentence begins with it."""
    before = text[:start].rstrip()
    if " " in text[start:end] or (before and before[-1] not in ".?!;:\n"):
        return False
    is_acronym = text[start:end].isupper() and end - start > 1
    return not is_acronym and re.match(r"\s+[a-z]", text[end:]) is not None


def _classify(text: str, start: int, end: int) -> Name:
    value = text[start:end]
    low = value.lower()
    preposition = _before(text, start)
    if low in tables.countries():
        return Name("country", tables.countries()[low].iso2, start, end, preposition)
    if low in tables.languages():
        return Name("language", tables.languages()[low].iso1, start, end, preposition)
    follows_comma = text[:start].rstrip().endswith(",")
    if low in tables.state_codes() and (follows_comma or low not in ("new york", "washington")):
        return Name("state", tables.state_codes()[low], start, end, preposition)
    if value in tables.states() and follows_comma:
        return Name("state", value, start, end, preposition)
    if low in tables.companies():
        return Name("company", value, start, end, preposition)
    if re.fullmatch(r"[A-Z]{2,5}", value):
        return Name("ticker", value, start, end, preposition)
    return Name("name", value, start, end, preposition)


def _before(text: str, start: int) -> str:
    words = re.findall(r"[A-Za-z']+", text[max(0, start - 30) : start].lower())
    while words and words[-1] in ("the", "a", "an", "city", "town"):
        words.pop()
    return words[-1] if words and words[-1] in tables.words("name_prepositions") else ""
