"""Say what results hold, and compose the answer from what the steps found. Called by `planner.py`
for `Analyse` and `FinalAnswer`.

Every sentence is a step's statement or a failure's; nothing is added. In a statement the value
that answers comes first, then the other fields in brackets; what only repeats the arguments is
left out.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from toolplanner_core.llm.offline.accounting import left_of_query, nearest_miss, quoted
from toolplanner_core.llm.offline.contents import is_empty, is_number, title_key, unwrap
from toolplanner_core.llm.offline.facts import Fact, facts_of, file_said, in_words, is_echo, leading
from toolplanner_core.llm.offline.plan import refers_back
from toolplanner_core.llm.offline.results import best_index
from toolplanner_core.llm.offline.words import meant, name_words, stems
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.words.tables import pattern, spelled, table, words
from toolplanner_core.words.unclear import unclear_reason
from toolplanner_core.words.undone import undone_reason


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
        reason = undone_reason([subject_of(goal) for goal in never_named])
    elif not unmet and (left := left_of_query(question)):
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
    text = result.state.strip() or say(result.goal, result.value)
    return text if text.endswith((".", "?", "…")) else f"{text}."


def _why(goal: str, failures: Sequence[FailureCard]) -> str:
    """The failures of a goal in words, each API once, the last failure of it."""
    last = {failure.api_title: failure for failure in failures if failure.goal == goal}
    said = {"Tried ": list[str](), "Not sent: ": list[str]()}
    for title, failure in sorted(last.items(), key=lambda each: not each[1].was_sent)[:4]:
        said["Tried " if failure.was_sent else "Not sent: "].append(f"{title}: {failure.told}")
    text = ". ".join(head + "; ".join(those) for head, those in said.items() if those)
    return text + (f"; and {len(last) - 4} more." if len(last) > 4 else ".")


_EDGE = " .?!,;:"
_DETAILS = 7
_TEXT = 80
_OF_ELEMENT = 4
_ELEMENTS = 3
_NAMES = 10


def say(goal: str, value: Any) -> str:
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
    said = [f"{f.label} {f.value[:_TEXT] if isinstance(f.value, str) else ''}" for f in facts]
    ranked = sorted(range(len(facts)), key=lambda at: -len(stems(said[at]) & asked))
    return [facts[index] for index in sorted(ranked[:most])]


def _answer(fact: Fact, every: Sequence[Fact], goal: str) -> str:
    text = fact.text
    is_bare = fact.key.lower() in words("bare_keys")
    if is_number(fact.value) and not fact.unit:
        text = f"{text} {_unit_beside(fact, is_bare, every)}".strip()
    says_itself = is_bare or file_said(fact.value) or stems(fact.label) <= stems(goal)
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
