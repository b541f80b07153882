"""Small tables of the world: countries, currencies, languages, units, dates, numbers in words.

They are data in `resources/world/*.json`, read once; who has tables of its own adds its folder
(`llm/offline/tables.py`). Called by what finds values, dates, counts and currencies in texts.
"""

import json
import re
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple

from toolplanner_core.resources import resource_root

WORLD = ("world",)
"""Folders of `resources/` in which the tables are."""
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


class CodedName(NamedTuple):
    """A country, language or state: its ISO codes, and names, the usual English one first."""

    short: str
    names: list[str]
    long: str = ""
    currency: str = ""


@cache
def table(name: str, *, folders: tuple[str, ...] = WORLD) -> Any:
    """What the files of this name hold; objects of several folders are joined.

    Raises:
        FileNotFoundError: no folder has such a file.
    """
    paths = [resource_root() / folder / f"{name}.json" for folder in folders]
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
    if not found:
        raise FileNotFoundError(paths[0])
    return found[0] if len(found) == 1 else dict(ChainMap(*found))


@cache
def entries(name: str, *, folders: tuple[str, ...] = WORLD) -> dict[str, CodedName]:
    """ "countries", "languages" or "states" by lower-case name."""
    rows = [CodedName(**row) for row in table(name, folders=folders)]
    return {said.lower(): entry for entry in rows for said in entry.names}


@cache
def codes(name: str, *, folders: tuple[str, ...] = WORLD) -> dict[str, CodedName]:
    """The same by their codes."""
    return {
        code: entry
        for entry in entries(name, folders=folders).values()
        for code in (entry.short, entry.long)
    }


@cache
def spelled(name: str, *, folders: tuple[str, ...] = WORLD) -> dict[str, str]:
    """What the words of a table stand for, by the word: "units", "companies", "sides"."""
    rows = table(name, folders=folders)
    rows = rows["names"] if name == "currencies" else rows
    return {said: meant for meant in reversed(rows) for said in rows[meant]}


@cache
def words(name: str, *, folders: tuple[str, ...] = WORLD) -> frozenset[str]:
    """A list of words of `words.json`, such as "stop_words"."""
    return frozenset(ordered_words(name, folders=folders))


@cache
def ordered_words(name: str, *, folders: tuple[str, ...] = WORLD) -> tuple[str, ...]:
    """The same in the order of the file, where the order says what comes first."""
    return tuple(table("words", folders=folders).get(name, "").split())


@cache
def currencies(kind: str = "codes") -> frozenset[str]:
    """All known codes; "coins" for those of digital coins."""
    return frozenset(table("currencies")[kind].split())


@cache
def pattern(name: str, *, folders: tuple[str, ...] = WORLD) -> re.Pattern[str]:
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
    text = table("patterns", folders=folders)[name].replace("{NUMBER}", _NUMBER)
    text = text.replace("{COUNTS}", rf"{counts}(?:[ -](?:and )?{counts})*")
    for word, said in put.items():
        text = text.replace(f"{{{word}}}", either(said))
    return re.compile(text)


@cache
def compiled(name: str, *, folders: tuple[str, ...] = WORLD) -> list[tuple[str, re.Pattern[str]]]:
    """Kinds and their patterns, in the order of the file, in which they are looked for."""
    return [(kind, re.compile(text)) for kind, text in table(name, folders=folders)]


def either(said: Iterable[str]) -> str:
    """A pattern for any of some words, longer ones first."""
    return "|".join(sorted(map(re.escape, said), key=len, reverse=True))


class Tables(NamedTuple):
    """The functions above over some folders; of equal names the first folder's counts."""

    table: Callable[[str], Any]
    entries: Callable[[str], dict[str, CodedName]]
    codes: Callable[[str], dict[str, CodedName]]
    spelled: Callable[[str], dict[str, str]]
    words: Callable[[str], frozenset[str]]
    ordered_words: Callable[[str], tuple[str, ...]]
    pattern: Callable[[str], re.Pattern[str]]
    compiled: Callable[[str], list[tuple[str, re.Pattern[str]]]]


def tables_of(*folders: str) -> Tables:
    """Read tables from these folders of `resources/` too, not from those of the world alone."""
    among = (*folders, *WORLD)
    return Tables(
        table=partial(table, folders=among),
        entries=partial(entries, folders=among),
        codes=partial(codes, folders=among),
        spelled=partial(spelled, folders=among),
        words=partial(words, folders=among),
        ordered_words=partial(ordered_words, folders=among),
        pattern=partial(pattern, folders=among),
        compiled=partial(compiled, folders=among),
    )
