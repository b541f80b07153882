"""The fields of a reply as facts in words, and which of them answer the need. Called by
`answer.py`."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.contents import is_empty, is_number
from toolplanner_core.llm.offline.similarity import subject_words
from toolplanner_core.llm.offline.words import meant, name_words, stem, stems
from toolplanner_core.words.tables import ordered_words, pattern, spelled, table, words

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
    said = file_said(text) or " ".join(text.split())
    return said if len(said) <= _TEXT else f"{said[: _TEXT - 1]}…"


def file_said(value: Any) -> str:
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
    score += 0.6 * isinstance(fact.value, list) + 1.0 * bool(file_said(fact.value))
    is_aside = key in words("side_notes") and not pattern("coordinates").search(goal)
    return score - 1.0 * bool(own & words("id_fields") and named < 2) - 0.5 * is_aside
