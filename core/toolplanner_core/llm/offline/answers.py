"""Say what results hold, and compose the answer from what the steps found.

Every sentence is a step's statement or a failure's; nothing is added. In a statement the value
that answers comes first, then the other fields in brackets; what only repeats the arguments is
left out.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.call_evidence import nearest_miss, quoted, unserved_query_parts
from toolplanner_core.llm.offline.mentions import meant, name_words, stem, stems
from toolplanner_core.llm.offline.planning import refers_back
from toolplanner_core.llm.offline.result_values import (
    best_index,
    is_empty,
    is_number,
    title_key,
    unwrap,
)
from toolplanner_core.llm.offline.similarity import subject_words
from toolplanner_core.llm.offline.tables import ordered_words, pattern, spelled, table, words
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.words.query_clarity import no_plan_reason, unclear_reason

_TEXT = 240
_MOST_KEYS = 60
_DEPTH = 3
_NAMED = 2.0
"""Weight of a field that the need names; all such fields lead."""


class Fact(NamedTuple):
    """A field: its own name in the reply, how it is called, its value (a list stays a list)."""

    key: str
    label: str
    unit: str
    value: Any

    @property
    def text(self) -> str:
        """Its value with the unit."""
        gap = "" if self.unit in ("", "%") else " "
        return f"{in_words(self.value)}{gap}{self.unit}"


def facts_of(fields: dict[str, Any], goal: str) -> list[Fact]:
    """All fields that say something, in document order."""
    asked = stems(goal)
    found: list[Fact] = []
    beside = {name_words(path[-1]) for path, _ in _flat(fields)}
    for path, value in _flat(fields):
        key = path[-1].lower()
        is_noise = key in words("noise_keys") and stem(key) not in asked
        is_state = key == "status" and str(value).lower() not in words("flags")
        if is_empty(value) or (is_noise and not is_state and (key != "message" or len(fields) > 3)):
            continue
        pair = cast(list[Any], value) if key == "coordinates" and isinstance(value, list) else []
        # Source: RFC 7946, longitude first.
        said = f"latitude {pair[1]}, longitude {pair[0]}" if len(pair) == 2 else value
        label, unit = _label_and_unit(path[-1], value, beside)
        parents = [part for part in path[:-1] if part.lower() not in words("envelopes")]
        prefix = " ".join(name_words(parents[-1])) if parents else ""
        if prefix not in label and len(prefix.split()) <= 2:
            label = f"{prefix} {label}"
        found.append(Fact(path[-1], label.strip(), unit, said))
    return found


def _flat(
    fields: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in list(fields.items())[:_MOST_KEYS]:
        if isinstance(value, dict) and len(path) < _DEPTH:
            yield from _flat(cast(dict[str, Any], value), (*path, str(key)))
        else:
            yield (*path, str(key)), value


def _label_and_unit(key: str, value: Any, beside: Collection[Sequence[str]]) -> tuple[str, str]:
    """The words of a key, without the unit in it, and that unit: "temp_c" is ("temp", "°C"), and
    "temp_min" beside "temp_max" no minutes."""
    said = [word for word in name_words(key) if word != "str"]  # "strDrink" names its type
    is_least = said[-1:] == ["min"] and (*said[:-1], "max") in beside
    may_say = len(said) > 1 and is_number(value) and not is_least
    unit = spelled("unit_signs").get(said[-1], "") if may_say else ""
    return " ".join(said[:-1] if unit else said), unit


def in_words(value: Any) -> str:
    """A single value: yes and no for truth values, no needless ".0", no dumps of files."""
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = "unknown" if value is None else str(value)
    said = describe_file(text) or " ".join(text.split())
    return said if len(said) <= _TEXT else f"{said[: _TEXT - 1]}…"


def describe_file(value: Any) -> str:
    """What a text that nobody reads is: a picture, a page, other data; "" for other values."""
    if not isinstance(value, str):
        return ""
    size = f"{len(value.encode('utf-8', 'replace')):,} bytes"
    data = re.match(r"data:(?P<kind>\w+)/(?P<form>[\w.+-]+)[;,]", value)
    if data is not None:
        what = "an image" if data["kind"] == "image" else "a file"
        return f"{what} ({data['form'].removesuffix('+xml')}, {size})"
    files = table("files").items()
    return next((f"{what}, {size})" for what, shape in files if re.match(shape, value)), "")


def is_echo(fact: Fact, goal: str) -> bool:
    """Whether a field only says what was asked with: from EUR, to USD, amount 250."""
    low, units = goal.lower(), spelled("units")
    if isinstance(fact.value, bool | list) or fact.key in ("result", "converted", "degrees"):
        return False
    if is_number(fact.value):
        return bool(re.search(rf"(?<![\d.]){re.escape(in_words(fact.value))}(?![\d]|\.\d)", low))
    said = str(fact.value).strip().lower().partition(",")[0]
    is_thing = said.isalpha() and re.search(rf"\b{said}\b", goal)  # names have capitals there
    if (is_thing and pattern("yes_or_no").match(goal)) or not 0 < len(said) <= 60:
        return False  # "is it up" is answered by "up"
    asked = {units.get(word) for word in re.findall(r"[^\W\d_]+", low)} - {None}
    return units.get(said) in asked or bool(re.search(rf"(?<!\w){re.escape(said)}(?!\w)", low))


def leading(facts: list[Fact], goal: str, most: int = 3) -> list[Fact]:
    """The fields that answer the need, in document order: those named in it, else the one that
    answers usually are in; none if all are side notes."""
    scores = [_weight(fact, goal) for fact in facts]
    top = sorted(range(len(facts)), key=lambda index: -scores[index])[:most]
    chosen = [index for index in top if scores[index] >= _NAMED] or top[:1]
    return [facts[index] for index in sorted(chosen) if scores[index] > 0]


def _weight(fact: Fact, goal: str) -> float:
    subject, key = subject_words(goal), fact.key.lower()
    own = {stem(word) for word in name_words(fact.key)}
    said = subject.said.union(*subject.telling)
    named = len(own & said) or any(not said.isdisjoint(meant(word)) for word in own)
    joined = len(key) > 5 and key.replace("_", "") in re.sub(r"\W", "", goal.lower())
    keys = ordered_words("answer_keys")
    score = _NAMED * bool(named or joined) + 0.3 * (named if named > 1 else 0)
    if key in keys:
        score += 1.0 - keys.index(key) / 100
    elif fact.label.split()[-1:] and fact.label.split()[-1] in keys:
        score += 0.7
    is_state = re.fullmatch("True|False|[a-z]+", str(fact.value))
    score += 1.5 * bool(is_state and pattern("yes_or_no").match(goal))
    score += 0.6 * isinstance(fact.value, list) + 1.0 * bool(describe_file(fact.value))
    is_aside = key in words("side_notes") and not pattern("coordinates").search(goal)
    return score - 1.0 * bool(own & words("id_fields") and named < 2) - 0.5 * is_aside


def compose_answer(question: FinalAnswer) -> dict[str, Any]:
    """The answer's JSON."""
    asked = [result for result in question.results if not _is_input(result.goal, question.query)]
    lines = [_sentence(result) for result in asked or question.results]

    def near(goal: str) -> str:
        missed = nearest_miss(goal, question.failures)
        return subject_of(goal) + (f" ({missed})" if missed else "")

    unmet = list(dict.fromkeys(goal.strip() for goal in question.unmet if goal.strip()))
    tried = {failure.goal for failure in question.failures}
    waited = [goal for goal in unmet if goal not in tried and tried and refers_back(goal)]
    never_named = [goal for goal in unmet if goal not in tried and goal not in waited]
    for goal in [*filter(tried.__contains__, unmet), *waited]:
        why = _why(goal, question.failures) if goal in tried else "What it needs was not found."
        lines.append(f"Not answered: {subject_of(goal)}. {why}")
    reason = unclear_reason(question.query, never_named)
    if not reason and never_named:
        reason = no_plan_reason([subject_of(goal) for goal in never_named])
    elif not unmet and (left := unserved_query_parts(question)):
        reason = f"Doubtful: nothing that was called speaks of {quoted(left)}"
    lines += [f"{reason}."] if reason else []
    if not reason and unmet:
        reason = f"Not answered: {'; '.join(map(near, unmet))}"
    elif not reason and not question.results:
        reason = "No step of the plan gave a result."
    text = "\n".join(lines) or f"The query could not be answered. {reason}"
    return {"answer": text, "solved": not reason, "reason": reason}


