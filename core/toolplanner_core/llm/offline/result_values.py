"""What results of earlier steps hold: whether anything, their words, values for a parameter.

A result is walked key by key. A key fits a parameter when both have the same role, or the same
name. Of a list, the element is taken that the goal means: the one it names, the cheapest, the
nearest, else the first.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.mentions import find_mentions, name_words, stem, stems
from toolplanner_core.llm.offline.parameter_roles import Slot, slot_of
from toolplanner_core.llm.offline.tables import ordered_words, pattern, table, words
from toolplanner_core.prompts.render import StepResult


def is_empty(value: Any) -> bool:
    """Whether a result plainly holds nothing: empty, only flags, or a known field that says so."""
    if value is None or value in ("", [], {}):
        return True
    if isinstance(value, str):
        says_nothing = len(value) < 120 and pattern("nothing").search(value)
        return not value.strip() or bool(says_nothing)
    if isinstance(value, list):
        return all(is_empty(item) for item in cast(list[Any], value)[:50])
    if not isinstance(value, dict):
        return False
    fields = {str(key).lower(): inner for key, inner in cast(dict[str, Any], value).items()}
    said = {key: fields[key] for key in words("said_fields") if isinstance(fields.get(key), str)}
    content = [
        inner
        for key, inner in fields.items()
        if key not in words("noise_keys")
        and (key not in words("count_fields") or inner is False or inner != 0)
    ]
    has_failed = fields.get("success") is False or fields.get("ok") is False
    if has_failed or any(pattern("nothing").search(text) for text in said.values()):
        return all(is_empty(inner) or not isinstance(inner, dict | list) for inner in content)
    if not content and not words("count_fields") & fields.keys():
        # Only flags: unless a message is all that the API ever says ("status": "delivered").
        flags = [text for key, text in said.items() if key in ("status", "message")]
        return not any(len(t) > 3 and t.lower() not in ("success", "done") for t in flags)
    return all(is_empty(inner) for inner in content)


def is_number(value: Any) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def unwrap(value: Any) -> Any:
    """The content inside envelopes: a single key such as "data" beside flags only."""
    for _ in range(6):
        if not isinstance(value, dict):
            return value
        content = {
            str(key).lower(): inner
            for key, inner in cast(dict[str, Any], value).items()
            if str(key).lower() not in words("noise_keys") and not is_empty(inner)
        }
        boxes = {key: inner for key, inner in content.items() if isinstance(inner, dict | list)}
        inside = [inner for key, inner in boxes.items() if key in words("envelopes")]
        if len(content) == len(boxes) == 1:
            value = next(iter(boxes.values()))
        elif len(inside) == 1 and len(content) <= 3:
            value = inside[0]
        else:
            return value
    return value


def title_key(fields: dict[str, Any]) -> str | None:
    """The field of an element that names it, None if none does."""
    lowered = {str(key).lower(): key for key in fields}
    named = (lowered[wanted] for wanted in ordered_words("title_keys") if wanted in lowered)
    return next((key for key in named if isinstance(fields[key], str) and fields[key]), None)


def texts_of(value: Any, most: int) -> list[str]:
    """Keys and texts of a result, the first ones."""
    found: list[str] = []
    stack = [value]
    while stack and len(found) < most:
        here = stack.pop()
        if isinstance(here, dict):
            found.extend(map(str, cast(dict[str, Any], here)))
            stack.extend(cast(dict[str, Any], here).values())
        elif isinstance(here, list):
            stack.extend(cast(list[Any], here))
        elif isinstance(here, str):
            found.append(here)
    return found


Path = tuple[str | int, ...]

_MOST = 3000
"""Leaves looked at per result: more cannot be asked for by name, and 20 ms is the budget."""


class Leaf(NamedTuple):
    """A value inside a result, with the way to it."""

    path: Path
    value: Any


class BoundValue(NamedTuple):
    """A leaf of one step that fits a parameter; higher `score` fits better."""

    step: int
    path: Path
    value: Any
    score: float


def best_index(items: Sequence[Any], goal: str) -> int:
    """Which element of a list a goal means."""
    low = goal.lower()
    for extreme in table("extremes"):
        if re.search(rf"\b(?:{extreme['said']})\b", low):
            found = _numbers(items, extreme["keys"])
            if found:
                sign = -1 if extreme["is_most"] else 1
                return min(found, key=lambda pair, sign=sign: sign * pair[0])[1]
    for mention in find_mentions(goal):
        # Only days that the goal writes out: "tomorrow" depends on a clock that is not here.
        if mention.kind == "date" and any(letter.isdigit() for letter in mention.text):
            day = mention.value.first.isoformat()
            dated = (index for index, item in enumerate(items[:500]) if day in str(item)[:2000])
            index = next(dated, None)
            if index is not None:
                return index
    meant = stems(goal)
    scores = [_named(item, meant) for item in items[:200]]
    return scores.index(max(scores)) if scores else 0


def _numbers(items: Sequence[Any], keys: list[str]) -> list[tuple[float, int]]:
    return [
        (float(value), index)
        for index, item in enumerate(items[:500])
        if isinstance(item, dict)
        for key, value in cast(dict[str, Any], item).items()
        if is_number(value) and not set(keys).isdisjoint(name_words(str(key)))
    ]


def _named(item: Any, meant: frozenset[str]) -> int:
    """How many words of the goal an element's own names share."""
    fields = list(cast(dict[str, Any], item).values())[:20] if isinstance(item, dict) else [item]
    return max((len(stems(t[:200]) & meant) for t in fields if isinstance(t, str)), default=0)


