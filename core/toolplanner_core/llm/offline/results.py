"""Values that results of earlier steps hold for a parameter, as references. Called by `fill.py`.

A result is walked key by key. A key fits a parameter when both have the same role, or the same
name. Of a list, the element is taken that the goal means: the one it names, the cheapest, the
nearest, else the first.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.roles import Slot, slot_of
from toolplanner_core.llm.offline.words import name_words, stem, stems
from toolplanner_core.prompts.render import StepResult

Path = tuple[str | int, ...]

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_MOST = 3000
"""Leaves looked at per result: more cannot be asked for by name, and 20 ms is the budget."""
_EXTREMES = (
    (r"cheapest|lowest|least expensive|cheap", ("price", "cost", "fare", "amount", "rate"), min),
    (r"nearest|closest|nearby", ("distance", "km", "miles", "metres"), min),
    (r"best|highest rated|top", ("rating", "score", "stars"), max),
    (r"largest|biggest|most", ("population", "size", "magnitude", "count", "total"), max),
    (r"fastest|quickest|shortest", ("duration", "time", "minutes", "distance"), min),
)
_GENERIC = frozenset(["id", "name", "query", "amount", "limit", "page", "unit", ""])
_ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}


class Leaf(NamedTuple):
    """A value inside a result, with the way to it."""

    path: Path
    value: Any


class Bound(NamedTuple):
    """A leaf of one step that fits a parameter; higher `score` fits better."""

    step: int
    path: Path
    value: Any
    score: float


def best_index(items: Sequence[Any], goal: str) -> int:
    """Which element of a list a goal means."""
    low = goal.lower()
    for pattern, keys, choose in _EXTREMES:
        if re.search(rf"\b(?:{pattern})\b", low):
            found = _extreme(items, keys)
            if found:
                return choose(found, key=lambda pair: pair[0])[1]
    for mention in find_mentions(goal, _ANY_DAY):
        # Only days that the goal writes out: "tomorrow" depends on a clock that is not here.
        if mention.kind == "date" and any(letter.isdigit() for letter in mention.text):
            day = mention.value.first.isoformat()
            dated = [index for index, item in enumerate(items[:500]) if day in str(item)[:2000]]
            if dated:
                return dated[0]
    for word, index in _ORDINALS.items():
        if re.search(rf"\b(?:the )?{word} (?:one|result|of)\b", low) and len(items) > max(index, 0):
            return index % len(items)
    meant = stems(goal)
    scores = [_named(item, meant) for item in items[:200]]
    top = max(scores, default=0)
    return scores.index(top) if top else 0


def _extreme(items: Sequence[Any], keys: tuple[str, ...]) -> list[tuple[float, int]]:
    found: list[tuple[float, int]] = []
    for index, item in enumerate(items[:500]):
        if not isinstance(item, dict):
            continue
        for key, value in cast(dict[str, Any], item).items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if is_number and any(word in keys for word in name_words(str(key))):
                found.append((float(value), index))
                break
    return found


def _named(item: Any, meant: frozenset[str]) -> int:
    """How many words of the goal an element's own names share."""
    if isinstance(item, str):
        return len(stems(item[:200]) & meant)
    if isinstance(item, dict):
        texts = [v for v in list(cast(dict[str, Any], item).values())[:20] if isinstance(v, str)]
        return max((len(stems(text[:200]) & meant) for text in texts), default=0)
    return 0


def leaves(value: Any, goal: str) -> Iterator[Leaf]:
    """The leaves of a value, of each list only those of the element that the goal means."""
    stack: list[tuple[Path, Any]] = [((), value)]
    seen = 0
    while stack and seen < _MOST:
        path, here = stack.pop()
        seen += 1
        if len(path) > 12:
            continue
        if isinstance(here, dict):
            inner = list(cast(dict[str, Any], here).items())[:300]
            stack.extend(((*path, key), child) for key, child in reversed(inner))
        elif isinstance(here, list):
            items = cast(list[Any], here)
            if items:
                index = best_index(items, goal)
                stack.append(((*path, index), items[index]))
        elif here is not None and here != "":
            yield Leaf(path, here)


def find_bound(
    slot: Slot, goal: str, results: Sequence[StepResult], needed: str = ""
) -> list[Bound]:
    """Leaves of results that fit a parameter, best first; later steps first among equals."""
    found: list[Bound] = []
    for result in results:
        for leaf in leaves(result.value, f"{goal} {needed}"):
            score = _fit(slot, leaf, result)
            if score > 0:
                found.append(Bound(result.step, leaf.path, leaf.value, score))
    return sorted(found, key=lambda bound: (-bound.score, -bound.step, len(bound.path)))


def _fit(slot: Slot, leaf: Leaf, result: StepResult) -> float:
    keys = [part for part in leaf.path if isinstance(part, str)]
    key = keys[-1] if keys else ""
    parent = keys[-2] if len(keys) > 1 else ""
    words = name_words(key)
    if words and words == slot.words:
        return 3.0 + _parent_bonus(parent, slot) if slot.role != "query" else 0.0
    joined = name_words(parent) + words
    if joined and (joined == slot.words or _singular(joined) == slot.words):
        return 3.5
    role = slot_of(key, {}).role
    if slot.role and role == slot.role and slot.role not in _GENERIC:
        return 2.0 - 0.1 * len(leaf.path) + (0.2 if slot.side in ("", "to") else 0.0)
    if slot.role == "place" and words in (("name",), ("title",)):
        about = stems(f"{parent} {result.goal} {result.api_title}")
        is_place = about & {stem(w) for w in ("place", "city", "town", "location", "capital")}
        return 1.5 if is_place else 0.5
    if slot.role == "id" and words and words[-1] in ("id", "code", "key", "slug"):
        shared = set(map(stem, slot.words)) & {stem(w) for w in (*words, *name_words(parent))}
        return 1.2 if len(shared - {"id"}) > 0 else 0.6
    if slot.role in ("name", "query") and words and words[-1] in ("name", "title"):
        shared = set(map(stem, slot.words)) & {stem(w) for w in (*words, *name_words(parent))}
        return 1.0 if shared - {"name"} else 0.4
    if slot.role == "coordinates" and words in (("coordinates",), ("latlng",), ("point",)):
        return 2.0
    return 0.0


def _parent_bonus(parent: str, slot: Slot) -> float:
    return 0.3 if slot.side and slot.side in name_words(parent) else 0.0


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.removesuffix("s") for word in words)


def find_point(goal: str, results: Sequence[StepResult]) -> str:
    """ "lat,lon" put together from a result that has the two apart; "" if none has."""
    for result in reversed(results):
        found: dict[str, Any] = {}
        for leaf in leaves(result.value, goal):
            role = slot_of(str(leaf.path[-1]) if leaf.path else "", {}).role
            if role in ("latitude", "longitude") and isinstance(leaf.value, int | float):
                found.setdefault(role, leaf.value)
        if len(found) == 2:
            return f"{found['latitude']},{found['longitude']}"
    return ""