def _is_input(goal: str, query: str) -> bool:
    """Whether a step only fetched an input for another."""
    heads = (kind["goal"].partition("{")[0].lower() for kind in table("inputs"))
    return goal.lower().startswith(tuple(heads)) and goal.lower() not in query.lower()


def _sentence(result: StepResult) -> str:
    text = result.state.strip() or state_result(result.goal, result.value)
    return text if text.endswith((".", "?", "…")) else f"{text}."


def _why(goal: str, failures: Sequence[FailureCard]) -> str:
    """The failures of a goal in words, each API once, the last failure of it."""
    last = {failure.api_title: failure for failure in failures if failure.goal == goal}
    said = {"Tried ": list[str](), "Not sent: ": list[str]()}
    for title, failure in sorted(last.items(), key=lambda each: not each[1].was_sent)[:4]:
        said["Tried " if failure.was_sent else "Not sent: "].append(
            f"{title}: {failure.explanation}"
        )
    text = ". ".join(head + "; ".join(those) for head, those in said.items() if those)
    return text + (f"; and {len(last) - 4} more." if len(last) > 4 else ".")


_EDGE = " .?!,;:"
_DETAILS = 7
_ITEM_TEXT = 80
_OF_ELEMENT = 4
_ELEMENTS = 3
_NAMES = 10


def state_result(goal: str, value: Any) -> str:
    """One statement: what was asked, what answers it, and further details."""
    body = _describe(unwrap(_read(value)), goal) or "no details given"
    head = subject_of(goal)
    is_question = " " in head and head.partition(" ")[0].lower() in words("askers")
    return f"{head}? {body[:1].upper()}{body[1:]}" if is_question else f"{head}: {body}"


