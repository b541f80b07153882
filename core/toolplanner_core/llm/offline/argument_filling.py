"""Fill the arguments of an API by rule. Called by `planner.py` for `FillArguments`.

Each parameter is understood (`roles.py`), then looked for, in this order: the goal of the step,
results of earlier steps, the rest of the query, the documented default (required parameters only).
What nobody says is null.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.offline.argument_candidates import offers
from toolplanner_core.llm.offline.mentions import Text, find_mentions, name_words, stem, stems
from toolplanner_core.llm.offline.parameter_roles import Slot, fitted, slot_of
from toolplanner_core.llm.offline.result_values import find_bound_values, find_point
from toolplanner_core.llm.offline.tables import pattern, spelled, table, words
from toolplanner_core.prompts.fill_arguments import (
    REFERENCE_KEY,
    FillArguments,
    properties_of,
    required_of,
)
from toolplanner_core.prompts.values import is_type, types_of
from toolplanner_core.words.tables import either

_BAD_VALUE = (ErrorClass.INVALID_PARAMETER, ErrorClass.WRONG_FORMAT, ErrorClass.NOT_FOUND)


class _Reference(NamedTuple):
    step: int
    path: tuple[str | int, ...]


class _Filler:
    def __init__(self, question: FillArguments) -> None:
        self.question = question
        self.properties = properties_of(question.api.parameters)
        self.required = set(required_of(question.api.parameters))
        self.slots = [
            slot_of(name, schema, [other for other in self.properties if other != name])
            for name, schema in self.properties.items()
        ]
        self.goal = self._text(question.goal)
        at, query = question.query.find(question.goal), self._text(question.query)
        # What "there" means stands before it: what is before the goal first, nearest first.
        nearest = sorted(query.mentions, key=lambda m: (m.start > at, abs(m.start - at)))
        self.query = query if at < 0 else query._replace(mentions=tuple(nearest))
        self.refers = bool(pattern("referring").search(question.goal))
        self.used: dict[tuple[str, str], str] = {}

    def _text(self, text: str) -> Text:
        api, now, text = self.question.api, self.question.now, text[:4000]
        known = stems(" ".join(name_words(f"{api.tool} {api.name}")))
        return Text(text, find_mentions(text, now), now, {slot.role for slot in self.slots}, known)

    def answer(self) -> dict[str, Any]:
        arguments: dict[str, Any] = dict.fromkeys(self.properties)
        for slot in sorted(self.slots, key=self._order):
            found = self._fill(slot, self.properties[slot.name])
            if isinstance(found, _Reference):
                found = {REFERENCE_KEY: {"step": found.step, "path": list(found.path)}}
            arguments[slot.name] = found
        return {"arguments": arguments}

    def _order(self, slot: Slot) -> tuple[bool, bool]:
        """Required before optional, precise roles before guesses, documented order within."""
        return (slot.name not in self.required, self._is_guess(slot))

    def _is_guess(self, slot: Slot) -> bool:
        """Whether values are guessed from free text; optional ones get them only under a label."""
        return not slot.role or slot.role in words("weak_roles")

    def _fill(self, slot: Slot, schema: Any) -> Any:
        for found in self._offers(slot, schema, slot.name in self.required):
            if isinstance(found, _Reference):
                return found
            for value in fitted(found, schema):
                if not self._failed_before(slot.name, value):
                    self.used.setdefault(_same(value), slot.role)
                    return value
        return None

    def _offers(self, slot: Slot, schema: Any, is_required: bool) -> Iterator[Any]:
        is_guess = self._is_guess(slot)
        if slot.role != "secret":
            if slot.role in words("shaped_roles"):  # told by shape or side: surer than a label
                yield from self._from_goal(slot, schema)
            yield from self._labelled(slot, schema)
            yield from self._chosen(slot, schema, is_required)
            if self.refers or slot.role in words("point_roles") or slot.role == "id":
                yield from () if is_guess else self._from_goal(slot, schema)
                yield from self._bound(slot, schema, 1.0)
            if slot.role and (is_required or not is_guess):
                yield from self._from_goal(slot, schema)
                yield from self._bound(slot, schema, 1.0 if is_required else 2.0)
                if self._may_be_elsewhere(slot, is_required, is_guess):
                    yield from offers(slot, schema, self.query)
            if is_required:
                yield from self._bound(slot, schema, 0.3)
                yield from () if slot.role else self._untyped(slot, schema)
        if is_required:
            yield from [self.question.now.year] if slot.role == "year" else []
            default = schema.get("default") if isinstance(schema, dict) else None
            yield from [] if default in (None, "") else [default]

    def _may_be_elsewhere(self, slot: Slot, is_required: bool, is_guess: bool) -> bool:
        """Whether what the query says outside this need may be meant."""
        if is_required:
            return not is_guess or slot.role in words("shared_roles")
        return slot.role in words("context_roles") and not self.refers

    def _from_goal(self, slot: Slot, schema: Any) -> Iterator[Any]:
        """What the goal offers, without numbers that already serve another role."""
        for value in offers(slot, schema, self.goal):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            role = self.used.get(_same(value), slot.role)
            if not (is_number and role != slot.role and slot.role in words("counting_roles")):
                yield value

    def _labelled(self, slot: Slot, schema: Any) -> Iterator[Any]:
        """Values that the text names by the parameter's own words: "3 adults", "order id 77"."""
        said = [word for word in slot.words if word not in words("label_fillers")]
        said = said or list(slot.words)
        if not said or slot.role in words("unlabelled_roles"):
            return
        kinds, meant = types_of(schema), {stem(word) for word in said}
        if not kinds or {"number", "integer"} & set(kinds):
            for mention in (*self.goal.of("number", "measure"), *self.query.of("number")):
                if mention.unit not in ("", "%") and stem(mention.unit) in meant:
                    yield mention.value
        label = r"[\s_-]+".join(map(re.escape, said))
        shape = table("patterns")["labelled"].replace("{LABEL}", label)
        for text in (self.goal.text, self.query.text):
            yield from (m["v"].strip("\"'").rstrip(".") for m in re.finditer(shape, text))

    def _chosen(self, slot: Slot, schema: Any, is_required: bool) -> Iterator[Any]:
        if types_of(schema) == ["boolean"]:
            truth = choose_truth(slot.words, self.goal.text)
            yield from [] if truth is None else [truth]
        options = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(options, list) and options:
            for text in (self.goal.text, self.query.text)[: 1 + is_required]:
                option = choose_option(options, text, self.goal.known, slot.words)
                yield from [] if option is None else [option]

    def _bound(self, slot: Slot, schema: Any, least: float) -> Iterator[Any]:
        """What earlier results hold for it, as references where the value fits as it is."""
        for bound in find_bound_values(slot, self.question.goal, self.question.results):
            if bound.score < least:
                return
            kinds = types_of(schema)
            fits = next(fitted(bound.value, schema), None)
            if fits is None or self._failed_before(slot.name, fits):
                continue
            fuller = self._fuller(slot, fits)
            if fuller:
                yield fuller
            elif fits == bound.value and (not kinds or any(is_type(fits, k) for k in kinds)):
                yield _Reference(bound.step, bound.path)
            else:
                yield fits
        point = slot.role == "coordinates" and find_point(self.question.goal, self.question.results)
        yield from [point] if point else []

    def _fuller(self, slot: Slot, value: Any) -> str:
        """The place as the query has it, where a result repeats less of it: "Springfield" when
        "Springfield, Illinois" was asked for."""
        if slot.role != "place" or not isinstance(value, str):
            return ""
        head = f"{value.lower()},"
        said = map(str, offers(slot, {}, self.query))
        return next((place for place in said if place.lower().startswith(head)), "")

    def _untyped(self, slot: Slot, schema: Any) -> Iterator[Any]:
        """For a parameter nobody understands: a quoted span, a free number, the subject."""
        kinds = types_of(schema)
        found: list[Any] = [m.value for m in self.goal.of("quoted", "uuid", "tracking")]
        if {"number", "integer"} & set(kinds):
            found += [m.value for m in self.goal.of("measure", "number", "money")]
        if kinds[:1] in ([], ["string"]):
            found += offers(slot._replace(role="place" if slot.side else "name"), schema, self.goal)
        yield from (value for value in found if _same(value) not in self.used)

    def _failed_before(self, name: str, value: Any) -> bool:
        """Whether this API refused this value of this parameter in an earlier attempt."""
        said = (name, str(value))
        return any(
            failure.api_title == self.question.api.title
            and failure.error in _BAD_VALUE
            and failure.arguments.get(name) == value
            and (len(failure.arguments) == 1 or any(map(failure.message.count, said)))
            for failure in self.question.failures
        )


