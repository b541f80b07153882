"""Fill the arguments of an API by rule. Called by `planner.py` for `FillArguments`.

Each parameter is understood (`roles.py`), then looked for, in this order: the goal of the step,
results of earlier steps, the rest of the query, the documented default (required parameters only).
What nobody says is null.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.offline.candidates import ROLES
from toolplanner_core.llm.offline.choices import choose_option, choose_truth
from toolplanner_core.llm.offline.mentions import Mention, find_mentions
from toolplanner_core.llm.offline.render import fitted
from toolplanner_core.llm.offline.results import find_bound, find_point
from toolplanner_core.llm.offline.roles import Slot, slot_of
from toolplanner_core.llm.offline.texts import Text
from toolplanner_core.llm.offline.words import name_words, stem, stems
from toolplanner_core.prompts.argument_answer import REFERENCE_KEY, properties_of, required_of
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.prompts.values import is_type, types_of

_BAD_VALUE = frozenset(
    [ErrorClass.INVALID_PARAMETER, ErrorClass.WRONG_FORMAT, ErrorClass.NOT_FOUND]
)
_REFERRING = re.compile(
    r"\b(?:there|its|it|that|those|these|this|them|their|the (?:same|result|results))\b",
    re.IGNORECASE,
)
_WEAK = frozenset(["query", "name", "id", ""])
"""Roles whose values are guessed from free text; optional ones get them only under a label."""
_SHAPED = frozenset(
    ["unit", "currency", "language", "iban", "isbn", "vin", "phone", "zip", "ip", "url", "email"]
)
"""Roles whose values are told by shape or side, which is surer than a label or an enum's words."""
_SHARED = frozenset(
    [
        "place",
        "country",
        "state",
        "zip",
        "date",
        "datetime",
        "year",
        "latitude",
        "longitude",
        "coordinates",
        "currency",
        "language",
    ]
)
"""Roles that a context sentence may fill for every need."""


class _Value(NamedTuple):
    value: Any
    is_reference: bool = False