def _read(value: Any) -> Any:
    """What a text that is JSON holds: some APIs send their reply as text in a reply."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def subject_of(goal: str) -> str:
    """The goal without its command, as a heading; questions keep their words: without "will it",
    "will it rain" is no English."""
    whole = goal.strip().strip(_EDGE)
    text = pattern("said_command").sub("", whole).strip(_EDGE) or whole or "Result"
    return text[:1].upper() + text[1:]


def _describe(value: Any, goal: str) -> str:
    if isinstance(value, list):
        return _list(cast(list[Any], value), goal)
    return (
        _object(cast(dict[str, Any], value), goal) if isinstance(value, dict) else in_words(value)
    )


def _object(fields: dict[str, Any], goal: str) -> str:
    every = facts_of(fields, goal)
    new = [fact for fact in every if not is_echo(fact, goal)] or every
    lead = leading(new, goal)
    rest = [fact for fact in _most_telling(new, goal, _DETAILS) if fact not in lead]
    details = ", ".join(_labelled(fact, goal) for fact in rest)
    if len(lead) == 1 and isinstance(lead[0].value, list):
        said = _list(lead[0].value, goal)
        # Its elements have brackets of their own already.
        return f"{said}. Also: {details}" if details else said
    said = ", ".join(_labelled(fact, goal) for fact in lead)
    if len(lead) == 1:
        said = _answer(lead[0], every, goal)
    if not said or not details:
        return said or details
    return f"{said}, {details}" if said.endswith(")") else f"{said} ({details})"


def _most_telling(facts: list[Fact], goal: str, most: int) -> list[Fact]:
    """The fields that share words with the goal first, then by order, in document order."""
    asked = frozenset[str]().union(*map(meant, stems(goal)))
    said = [f"{f.label} {f.value[:_ITEM_TEXT] if isinstance(f.value, str) else ''}" for f in facts]
    ranked = sorted(range(len(facts)), key=lambda at: -len(stems(said[at]) & asked))
    return [facts[index] for index in sorted(ranked[:most])]


def _answer(fact: Fact, every: Sequence[Fact], goal: str) -> str:
    text = fact.text
    is_bare = fact.key.lower() in words("bare_keys")
    if is_number(fact.value) and not fact.unit:
        text = f"{text} {_unit_beside(fact, is_bare, every)}".strip()
    says_itself = is_bare or describe_file(fact.value) or stems(fact.label) <= stems(goal)
    return text if says_itself or not fact.label else f"{fact.label} {text}"


def _unit_beside(fact: Fact, is_bare: bool, every: Sequence[Fact]) -> str:
    """The unit or currency of a number that the reply names in another field."""
    sides: list[Fact] = []
    if is_bare:
        sides = [f for f in every if name_words(f.key)[:1] in (("to",), ("target",))]
    elif words("price_fields").intersection(name_words(fact.key)):
        sides = [f for f in every if f.key.lower() in ("currency", "currency_code")]
    sides = sides or [f for f in every if f.key.lower() in words("unit_fields")]
    said = (f.value for f in sides if isinstance(f.value, str) and 0 < len(f.value) <= 12)
    return next((spelled("unit_signs").get(unit.lower(), unit) for unit in said), "")


def _labelled(fact: Fact, goal: str) -> str:
    text = fact.text
    if isinstance(fact.value, list):
        text = _list(cast(list[Any], fact.value), goal, bare=True)
    elif isinstance(fact.value, dict):
        text = f"{len(cast(dict[str, Any], fact.value))} fields"
    return f"{fact.label} {text}".strip()


def _list(items: list[Any], goal: str, *, bare: bool = False) -> str:
    """Elements by name, the one the goal means first; `bare` without their details."""
    if not any(isinstance(item, dict | list) for item in items):
        return _joined([in_words(item) for item in items[:_NAMES]], len(items), ", ")
    first = best_index(items, goal)
    order = sorted(range(len(items)), key=lambda index: index != first)[:_ELEMENTS]
    shown = [part for index in order if (part := _element(items[index], goal, bare=bare))]
    return _joined(shown, len(items) - len(order) + len(shown), ", " if bare else "; ")


def _joined(shown: list[str], of: int, by: str) -> str:
    more = of - len(shown)
    return by.join(shown) + (f" and {more} more" if more > 0 and shown else "")


def _element(item: Any, goal: str, *, bare: bool) -> str:
    if isinstance(item, list):
        return _list(cast(list[Any], item)[:_ELEMENTS], goal, bare=True) if item else ""
    if not isinstance(item, dict):
        return in_words(item)
    fields = cast(dict[str, Any], item)
    title = title_key(fields)
    name = in_words(fields[title]) if title is not None else ""
    if bare and name:
        return name
    rest = {key: inner for key, inner in fields.items() if key != title and not is_empty(inner)}
    facts = _most_telling(facts_of(rest, goal), goal, _OF_ELEMENT)
    details = ", ".join(_labelled(fact, goal) for fact in facts)
    return f"{name} ({details})" if name and details else name or details
