"""The planner's small tables of the world (countries, currencies, units, roles of parameters).

They are data in `resources/offline/*.json`, read once. Called by all modules of this package.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolplanner_core.resources import resource_root


@dataclass(frozen=True, slots=True, kw_only=True)
class Country:
    """A country; `names[0]` is the usual English one."""

    iso2: str
    iso3: str
    currency: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language; `names[0]` is the usual English one."""

    iso1: str
    iso3: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRole:
    """What a parameter may stand for.

    Attributes:
        names: whole names, normalised ("zip code").
        words: single words that decide when they end a name.
        about: phrases of a description that decide when the name says nothing.
    """

    role: str
    names: frozenset[str]
    words: frozenset[str]
    about: tuple[str, ...]


def _load(name: str) -> Any:
    path = resource_root() / "offline" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def countries() -> dict[str, Country]:
    """Countries by lower-case name."""
    found: dict[str, Country] = {}
    for row in _load("countries"):
        country = Country(
            iso2=row["iso2"],
            iso3=row["iso3"],
            currency=row["currency"],
            names=tuple(row["names"]),
        )
        for name in country.names:
            found[name.lower()] = country
    return found


@cache
def country_codes() -> dict[str, Country]:
    """Countries by upper-case ISO 3166 code of two or three letters."""
    return {code: c for c in countries().values() for code in (c.iso2, c.iso3)}


@cache
def languages() -> dict[str, Language]:
    """Languages by lower-case name."""
    found: dict[str, Language] = {}
    for row in _load("languages"):
        language = Language(iso1=row["iso1"], iso3=row["iso3"], names=tuple(row["names"]))
        for name in language.names:
            found[name.lower()] = language
    return found


@cache
def currency_names() -> dict[str, str]:
    """ISO 4217 code by lower-case name, with plurals."""
    found: dict[str, str] = {}
    for code, names in _load("currencies")["names"].items():
        for name in names:
            low = name.lower()
            found.setdefault(low, code)
            if low[-1] in "rtdnola" and low not in ("yen", "yuan", "won", "baht", "rand"):
                found.setdefault(f"{low}s", code)
    return found


@cache
def currency_symbols() -> dict[str, str]:
    """ISO 4217 code by symbol."""
    return dict(_load("currencies")["symbols"])


@cache
def currency_codes() -> frozenset[str]:
    """All known codes, coins included."""
    return frozenset(_load("currencies")["codes"])


@cache
def coins() -> frozenset[str]:
    """Codes of digital coins."""
    return frozenset(_load("currencies")["coins"])


@cache
def states() -> dict[str, str]:
    """Names of the states of the USA by code."""
    return dict(_load("states"))


@cache
def state_codes() -> dict[str, str]:
    """Codes of the states of the USA by lower-case name."""
    return {name.lower(): code for code, name in states().items()}


@cache
def companies() -> dict[str, str]:
    """Ticker by lower-case company name."""
    return {name.lower(): ticker for ticker, all_ in _load("companies").items() for name in all_}


@cache
def units() -> dict[str, str]:
    """Unit name by lower-case spelling."""
    found: dict[str, str] = {}
    for unit, spellings in _load("units").items():
        for spelling in (unit, *spellings):
            found.setdefault(spelling, unit)
    return found


@cache
def unit_spellings() -> dict[str, tuple[str, ...]]:
    """All spellings of a unit, by its name."""
    return {unit: (unit, *spellings) for unit, spellings in _load("units").items()}


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """What people say for a value that schemas list, by the value."""
    return {word: tuple(said) for word, said in _load("synonyms").items()}


@cache
def number_words() -> dict[str, int]:
    """Numbers by English word."""
    return dict(_load("numbers"))


@cache
def named_days() -> dict[str, tuple[int, int]]:
    """(month, day) of days with a name and a fixed date."""
    return {name: (int(value[:2]), int(value[3:])) for name, value in _load("named_days").items()}


@cache
def topics() -> dict[str, frozenset[str]]:
    """Words that catalogues use for what people say otherwise, by the word people say,
    as written in the file."""
    found: dict[str, set[str]] = {}
    for heads, said in _load("topics").items():
        for word in said.split():
            found.setdefault(word, set()).update(heads.split())
    return {word: frozenset(heads) for word, heads in found.items()}


@cache
def fields() -> dict[str, tuple[str, ...]]:
    """How replies may name a quantity, by the quantity."""
    return {field: tuple(names) for field, names in _load("fields").items()}


@cache
def hints() -> dict[str, str]:
    """Words that a value in a need stands for, by its kind: money speaks of currencies."""
    return dict(_load("hints"))


@cache
def roles() -> tuple[ParameterRole, ...]:
    """The roles of parameters, those that decide first come first."""
    return tuple(
        ParameterRole(
            role=row["role"],
            names=frozenset(row["names"]),
            words=frozenset(row["words"]),
            about=tuple(row["about"]),
        )
        for row in _load("roles")
    )


@cache
def side_words() -> dict[str, str]:
    """ "from" or "to" by the word of a parameter name that says so."""
    return {word: side for side, words in _load("sides").items() for word in words}


@cache
def words(name: str) -> frozenset[str]:
    """A list of words of `words.json`, such as "stop_words"."""
    return frozenset(ordered_words(name))


@cache
def ordered_words(name: str) -> tuple[str, ...]:
    """The same in the order of the file, where the order says what comes first."""
    return tuple(_load("words")[name].split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A kind of value that some toolkits cannot do without and others give.

    Attributes:
        wants, gives, otherwise: patterns over a toolkit's name and description; one that says
            "otherwise" too can do without.
        mentions: kinds of mention that already are such a value.
        goal: what a step that fetches it is for.
    """

    kind: str
    wants: re.Pattern[str]
    gives: re.Pattern[str]
    otherwise: re.Pattern[str]
    mentions: frozenset[str]
    goal: str


@cache
def inputs() -> tuple[Input, ...]:
    """The kinds of value that may need a step of their own."""

    def either(patterns: list[str]) -> re.Pattern[str]:
        return re.compile("|".join(patterns), re.IGNORECASE)

    return tuple(
        Input(
            kind=row["kind"],
            wants=either(row["wants"]),
            gives=either(row["gives"]),
            otherwise=either(row["otherwise"]),
            mentions=frozenset(row["mentions"]),
            goal=row["goal"],
        )
        for row in _load("inputs")
    )
