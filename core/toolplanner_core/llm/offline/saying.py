"""Say what a result holds, in words, from its own fields. Called by `planner.py` (`Analyse`) and
`answer.py`.

The value that answers comes first, then the other fields in brackets; what only repeats the
arguments is left out.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.facts import Fact, facts_of, is_echo, leading
from toolplanner_core.llm.offline.plain_values import in_words, is_file
from toolplanner_core.llm.offline.results import best_index
from toolplanner_core.llm.offline.state import is_empty, title_key, unwrap
from toolplanner_core.llm.offline.words import name_words, stems

_COMMAND = re.compile(
    r"^(?:(?:please|find|show|get|tell|lists?(?: of)?|give|check|look up|search for|fetch|"
    r"what's|the|me|us|what (?:is|are|was|were)(?= (?:the|a|an|my|our)\b)|a|an|draw|suggest|"
    r"recommend|convert|translate)\b\s*)+",
    re.IGNORECASE,
)
_EDGE = " .?!,;:"
_DETAILS = 7
_OF_ELEMENT = 4
_ELEMENTS = 3
_NAMES = 10
_PRICES = frozenset(["price", "cost", "fare", "total"])


def say(goal: str, value: Any) -> str:
    """One statement: what was asked, what answers it, and further details."""
    body = _describe(unwrap(_read(value)), goal) or "no details given"
    head, is_question = _heading(goal)
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
    """The goal without its command, as a heading."""
    return _heading(goal)[0]


def _heading(goal: str) -> tuple[str, bool]:
    """The heading, and whether it is a question, which keeps its words: without "will it", "will
    it rain" is no English."""
    whole = goal.strip().strip(_EDGE)
    text = _COMMAND.sub("", whole).strip(_EDGE) or whole or "Result"
    first = text.partition(" ")[0].lower()
    return text[:1].upper() + text[1:], first in tables.words("askers") and " " in text


def _describe(value: Any, goal: str) -> str:
    if isinstance(value, list):
        return _list(cast(list[Any], value), goal)
    if isinstance(value, dict):
        return _object(cast(dict[str, Any], value), goal)
    return in_words(value)


def _object(fields: dict[str, Any], goal: str) -> str:
    every = facts_of(fields, goal)
    new = [fact for fact in every if not is_echo(fact, goal)] or every
    lead = leading(new, goal)
    rest = [fact for fact in _most_telling(new, goal, _DETAILS) if fact not in lead]
    if not lead:
        return ", ".join(_labelled(fact, goal) for fact in rest)
    details = ", ".join(_labelled(fact, goal) for fact in rest)
    if len(lead) > 1:
        said = ", ".join(_labelled(fact, goal) for fact in lead)
    elif lead[0].is_list:
        said = _list(lead[0].value, goal)
        # Its elements have brackets of their own already.
        return f"{said}. Also: {details}" if details else said
    else:
        said = _answer(lead[0], every, goal)
    if said.endswith(")"):
        return f"{said}, {details}" if details else said
    return f"{said} ({details})" if details else said


def _most_telling(facts: list[Fact], goal: str, most: int) -> list[Fact]:
    """The fields whose names share words with the goal first, then by order, in document order."""
    meant = stems(goal)

    def rank(index: int) -> tuple[int, int]:
        return (-len(stems(facts[index].label) & meant), index)

    return [facts[index] for index in sorted(sorted(range(len(facts)), key=rank)[:most])]


def _answer(fact: Fact, every: Sequence[Fact], goal: str) -> str:
    text = fact.text
    is_number = isinstance(fact.value, int | float) and not isinstance(fact.value, bool)
    if is_number and not fact.unit:
        text = f"{text} {_unit_beside(fact, every)}".strip()
    says_itself = (
        is_file(fact.value)
        or fact.key in tables.words("bare_keys")
        or stems(fact.label) <= stems(goal)
    )
    return text if says_itself or not fact.label else f"{fact.label} {text}"


def _unit_beside(fact: Fact, every: Sequence[Fact]) -> str:
    """The unit or currency of a number that the reply names in another field."""
    if fact.key in tables.words("bare_keys"):
        sides = [f for f in every if name_words(f.path[-1])[:1] in (("to",), ("target",))]
    elif _PRICES.intersection(name_words(fact.path[-1])):
        sides = [f for f in every if f.key in ("currency", "currency_code")]
    else:
        return ""
    texts = [f.value for f in sides if isinstance(f.value, str) and 0 < len(f.value) <= 12]
    return texts[0] if texts else ""


def _labelled(fact: Fact, goal: str) -> str:
    text = _list(fact.value, goal, bare=True) if fact.is_list else fact.text
    if isinstance(fact.value, dict):
        text = f"{len(cast(dict[str, Any], fact.value))} fields"
    return f"{fact.label} {text}".strip()


def _list(items: list[Any], goal: str, *, bare: bool = False) -> str:
    """Elements by name, the one the goal means first; `bare` without their details."""
    if not items:
        return ""
    if not any(isinstance(item, dict | list) for item in items):
        return _joined([in_words(item) for item in items[:_NAMES]], len(items), ", ")
    first = best_index(items, goal)
    order = [first, *(index for index in range(len(items)) if index != first)]
    parts = [_element(items[index], goal, bare=bare) for index in order[:_ELEMENTS]]
    shown = [part for part in parts if part]
    return _joined(shown, len(items) - len(parts) + len(shown), ", " if bare else "; ")


def _joined(shown: list[str], of: int, by: str) -> str:
    more = of - len(shown)
    return by.join(shown) + (f" and {more} more" if more > 0 and shown else "")


def _element(item: Any, goal: str, *, bare: bool) -> str:
    if isinstance(item, list):
        return _list(cast(list[Any], item)[:_ELEMENTS], goal, bare=True)
    if not isinstance(item, dict):
        return in_words(item)
    fields = cast(dict[str, Any], item)
    title = title_key(fields)
    rest = {key: inner for key, inner in fields.items() if key != title and not is_empty(inner)}
    facts = _most_telling(facts_of(rest, goal), goal, _OF_ELEMENT)
    details = ", ".join(_labelled(fact, goal) for fact in facts)
    if title is None:
        return details
    name = in_words(fields[title])
    return name if bare or not details else f"{name} ({details})"
