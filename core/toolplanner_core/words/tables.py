"""Small tables of the world (countries, currencies, units, dates) and of English questions.

They are data in `resources/offline/*.json`, read once. Called by the offline planner, and by what
finds values and counts in queries.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from toolplanner_core.resources import resource_root

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


class CodedName(NamedTuple):
    """A country, language or state: its ISO codes, and names, the usual English one first."""

    short: str
    names: list[str]
    long: str = ""
    currency: str = ""


@cache
def table(name: str) -> Any:
    """What a file holds."""
    path = resource_root() / "offline" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def entries(name: str) -> dict[str, CodedName]:
    """ "countries", "languages" or "states" by lower-case name."""
    rows = [CodedName(**row) for row in table(name)]
    return {said.lower(): entry for entry in rows for said in entry.names}


@cache
def codes(name: str) -> dict[str, CodedName]:
    """The same by their codes."""
    return {code: entry for entry in entries(name).values() for code in (entry.short, entry.long)}


@cache
def spelled(name: str) -> dict[str, str]:
    """What the words of a table stand for, by the word: "units", "companies", "sides"."""
    rows = table("currencies")["names"] if name == "currencies" else table(name)
    return {said: meant for meant in reversed(rows) for said in rows[meant]}


@cache
def words(name: str) -> frozenset[str]:
    """A list of words of `words.json`, such as "stop_words"."""
    return frozenset(ordered_words(name))


@cache
def ordered_words(name: str) -> tuple[str, ...]:
    """The same in the order of the file, where the order says what comes first."""
    return tuple(table("words").get(name, "").split())


@cache
def currencies(kind: str = "codes") -> frozenset[str]:
    """All known codes; "coins" for those of digital coins."""
    return frozenset(table("currencies")[kind].split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of `patterns.json`, the words of tables put in for names in braces."""
    countries = [said for entry in entries("countries").values() for said in entry.names]
    put: dict[str, Iterable[str]] = {
        "SIGNS": table("currencies")["signs"],
        "CURRENCIES": spelled("currencies"),
        "COUNTRIES": countries,
        "UNITS": spelled("units"),
        "ONE_WORD_COUNTS": [said for said in table("numbers") if " " not in said and said != "one"],
    }
    counts = rf"(?:{either(table('numbers'))})"
    text = table("patterns")[name].replace("{NUMBER}", _NUMBER)
    text = text.replace("{COUNTS}", rf"{counts}(?:[ -](?:and )?{counts})*")
    for word, said in put.items():
        text = text.replace(f"{{{word}}}", either(said))
    return re.compile(text)


@cache
def compiled(name: str) -> list[tuple[str, re.Pattern[str]]]:
    """Kinds and their patterns, in the order of the file, in which they are looked for."""
    return [(kind, re.compile(text)) for kind, text in table(name)]


def either(said: Iterable[str]) -> str:
    """A pattern for any of some words, longer ones first."""
    return "|".join(sorted(map(re.escape, said), key=len, reverse=True))
