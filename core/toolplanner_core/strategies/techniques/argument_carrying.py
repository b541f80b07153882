"""The arguments of one API for another one that may stand in for it: every value, or not at all.

A value is carried over only if both APIs clearly mean the same by it (`same_meaning.py`) and it has
an exact form there (`carried_values.py`): "250" is 250, Sweden is "sv" where codes are wanted, two
numbers are one text of a position. What is left out would be answered as if it had not been asked:
1.14 dollars for a euro instead of 285.50 for 250 of them. So whoever calls must look whether
anything was lost or is missing. Values that the first API documents as its defaults count as given,
and so does what stands fixed in its address: "diesel" in `/diesel`. Pure.

Source: design/gateway.md section 4.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.api import Api, Parameter
from toolplanner_core.strategies.techniques.carried_values import (
    constants_of,
    form_of,
    joined_position,
    parted_position,
    text_of,
)
from toolplanner_core.strategies.techniques.same_meaning import (
    Given,
    is_secret,
    means_same,
    plain_name,
)

_OF_PAGES = frozenset({
    "limit", "page", "pagesize", "offset", "skip", "count", "size", "start", "format", "callback",
    "cursor", "sort", "order", "outputformat", "num", "pretty",
})  # fmt: skip
"""How much of a reply comes, and in which form: where nobody gave it, the reply is the same one."""
_HEADERS = ("content_type", "accept")
_LATITUDE, _LONGITUDE = frozenset({"lat", "latitude"}), frozenset({"lon", "lng", "longitude"})
_POSITION = re.compile(r"\blat(?:itude)?\b.{0,8}\b(?:lon|lng|long)(?:itude)?\b")


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
    carrying = _Carrying(first, second, given)
    carrying.by_meaning()
    carrying.positions()
    carrying.constants()
    return carrying.result()


class _Carrying:
    """One carrying over, step by step."""

    def __init__(self, first: Api, second: Api, given: Mapping[str, Any]) -> None:
        self._first, self._second, self._given = first, second, given
        self._known = {each.name: each for each in first.parameter_list}
        self._places = {each.name: each for each in second.parameter_list}
        defaults = dict(_defaults(self._known, self._places, given))
        self._defaults = defaults
        self._left: dict[str, Any] = {**defaults, **given}
        self._found: dict[str, Any] = {}

    def by_meaning(self) -> None:
        """Each value to the one place that means the same; two places for one value, or two values
        for one place: nobody knows which."""
        fitting = {name: self._fitting(name, value) for name, value in self._left.items()}
        taken = [place for found in fitting.values() for place in found]
        for name, found in fitting.items():
            if len(found) == 1 and taken.count(next(iter(found))) == 1:
                self._found |= found
                del self._left[name]

    def _fitting(self, name: str, value: Any) -> dict[str, Any]:
        """The places for a value, each with the value in its form."""
        parameter = self._known.get(name)
        if parameter is None:
            return {}
        is_choice = "enum" in parameter.schema or isinstance(value, bool)
        if name in self._defaults and not is_choice:
            return {}  # nobody gave it, and it may be an example
        given = Given(self._first, parameter, value, len(self._given) == 1 and name in self._given)
        found: dict[str, Any] = {}
        for place in self._places.values():
            form = form_of(value, parameter, place)
            if form is not None and means_same(given, self._second, place):
                found[place.name] = form.value
        same = [each for each in found if plain_name(each) == plain_name(name)]
        if name in found or len(same) == 1:
            kept = name if name in found else same[0]
            return {kept: found[kept]}
        required = [each for each in found if self._places[each].required]
        return {required[0]: found[required[0]]} if len(required) == 1 else found

    def positions(self) -> None:
        """Two numbers as the text of a position, or the other way round."""
        numbers = self._position_names(self._known.values())
        free = [each for each in self._places.values() if each.name not in self._found]
        texts = [each for each in free if each.type == "string" and _is_position(each)]
        if len(texts) == 1 and numbers is not None and set(numbers) <= self._left.keys():
            latitude, longitude = (self._left.pop(name) for name in numbers)
            self._found[texts[0].name] = joined_position(latitude, longitude)
            return
        places = self._position_names(free)
        for name in [each for each in self._left if each in self._known]:
            parted = parted_position(self._left[name])
            if places is not None and parted is not None and _is_position(self._known[name]):
                self._found |= dict(zip(places, parted, strict=True))
                del self._left[name]
                return

    def _position_names(self, among: Any) -> tuple[str, str] | None:
        named = [cast("Parameter", each).name for each in among]
        one = [name for name in named if plain_name(name) in _LATITUDE]
        other = [name for name in named if plain_name(name) in _LONGITUDE]
        return (one[0], other[0]) if len(one) == len(other) == 1 else None

    def constants(self) -> None:
        """Choices that stand fixed in the address of one of the two APIs."""
        ours, theirs = constants_of(self._first.url), constants_of(self._second.url)
        for name, value in list(self._left.items()):
            choice = _choice(self._known.get(name))
            if value in choice and str(value).casefold() in theirs:
                del self._left[name]
        for place in self._places.values():
            fixed = [each for each in _choice(place) if str(each).casefold() in ours]
            if place.name not in self._found and len(fixed) == 1:
                self._found[place.name] = fixed[0]

    def result(self) -> CarriedArguments:
        """What was found, lost and is missing."""
        for place in self._places.values():
            default = place.schema.get("default")
            is_header = plain_name(place.name) in _HEADERS and place.required
            if is_header and default is not None:
                self._found.setdefault(place.name, default)
        lost = {name: value for name, value in self._left.items() if not self._is_of_pages(name)}
        missing = tuple(
            each.name
            for each in self._places.values()
            if each.required and each.name not in self._found and not _is_kept_key(each)
        )
        return CarriedArguments(arguments=self._found, lost=lost, missing=missing)

    def _is_of_pages(self, name: str) -> bool:
        """Whether nobody gave a value, and it says only how much comes."""
        return name in self._defaults and bool(_OF_PAGES & set(plain_name(name).split("_")))


def _defaults(
    known: Mapping[str, Parameter], places: Mapping[str, Parameter], given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """What the first API does where nothing is given, unless the second does the same. A text that
    is shown as an example, too, is one only: an address of somewhere is no default."""
    for name, parameter in known.items():
        value = parameter.schema.get("default")
        if name in given or value is None or is_secret(parameter):
            continue
        if name in places and places[name].schema.get("default") == value:
            continue
        examples = parameter.schema.get("examples")
        is_shown = isinstance(examples, list) and value in cast("list[Any]", examples)
        if is_shown and _is_free_text(parameter, value):
            continue
        yield name, value


def _choice(parameter: Parameter | None) -> list[Any]:
    choice = parameter.schema.get("enum") if parameter is not None else None
    return cast("list[Any]", choice) if isinstance(choice, list) else []


def _is_free_text(parameter: Parameter, value: Any) -> bool:
    return isinstance(value, str) and "enum" not in parameter.schema


def _is_position(parameter: Parameter) -> bool:
    return bool(_POSITION.search(text_of(parameter)))


def _is_kept_key(parameter: Parameter) -> bool:
    """Whether it is filled from the keys that a person has kept for the service."""
    return parameter.schema.get("writeOnly") is True