def _same(value: Any) -> tuple[str, str]:
    return (str(type(value)), str(value))


def fill_arguments(question: FillArguments) -> dict[str, Any]:
    """The answer's JSON: every parameter, null where nothing is said."""
    return _Filler(question).answer()


_NO = r"(?:no|not|without|exclude|excluding|skip|omit|don't|do not)\s+(?:the\s+|any\s+)?"
_YES = r"(?:with|include|including|also|add|only|and|want|show)\s+(?:the\s+|their\s+|its\s+)?"


def choose_option(
    options: list[Any], text: str, known: frozenset[str], words: tuple[str, ...]
) -> Any | None:
    """The option that a text names itself, or by a synonym; None when it names none.

    Args:
        known: stems of the API's own words: "weather" in the text says nothing to a weather API.
        words: words of the parameter's name, which say nothing either.
    """
    mute = known | {stem(word) for word in words}
    low = text.lower().replace("-", " ")
    scores = [_score(str(option), low, mute) for option in options]
    best = max(scores, default=0.0)
    return options[scores.index(best)] if best else None


def _score(option: str, text: str, mute: frozenset[str]) -> float:
    low, plain = option.lower(), " ".join(name_words(option))
    if len(plain) > 2 and _stands([plain], text):
        return 3.0 + len(plain) / 100
    synonyms, unit = table("synonyms"), spelled("units").get(low)
    said = [*synonyms.get(low, ()), *synonyms.get(plain.replace(" ", "_"), ())]
    said += [word for word in (table("units")[unit] if unit else ()) if len(word) > 1]
    found = _stands(said, text) if said else ""
    if found:
        return 2.0 + len(found) / 100
    own = stems(plain) - mute
    return 1.0 if own and own <= stems(text) else 0.0


def _stands(said: list[str], text: str) -> str:
    match = re.search(rf"(?<!\w)(?:{either(said)})(?!\w)", text)
    return match.group() if match else ""


def choose_truth(words: tuple[str, ...], text: str) -> bool | None:
    """Whether a text asks for what a yes-or-no parameter is named after; None if it is silent."""
    telling = [w for w in words if w not in ("is", "has", "include", "with", "show", "get")]
    phrase = r"\W+".join(rf"{re.escape(stem(word))}\w*" for word in telling)
    if phrase and re.search(rf"\b{_NO}{phrase}", text.lower()):
        return False
    return True if phrase and re.search(rf"\b{_YES}{phrase}", text.lower()) else None
