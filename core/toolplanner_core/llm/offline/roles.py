"""What a parameter or a key of a result stands for: role and side. Called by `fill.py` and
`results.py`."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.words import name_words

_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "email": "email",
    "uri": "url",
    "url": "url",
    "ipv4": "ip",
    "ipv6": "ip",
    "hostname": "domain",
    "geopoint": "coordinates",
    "binary": "secret",
    "secret": "secret",
}
_SIDED = ("currency", "place", "date", "unit", "airport", "language", "timezone", "country")
"""Roles that a name such as "from" or "base" may have, tried in this order on its description."""
_NUMBERED = {"1": "from", "2": "to"}
"""Sides of numbered pairs: "lat1", "lat2"."""
_NOT_IDS = frozenset(["valid", "paid", "grid", "bids", "rapid", "solid", "covid", "avoid", "fluid"])
_GENERIC_WORDS = frozenset(["name", "code", "id", "number", "key", "value", "type", "text"])
_DESCRIBED = {"place": ("city", "place", "location", "address", "town", "airport")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A parameter, understood.

    Attributes:
        role: a role of `roles.json`, "" when nothing is known.
        side: "from", "to" or "".
        words: the lower-case words of its name.
    """

    name: str
    role: str
    side: str
    words: tuple[str, ...]


def slot_of(name: str, schema: Any, siblings: Collection[str] = ()) -> Slot:
    """Understand one parameter by its name, then its schema, then its neighbours' names."""
    source = schema if isinstance(schema, dict) else {}
    described = source.get("description")
    form = source.get("format")
    options = source.get("enum")
    options = options if isinstance(options, list) else None
    return _slot(
        name,
        _listed_role(tuple(map(str, cast(list[Any], options)[:80]))) if options else "",
        described.lower()[:300] if isinstance(described, str) else "",
        form="secret" if source.get("writeOnly") is True else str(form or ""),
        neighbours=frozenset(word for sibling in siblings for word in name_words(sibling)),
    )


@lru_cache(maxsize=8192)
def _slot(name: str, listed: str, described: str, *, form: str, neighbours: frozenset[str]) -> Slot:
    words = name_words(name)
    side, rest = _side(words)
    if not side and name[-1:] in _NUMBERED:
        role = _by_name(name_words(name[:-1]))
        if role in ("latitude", "longitude", "coordinates", *_SIDED):
            return Slot(name=name, role=role, side=_NUMBERED[name[-1]], words=words)
    role = _by_name(words) if not side else _by_name(rest)
    if form in _FORMATS and role not in ("date", "datetime", "time", "url", "domain"):
        role = _FORMATS[form]
    elif listed and role in ("", "id", "query", "name", "unit"):
        role = listed
    elif side and not rest:
        role = _sided(described, neighbours) or _by_name(words)
    elif side and not role:
        role = _by_name(words) or _by_description(described)
    elif role in ("", "query", "id", "name", "amount"):
        role = _refined(role, described)
    return Slot(name=name, role=role, side=side, words=words)


@lru_cache(maxsize=1024)
def _listed_role(options: tuple[str, ...]) -> str:
    """What the options of an enum are, by the tables: languages, currencies, countries, units."""
    if len(options) < 2:
        return ""
    low = [option.lower() for option in options]
    codes = {language.iso1 for language in tables.languages().values()}
    known = (
        ("language", all(word in codes or word in tables.languages() for word in low)),
        ("currency", all(option.upper() in tables.currency_codes() for option in options)),
        ("unit", all(word in tables.units() for word in low)),
        ("country", all(word in tables.countries() for word in low)),
    )
    return next((role for role, fits in known if fits), "")


def _side(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    sides = tables.side_words()
    for word in words:
        if word in sides and (len(words) == 1 or _is_side_in_compound(word, words)):
            return sides[word], tuple(other for other in words if other != word)
    return "", words


def _is_side_in_compound(word: str, words: tuple[str, ...]) -> bool:
    # "destination city" has a side; "number of days until" or "have breakfast" has none worth it.
    return len(words) <= 4 and word not in ("have", "want", "after", "before", "first", "last")


def _by_name(words: tuple[str, ...]) -> str:
    if not words:
        return ""
    full = " ".join(words)
    if len(full) > 4 and full.endswith(("id", "ids")) and full not in _NOT_IDS and len(words) == 1:
        return "id"
    for role in tables.roles():
        if full in role.names:
            return role.role
    # "state name" is a state, "country code" a country: what says little is looked at last.
    for word in sorted((words[-1], *words[:-1]), key=_GENERIC_WORDS.__contains__):
        for role in tables.roles():
            if word in role.words:
                return role.role
    return ""


def _by_description(described: str) -> str:
    if not described:
        return ""
    best: tuple[int, str] | None = None
    for role in tables.roles():
        for phrase in role.about:
            at = _find_phrase(described, phrase)
            if at >= 0 and (best is None or at < best[0]):
                best = (at, role.role)
    return best[1] if best else ""


@lru_cache(maxsize=512)
def _phrase(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?:s|es)?(?!\w)")


def _find_phrase(text: str, phrase: str) -> int:
    match = _phrase(phrase).search(text)
    return match.start() if match else -1


def _sided(described: str, neighbours: frozenset[str]) -> str:
    """The role of a bare "from", "to", "base", "start", "end"."""
    for role in _SIDED:
        for word in (role, *_DESCRIBED.get(role, ())):
            if word in described:
                return role
    found = _by_description(described)
    if found:
        return found
    if neighbours & {"amount", "currency", "rate"}:
        return "currency"
    if neighbours & {"start", "end", "since", "until"}:
        return "date"
    if neighbours & {"departure", "destination", "adults", "mode", "passengers", "date"}:
        return "place"
    if neighbours & {"base", "symbols"}:
        return "currency"
    return ""


def _refined(role: str, described: str) -> str:
    """A general role made precise by what the description says."""
    found = _by_description(described)
    if not role:
        return found
    precise = {
        "query": ("place", "zip", "coordinates", "ip", "domain", "url", "ticker", "airport", "vin"),
        "id": ("zip", "tracking", "isbn", "country", "currency", "airport", "ticker", "vin"),
        "name": ("place", "country"),
        "amount": ("days", "phone", "tracking", "isbn", "vin", "flight"),
    }
    return found if found in precise.get(role, ()) else role
