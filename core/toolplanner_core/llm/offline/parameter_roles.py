"""What a parameter stands for (role and side), and values in the form that its schema asks for.

Each function gives the likeliest form first and other plausible ones after it; a form that failed
before is left out by `fill.py`.
"""

import re
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.mentions import name_words
from toolplanner_core.llm.offline.tables import (
    codes,
    entries,
    ordered_words,
    pattern,
    spelled,
    table,
    words,
)
from toolplanner_core.prompts.values import coerce_value, misfit
from toolplanner_core.words.tables import CodedName

_NUMBERED = {"1": "from", "2": "to"}
"""Sides of numbered pairs: "lat1", "lat2"."""


class Slot(NamedTuple):
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


def slot_of(name: str, schema: Any = None, siblings: Collection[str] = ()) -> Slot:
    """Understand one parameter by its name, then its schema, then its neighbours' names."""
    source = cast(dict[str, Any], schema) if isinstance(schema, dict) else {}
    described, options = source.get("description"), source.get("enum")
    listed = cast(list[Any], options)[:80] if isinstance(options, list) else []
    return _slot(
        name,
        described.lower()[:300] if isinstance(described, str) else "",
        frozenset(str(option).lower() for option in listed),
        form="secret" if source.get("writeOnly") is True else str(source.get("format") or ""),
        neighbours=frozenset(word for sibling in siblings for word in name_words(sibling)),
    )


@lru_cache(maxsize=8192)
def _slot(
    name: str, described: str, listed: frozenset[str], *, form: str, neighbours: frozenset[str]
) -> Slot:
    said = name_words(name)
    side, rest = _side(said)
    if not side and name[-1:] in _NUMBERED:
        role = _by_name(name_words(name[:-1]))
        if role in (*words("point_roles"), *words("sided_roles")):
            return Slot(name, role, _NUMBERED[name[-1]], said)
    role = _by_name(rest)
    formats = table("formats")
    if form in formats and role not in ("date", "datetime", "time", "url", "domain"):
        role = formats[form]
    elif len(listed) > 1 and role in ("", "id", "query", "name", "unit") and _kind(listed):
        role = _kind(listed)
    elif side and not rest:
        role = _sided(described, neighbours) or _by_name(said)
    elif side and not role:
        role = _by_name(said) or _by_description(described)
    elif role in ("", "query", "id", "name", "amount"):
        found = _by_description(described)
        role = found if not role or found in words(f"finer_than_{role}") else role
    return Slot(name, role, side, said)


def _kind(listed: frozenset[str]) -> str:
    """Whether the options of an enum are languages or units."""
    languages = {*entries("languages"), *codes("languages")}
    return "language" if listed <= languages else "unit" * (listed <= {*spelled("units")})


def _side(said: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The side that a word says, and the other words: "destination city" has one; "number of days
    until" or "have breakfast" has none worth it."""
    sides = spelled("sides")
    for word in said:
        if word in sides and (len(said) == 1 or (len(said) <= 4 and word not in words("no_sides"))):
            return sides[word], tuple(other for other in said if other != word)
    return "", said


def _by_name(said: tuple[str, ...]) -> str:
    full = " ".join(said)
    # "state name" is a state, "country code" a country: what says little is looked at last.
    ordered = sorted((*said[-1:], *said[:-1]), key=words("generic_words").__contains__)
    roles = table("roles")
    tried = (("names", full), *(("words", word) for word in ordered))
    return next((role for key, word in tried for role in roles if word in roles[role][key]), "")


def _by_description(described: str) -> str:
    """The role of the phrase that stands first."""
    roles = table("roles")
    found = (
        (match.start(), index, role)
        for index, role in enumerate(roles)
        for phrase in roles[role]["about"]
        if (match := _phrase(phrase).search(described))
    )
    return min(found, default=(0, 0, ""))[2]


@lru_cache(maxsize=512)
def _phrase(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?:s|es)?(?!\w)")


def _sided(described: str, neighbours: frozenset[str]) -> str:
    """The role of a bare "from", "to", "base", "start", "end"."""
    for role in ordered_words("sided_roles"):
        if any(word in described for word in (role, *words(f"describes_{role}"))):
            return role
    found = _by_description(described)
    beside = (role for role, near in table("neighbours").items() if neighbours & set(near))
    return found or next(beside, "")


_USUAL = ("%Y-%m-%d", "%d-%m-%Y", "%m/%d/%Y", "%Y%m%d", "%Y/%m/%d")


def text_of(schema: Any) -> str:
    """Description of a schema, lower case."""
    found = schema.get("description") if isinstance(schema, dict) else None
    return found.lower() if isinstance(found, str) else ""


def _sample_of(schema: Any) -> str:
    """A documented default or example, which shows the form a value should have."""
    if not isinstance(schema, dict):
        return ""
    examples = schema.get("examples")
    listed = examples[:1] if isinstance(examples, list) else []
    said = [schema.get(key) for key in ("default", "example", "x-documented-default")]
    return next((text for text in (*said, *listed) if isinstance(text, str)), "")


def _is_form(text: str, form: str) -> bool:
    try:
        return bool(datetime.strptime(text, form))  # noqa: DTZ007 - only its shape counts
    except ValueError:
        return False


def date_forms(day: date, at: time | None, schema: Any, role: str) -> Iterator[Any]:
    """A day as the schema wants it: text in a documented order."""
    described, sample = text_of(schema), _sample_of(schema)
    moment = datetime.combine(day, at or time(0, 0), tzinfo=UTC)
    if order := pattern("date_order").search(described):
        form = order[2].join(f"%{order[part][0]}" for part in (1, 3, 4))
        yield moment.strftime(form.replace("y", "Y"))
    yield from (moment.strftime(form) for form in _USUAL if _is_form(sample, form))
    if role == "datetime" or (isinstance(schema, dict) and schema.get("format") == "date-time"):
        yield moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    yield from (moment.strftime(form) for form in _USUAL)


def named_forms(kind: str, entry: CodedName, words: tuple[str, ...], schema: Any) -> list[str]:
    """A country, language or state as code or name; languages are codes unless names are asked
    for."""
    described, sample = text_of(schema), _sample_of(schema)
    name, short, long = entry.names[0], entry.short, entry.long or entry.short
    if pattern("long_code").search(described) or re.fullmatch(r"[A-Z]{3}", sample):
        return [long, short, name]
    if sample.islower() and len(sample) == 2:
        short = short.lower()
    is_code = (
        not {"code", "cc", "iso"}.isdisjoint(words)
        or (isinstance(schema, dict) and schema.get("maxLength") == 2)
        or pattern("short_code").search(described)
        or (kind == "states" and "code" in described)
        or re.fullmatch(r"[A-Za-z]{2}", sample)
    )
    if kind == "languages" and not is_code:
        is_name = "name" in words or ("name" in described and "code" not in described)
        is_code = not is_name and sample.lower() not in entries(kind)
    return [short, long, name] if is_code else [name, short, long]


def fitted(value: Any, schema: Any) -> Iterator[Any]:
    """The value in the types and spellings that fit the schema, likeliest first."""
    forms = [value, coerce_value(value, schema)]
    if isinstance(value, str):
        plain = value.replace(",", "") if re.fullmatch(r"[\d,.]+", value) else value
        others = [value.upper(), value.lower(), value.title()] if misfit(value, schema) else []
        forms += [coerce_value(plain, schema), *others]
    yield from (form for form in forms if not misfit(form, schema))
