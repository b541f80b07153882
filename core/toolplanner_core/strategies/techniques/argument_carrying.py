"""The arguments of one API for another one that may stand in for it: every value, or not at all.

A value is carried over only if both APIs clearly mean the same by it: one name, or two that are
known to mean the same, of one type, in one unit and form, on one subject, with a choice that knows
the value. What is left out would be answered as if it had not been asked: 1.14 dollars for a euro
instead of 285.50 for 250 of them. So whoever calls must look whether anything was lost or is
missing. Values that the first API documents as its defaults count as given. Pure.

Source: design/gateway.md section 4.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api, Parameter
from toolplanner_core.words.stems import stem
from toolplanner_core.words.stop_words import search_terms

_SAME = (
    "lat latitude",
    "lon lng long longitude",
    "city town",
    "place location",
    "from source have origin sender_city departure_city",
    "to target want destination receiver_city arrival_city",
    "amount quantity sum",
    "symbol ticker",
    "zip zipcode zip_code postcode postal_code",
    "ip ipaddress ip_address",
    "date day",
    "language target_language lang",
)
"""Names that mean the same where type, unit, form and subject agree."""
_WIDER = {
    "city": ("place", "location", "near"),
    "town": ("place", "location", "near"),
    "url": ("website", "site"),
}
"""Names that also hold what the first means; not the other way round."""
_VAGUE = frozenset({
    "q", "query", "text", "name", "id", "code", "number", "value", "type", "key", "address",
    "item",
})  # fmt: skip
"""Names that say nothing alone: their descriptions must share a word."""
_SUBJECTS = frozenset({
    "currency", "currencies", "unit", "units", "language", "languages", "scale", "zone",
    "coordinates", "price",
})  # fmt: skip
_FORMS = frozenset({
    "code", "codes", "iso", "iata", "icao", "iana", "two-letter", "three-letter", "state",
    "zip", "postal", "comma", "commas", "separated", "yyyy-mm-dd", "hh:mm", "street",
    "address", "domain", "company", "json", "english", "us",
})  # fmt: skip
_UNITS = frozenset({
    "gram", "grams", "kilogram", "kilograms", "pound", "pounds", "ounce", "ounces", "metre",
    "metres", "meter", "meters", "kilometre", "kilometres", "kilometer", "kilometers",
    "mile", "miles", "foot", "feet", "pixel", "pixels", "day", "days", "hour", "hours",
    "minute", "minutes", "second", "seconds", "celsius", "fahrenheit", "kelvin", "percent",
})  # fmt: skip
_ALTERNATIVES = re.compile(r",? ?\boptionally\b.*|\bor [\w-]+(?: [\w-]+)?|;.*")
"""What a parameter takes as well, or what happens without it."""
_TIMES = frozenset({
    "now", "today", "current", "currentli", "latest", "live", "daili",
})  # fmt: skip
_WORD = re.compile(r"[a-z][a-z:-]*[a-z]")
_EMPTY_WORDS = frozenset({
    "the", "of", "an", "in", "to", "is", "it", "or", "and", "for", "name", "which", "such",
    "as", "what",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedArguments:
    """What another API can be given.

    Attributes:
        arguments: by its own names.
        lost: values that it has no clear place for, by the first API's names.
        missing: arguments that it requires and nobody gave.
    """

    arguments: Mapping[str, Any]
    lost: Mapping[str, Any]
    missing: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether calling it asks for exactly what was asked."""
        return not self.lost and not self.missing


def carry_arguments(first: Api, second: Api, given: Mapping[str, Any]) -> CarriedArguments:
    """The values that were given to `first`, for `second`."""
    known = {each.name: each for each in first.parameter_list}
    places = {each.name: each for each in second.parameter_list}
    defaults = {
        name: each.schema["default"]
        for name, each in known.items()
        if name not in given and each.schema.get("default") is not None
    }
    fitting: dict[str, list[str]] = {}
    for name, value in {**defaults, **given}.items():
        parameter = known.get(name)
        fitting[name] = [
            place.name
            for place in places.values()
            if parameter is not None and _fits(parameter, place, value)
        ]
        if name in fitting[name]:
            fitting[name] = [name]
    taken = [place for found in fitting.values() for place in found]
    arguments: dict[str, Any] = {}
    lost: dict[str, Any] = {}
    for name, value in {**defaults, **given}.items():
        found = fitting[name]
        # Two places for one value, or two values for one place: nobody knows which.
        if len(found) == 1 and taken.count(found[0]) == 1:
            arguments[found[0]] = value
        elif not (name in defaults and _has_default(places.get(name), value)):
            lost[name] = value
    missing = tuple(
        each.name for each in places.values() if each.required and each.name not in arguments
    )
    return CarriedArguments(arguments=arguments, lost=lost, missing=missing)


def is_same_operation(first: Api, second: Api) -> bool:
    """Whether the second says that it does what the first is called: every word of the first's
    name that is neither an argument nor a time stands in the second's name or description. Members
    of a toolkit are alike, but the capital of a country is not its calling code."""
    arguments = {stem(w) for each in first.parameter_list for w in _WORD.findall(each.name)}
    named = {stem(word) for word in search_terms(first.name.casefold())} - arguments - _TIMES
    said = {stem(word) for word in search_terms(f"{second.name} {second.description}".casefold())}
    return bool(named) and named <= said


def _has_default(place: Parameter | None, value: Any) -> bool:
    return place is not None and place.schema.get("default") == value


def _fits(first: Parameter, second: Parameter, value: Any) -> bool:
    """Whether the second surely means the same by the value."""
    types = {first.type, second.type}
    if len(types) > 1 and types != {"integer", "number"}:
        return False
    if first.schema.get("format") != second.schema.get("format"):
        return False
    choice = second.schema.get("enum")
    if choice is not None and value not in choice:
        return False
    if second.type == "integer" and (isinstance(value, bool) or not isinstance(value, int)):
        return False
    return _is_one_name(first, second) and _is_one_meaning(first, second)


def _is_one_name(first: Parameter, second: Parameter) -> bool:
    one, other = first.name.casefold(), second.name.casefold()
    if one in _VAGUE or other in _VAGUE:
        words = _content(first.description)
        shared = words & _content(second.description)
        return bool(shared) and (one == other or words == _content(second.description))
    if one == other:
        return True
    if other in _WIDER.get(one, ()):
        return True
    return any({one, other} <= set(names.split()) for names in _SAME)


def _is_one_meaning(first: Parameter, second: Parameter) -> bool:
    """Whether units and subjects agree, and the second wants no form that the first does not."""
    one, other = _words(first), _words(second)
    if (one & _UNITS) != (other & _UNITS):
        return False
    subjects = one & _SUBJECTS, other & _SUBJECTS
    if all(subjects) and not subjects[0] & subjects[1]:
        return False
    if not all(subjects) and any(subjects) and first.name != second.name:
        return False
    return (other & _FORMS) <= (one & _FORMS)


def _words(parameter: Parameter) -> frozenset[str]:
    """The words of a description and a name, without what may be given as well."""
    text = _ALTERNATIVES.sub("", parameter.description.casefold())
    named = parameter.name.casefold().replace("_", " ")
    return frozenset(_WORD.findall(f"{named} {text}"))


def _content(description: str) -> frozenset[str]:
    words = _WORD.findall(_ALTERNATIVES.sub("", description.casefold()))
    return frozenset(words) - _EMPTY_WORDS
