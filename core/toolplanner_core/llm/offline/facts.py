"""The fields of a reply as facts, and which of them answer the need. Called by `saying.py`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.plain_values import in_words, is_file, label_and_unit, with_unit
from toolplanner_core.llm.offline.state import is_empty
from toolplanner_core.llm.offline.subject import subject_words
from toolplanner_core.llm.offline.words import name_words, stem, stems

_MOST_KEYS = 60
_DEPTH = 3
_IDS = frozenset(["id", "url", "href", "uuid", "link", "key"])
_NAMED = 2.0
"""Weight of a field that the need names; all such fields lead."""
_COORDINATES = re.compile(r"\b(?:coordinates|latitude|longitude|position|where)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A field: where it stands, how it is called, its value (a list stays a list)."""

    path: tuple[str, ...]
    label: str
    unit: str
    value: Any

    @property
    def key(self) -> str:
        """Its own name in the reply."""
        return self.path[-1].lower()

    @property
    def is_list(self) -> bool:
        """Whether it is a list of things."""
        return isinstance(self.value, list)

    @property
    def text(self) -> str:
        """Its value with the unit."""
        return with_unit(in_words(self.value), self.unit)


def facts_of(fields: dict[str, Any], goal: str) -> list[Fact]:
    """All fields that say something, in document order."""
    meant = stems(goal)
    found: list[Fact] = []
    for path, value in _flat(fields):
        key = path[-1].lower()
        is_noise = key in tables.words("noise_keys") and stem(key) not in meant
        if is_empty(value) or (is_noise and not (key in ("status", "message") and len(fields) < 4)):
            continue
        label, unit = label_and_unit(path[-1], value)
        parents = [part for part in path[:-1] if part.lower() not in tables.words("envelopes")]
        prefix = " ".join(name_words(parents[-1])) if parents else ""
        if prefix and prefix not in label and len(prefix.split()) <= 2:
            label = f"{prefix} {label}"
        found.append(Fact(path=path, label=label.strip(), unit=unit, value=value))
    return found


def _flat(
    fields: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in list(fields.items())[:_MOST_KEYS]:
        here = (*path, str(key))
        if isinstance(value, dict) and len(path) < _DEPTH:
            yield from _flat(cast(dict[str, Any], value), here)
        else:
            yield here, value


def is_echo(fact: Fact, goal: str) -> bool:
    """Whether a field only says what was asked with: from EUR, to USD, amount 250."""
    low = goal.lower()
    if fact.is_list or isinstance(fact.value, bool):
        return False
    if isinstance(fact.value, int | float):
        text = re.escape(in_words(fact.value))
        return bool(re.search(rf"(?<![\d.]){text}(?![\d]|\.\d)", low))
    said = str(fact.value).strip().lower().partition(",")[0]
    if not 0 < len(said) <= 60:
        return False
    if re.search(rf"(?<!\w){re.escape(said)}(?!\w)", low):
        return True
    unit = tables.units().get(said)
    return unit is not None and any(
        tables.units().get(word) == unit for word in re.findall(r"[^\W\d_]+", low)
    )


def leading(facts: list[Fact], goal: str, most: int = 3) -> list[Fact]:
    """The fields that answer the need, in document order: those named in it, else the one that
    answers usually are in; none if all are side notes."""
    scored = [(_weight(fact, goal), index) for index, fact in enumerate(facts)]
    best = max((score for score, _ in scored), default=0.0)
    if best <= 0:
        return []
    top = sorted(scored, key=lambda pair: (-pair[0], pair[1]))
    chosen = [index for score, index in top if score >= _NAMED] or [top[0][1]]
    return [facts[index] for index in sorted(chosen[:most])]


def _weight(fact: Fact, goal: str) -> float:
    subject = subject_words(goal)
    meant = subject.said.union(*subject.telling)
    own = {stem(word) for word in name_words(fact.path[-1])}
    joined = re.sub(r"\W", "", goal.lower())
    named = len(own & meant) or (len(fact.key) > 5 and fact.key.replace("_", "") in joined)
    score = _NAMED * bool(named) + 0.3 * (named if named > 1 else 0)
    keys = tables.ordered_words("answer_keys")
    if fact.key in keys:
        score += 1.0 - keys.index(fact.key) / 100
    elif fact.label.split()[-1:] and fact.label.split()[-1] in keys:
        score += 0.7
    if fact.is_list:
        score += 0.6
    if is_file(fact.value):
        score += 1.0
    if own & _IDS:
        score -= 1.0
    if fact.key in tables.words("side_notes") and not _COORDINATES.search(goal):
        score -= 0.5
    return score