def leaves(value: Any, goal: str) -> Iterator[Leaf]:
    """The leaves of a value, of each list only those of the element that the goal means."""
    stack: list[Leaf] = [Leaf((), value)]
    seen = 0
    while stack and seen < _MOST:
        path, here = stack.pop()
        seen += 1
        if isinstance(here, dict):
            inner = list(cast(dict[str, Any], here).items())[:300]
            stack.extend(Leaf((*path, key), child) for key, child in reversed(inner))
        elif isinstance(here, list):
            items = cast(list[Any], here)
            if items:
                index = best_index(items, goal)
                stack.append(Leaf((*path, index), items[index]))
        elif here is not None and here != "":
            yield Leaf(path, here)


def find_bound_values(slot: Slot, goal: str, results: Sequence[StepResult]) -> list[BoundValue]:
    """Leaves of results that fit a parameter, best first; among equals those of steps that are
    about the same, then later ones."""
    found = (
        BoundValue(result.step, leaf.path, leaf.value, _fit(slot, leaf, result))
        for result in _nearest(goal, results)
        for leaf in sorted(leaves(result.value, goal), key=lambda leaf: len(leaf.path))
    )
    return sorted((each for each in found if each.score > 0), key=lambda each: -each.score)


def _nearest(goal: str, results: Sequence[StepResult]) -> list[StepResult]:
    """The results, those first whose goals share most words: of two places the one meant."""
    meant = stems(goal)
    return sorted(results, key=lambda one: (len(stems(one.goal) & meant), one.step), reverse=True)


def _fit(slot: Slot, leaf: Leaf, result: StepResult) -> float:
    key, parent, *_ = [*[p for p in reversed(leaf.path) if isinstance(p, str)], "", ""]
    said, above = name_words(key), name_words(parent)
    if said and said == slot.words:
        return (3.3 if slot.side and slot.side in above else 3.0) * (slot.role != "query")
    joined = above + said
    if joined and slot.words in (joined, tuple(word.removesuffix("s") for word in joined)):
        return 3.5
    if slot.role and slot.role not in words("generic_roles") and slot_of(key).role == slot.role:
        return 2.0 - 0.1 * len(leaf.path) + (0.2 if slot.side in ("", "to") else 0.0)
    if slot.role == "place" and said in (("name",), ("title",)):
        about = stems(f"{parent} {result.goal} {result.api_title}")
        return 1.5 if about & stems("place city town location capital") else 0.5
    shared = set(map(stem, slot.words)) & set(map(stem, joined))
    if slot.role == "id" and said[-1:] and said[-1] in ("id", "code", "key", "slug"):
        return 1.2 if shared - {"id"} else 0.6
    if slot.role in ("name", "query") and said[-1:] and said[-1] in ("name", "title"):
        return 1.0 if shared - {"name"} else 0.4
    return 0.0


def find_point(goal: str, results: Sequence[StepResult]) -> str:
    """ "lat,lon" put together from a result that has the two apart; "" if none has."""
    for result in _nearest(goal, results):
        told = [leaf for leaf in leaves(result.value, goal) if leaf.path]
        found = {slot_of(str(leaf.path[-1])).role: leaf.value for leaf in reversed(told)}
        if {"latitude", "longitude"} <= found.keys():
            return f"{found['latitude']},{found['longitude']}"
    return ""