class _Filler:
    def __init__(self, question: FillArguments) -> None:
        self.question = question
        self.properties = properties_of(question.api.parameters)
        self.required = set(required_of(question.api.parameters))
        self.slots = {
            name: slot_of(name, schema, [other for other in self.properties if other != name])
            for name, schema in self.properties.items()
        }
        roles = frozenset(slot.role for slot in self.slots.values())
        api = question.api
        known = stems(" ".join(name_words(f"{api.tool} {api.name}")))
        self.goal = _text(question.goal, question.now, roles, known)
        self.query = _nearest_first(
            _text(question.query, question.now, roles, known), question.goal
        )
        self.refers = bool(_REFERRING.search(question.goal))
        self.used: dict[tuple[str, str], str] = {}

    def answer(self) -> dict[str, Any]:
        arguments: dict[str, Any] = dict.fromkeys(self.properties)
        for name in sorted(self.properties, key=self._order):
            found = self._fill(self.slots[name], self.properties[name])
            if found is not None:
                arguments[name] = found.value
        return {"arguments": arguments}

    def _order(self, name: str) -> tuple[bool, bool, int]:
        """Required before optional, precise roles before guesses, documented order within."""
        slot = self.slots[name]
        return (name not in self.required, slot.role in _WEAK, list(self.properties).index(name))

    def _fill(self, slot: Slot, schema: Any) -> _Value | None:
        is_required = slot.name in self.required
        for found in self._offers(slot, schema, is_required):
            if found.is_reference:
                return found
            for value in fitted(found.value, schema):
                if not self._failed_before(slot.name, value):
                    self._use(slot, value)
                    return _Value(value)
        return None

    def _offers(self, slot: Slot, schema: Any, is_required: bool) -> Iterator[_Value]:
        if slot.role == "secret":
            yield from self._default(slot, schema, is_required)
            return
        offer = ROLES.get(slot.role)
        if slot.role in _SHAPED and offer is not None:
            yield from self._from_goal(slot, schema)
        yield from self._labelled(slot, schema)
        yield from self._chosen(slot, schema, is_required)
        is_guess = slot.role in _WEAK
        if self.refers or slot.role in ("latitude", "longitude", "coordinates", "id"):
            yield from self._from_goal(slot, schema) if offer and not is_guess else ()
            yield from self._bound(slot, schema, 1.0)
        if offer is not None and (is_required or not is_guess):
            yield from self._from_goal(slot, schema)
            yield from self._bound(slot, schema, 1.0 if is_required else 2.0)
            if (is_required and not is_guess) or slot.role in _SHARED:
                for value in offer(slot, schema, self.query):
                    if is_required or self._is_context(slot):
                        yield _Value(value)
        if is_required:
            yield from self._bound(slot, schema, 0.3)
            if not slot.role:
                yield from (
                    _Value(value)
                    for value in self._untyped(slot, schema)
                    if (str(type(value)), str(value)) not in self.used
                )
        yield from self._default(slot, schema, is_required)

    def _from_goal(self, slot: Slot, schema: Any) -> Iterator[_Value]:
        for value in ROLES[slot.role](slot, schema, self.goal):
            if not self._is_used(slot, value):
                yield _Value(value)

    def _is_context(self, slot: Slot) -> bool:
        """Whether an optional parameter may take what the query says outside this need."""
        return slot.role in ("country", "state", "date", "datetime") and not self.refers

    def _labelled(self, slot: Slot, schema: Any) -> Iterator[_Value]:
        """Values that the text names by the parameter's own words: "3 adults", "order id 77"."""
        small = ("from", "to", "number", "code", "no", "id")
        words = [word for word in slot.words if word not in small] or list(slot.words)
        if not words or slot.role in ("latitude", "longitude", "coordinates", "currency", "place"):
            return
        meant = {stem(word) for word in words}
        kinds = types_of(schema)
        if not kinds or {"number", "integer"} & set(kinds):
            for mention in (*self.goal.of("number", "measure"), *self.query.of("number")):
                if stem(mention.unit) in meant and mention.unit not in ("", "%"):
                    yield _Value(mention.value)
        label = r"[\s_-]+".join(map(re.escape, words))
        pattern = (
            rf"\b{label}\b(?:\s+(?:number|code|id|no\.?))?\s*(?:is|of|=|:|called|named|#)?\s*"
            r"(?P<v>\"[^\"]+\"|'[^']+'|#?-?[\w.-]*\d[\w.-]*)"
        )
        for text in (self.goal.text, self.query.text):
            for match in re.finditer(pattern, text, re.IGNORECASE):
                yield _Value(match["v"].strip("\"'").rstrip("."))

    def _chosen(self, slot: Slot, schema: Any, is_required: bool) -> Iterator[_Value]:
        kinds = types_of(schema)
        if kinds == ["boolean"]:
            truth = choose_truth(slot.words, self.goal.text)
            if truth is not None:
                yield _Value(truth)
        options = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(options, list) and options:
            for text in (self.goal.text, self.query.text) if is_required else (self.goal.text,):
                option = choose_option(options, text, self.goal.known, slot.words)
                if option is not None:
                    yield _Value(option)

    def _bound(self, slot: Slot, schema: Any, least: float) -> Iterator[_Value]:
        for bound in find_bound(slot, self.question.goal, self.question.results):
            if bound.score < least:
                return
            kinds = types_of(schema)
            fits = next(fitted(bound.value, schema), None)
            if fits is None or self._failed_before(slot.name, fits):
                continue
            fuller = self._fuller(slot, fits)
            if fuller:
                yield _Value(fuller)
            elif fits == bound.value and (not kinds or any(is_type(fits, k) for k in kinds)):
                path = list(bound.path)
                yield _Value({REFERENCE_KEY: {"step": bound.step, "path": path}}, True)
            else:
                yield _Value(fits)
        if slot.role == "coordinates":
            point = find_point(self.question.goal, self.question.results)
            if point:
                yield _Value(point)

    def _fuller(self, slot: Slot, value: Any) -> str:
        """The place as the query has it, where a result repeats less of it: "Springfield" when
        "Springfield, Illinois" was asked for."""
        if slot.role != "place" or not isinstance(value, str):
            return ""
        offers = ROLES["place"](slot, {}, self.query)
        head = f"{value.lower()},"
        return next((said for said in offers if str(said).lower().startswith(head)), "")

    def _untyped(self, slot: Slot, schema: Any) -> Iterator[Any]:
        """For a parameter nobody understands: a quoted span, a free number, the subject."""
        yield from (mention.value for mention in self.goal.of("quoted", "uuid", "tracking"))
        if {"number", "integer"} & set(types_of(schema)):
            found = self.goal.of("measure", "number", "money")
            yield from (mention.value for mention in found)
        if types_of(schema)[:1] in ([], ["string"]):
            yield from ROLES["name"](slot, schema, self.goal)

    def _default(self, slot: Slot, schema: Any, is_required: bool) -> Iterator[_Value]:
        if is_required and slot.role == "year":
            yield _Value(self.question.now.year)  # "holidays in Germany" means this year's
        if is_required and isinstance(schema, dict) and schema.get("default") not in (None, ""):
            yield _Value(schema["default"])

    def _failed_before(self, name: str, value: Any) -> bool:
        """Whether this API refused this value of this parameter in an earlier attempt."""
        return any(
            failure.api_title == self.question.api.title
            and failure.error in _BAD_VALUE
            and name in failure.arguments
            and failure.arguments[name] == value
            and (
                name in failure.message
                or len(failure.arguments) == 1
                or str(value) in failure.message
            )
            for failure in self.question.failures
        )

    def _use(self, slot: Slot, value: Any) -> None:
        self.used.setdefault((str(type(value)), str(value)), slot.role)

    def _is_used(self, slot: Slot, value: Any) -> bool:
        """Whether a number already serves a parameter of another role."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        role = self.used.get((str(type(value)), str(value)))
        return (
            role is not None
            and role != slot.role
            and slot.role in ("limit", "amount", "days", "page")
        )


def _text(text: str, now: datetime, roles: frozenset[str], known: frozenset[str]) -> Text:
    return Text(
        text=text[:4000],
        mentions=find_mentions(text[:4000], now),
        now=now,
        roles=roles,
        known=known,
    )


def _nearest_first(query: Text, goal: str) -> Text:
    """The query with mentions before the goal's place first, nearest first: what "there" means."""
    at = query.text.find(goal)
    if at < 0:
        return query

    def distance(mention: Mention) -> tuple[bool, int]:
        return (mention.start > at, abs(mention.start - at))

    return Text(
        text=query.text,
        mentions=tuple(sorted(query.mentions, key=distance)),
        now=query.now,
        roles=query.roles,
        known=query.known,
    )


def fill_arguments(question: FillArguments) -> dict[str, Any]:
    """The answer's JSON: every parameter, null where nothing is said."""
    return _Filler(question).answer()
