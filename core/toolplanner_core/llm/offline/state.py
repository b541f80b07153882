"""Say what a result holds, in words, from its own fields. Called by `planner.py` (`Analyse`) and
`answer.py`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.results import best_index
from toolplanner_core.llm.offline.words import name_words, stem, stems

_COMMAND = re.compile(
    r"^(?:(?:please|find|show|get|tell|list|give|check|look up|search for|fetch|what's|the|me|us|"
    r"what (?:is|are|was|were)|a|an|draw|suggest|recommend|convert|translate)\b\s*)+",
    re.IGNORECASE,
)
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_FIELDS = 8
_ELEMENTS = 3
_TEXT = 240
_NOTHING = re.compile(
    r"\b(?:no|0|zero) (?:\w+ ){0,3}(?:results?|matches|match|records?|data|entries|"
    r"items|found|available)\b"
    r"|\b(?:not found|nothing found|none found|could not be found|couldn't find|no such|"
    r"does not exist)\b",
    re.IGNORECASE,
)
_SAID = ("message", "error", "detail", "msg", "error_message", "description", "result", "status")
_UNITS = {
    "c": "°C",
    "celsius": "°C",
    "f": "°F",
    "fahrenheit": "°F",
    "kmh": "km/h",
    "kph": "km/h",
    "mph": "mph",
    "km": "km",
    "mi": "miles",
    "m": "m",
    "mm": "mm",
    "cm": "cm",
    "kg": "kg",
    "g": "g",
    "lb": "lb",
    "pct": "%",
    "percent": "%",
    "ms": "ms",
    "min": "min",
    "minutes": "minutes",
    "hours": "hours",
    "days": "days",
    "hpa": "hPa",
    "usd": "USD",
    "eur": "EUR",
    "gbp": "GBP",
}


def is_useful(value: Any, query: str, goal: str) -> bool:
    """Whether a result serves its step: not empty, no mere echo of what was asked beside empty
    lists, and no list of named things among which the one that was asked for by name is not."""
    if is_empty(value):
        return False
    content = _unwrap(value)
    if isinstance(content, dict):
        inner = cast(dict[str, Any], content).values()
        others = [part for part in inner if not is_empty(part) and part is not True]
        has_empty_list = any(isinstance(part, list) and not part for part in inner)
        said = stems(f"{query} {goal}")
        if has_empty_list and all(_is_echo(part, said) for part in others):
            return False
    if isinstance(content, list) and len(content) > 1:
        named = [item for item in cast(list[Any], content) if isinstance(item, dict)]
        titled = len(named) > 1 and all(_title_key(cast(dict[str, Any], i)) for i in named)
        wanted = _asked_by_name(goal)
        return not (titled and wanted and wanted.lower() not in str(content).lower())
    return True


def _is_echo(value: Any, said: frozenset[str]) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value == 0
    return isinstance(value, str) and len(value) < 80 and bool(stems(value) & said)


def _asked_by_name(goal: str) -> str:
    """The one thing a goal names, if it is no place and nobody's: "how do I make a Margarita"."""
    found = [m for m in find_mentions(goal, _ANY_DAY) if m.kind not in ("number", "date")]
    if len(found) != 1 or found[0].kind not in ("name", "quoted"):
        return ""
    is_owner = goal[found[0].end :].startswith(("'s", "’s"))
    return "" if is_owner or found[0].unit not in ("", "called", "named") else str(found[0].value)


def is_empty(value: Any) -> bool:
    """Whether a result plainly holds nothing: empty, only flags, or a known field that says so."""
    if value is None or value in ("", [], {}):
        return True
    if isinstance(value, str):
        return not value.strip() or (len(value) < 120 and bool(_NOTHING.search(value)))
    if isinstance(value, list):
        return all(is_empty(item) for item in cast(list[Any], value)[:50])
    if not isinstance(value, dict):
        return False
    fields = {str(key).lower(): inner for key, inner in cast(dict[str, Any], value).items()}
    noise = tables.words("noise_keys")
    content = {key: inner for key, inner in fields.items() if key not in noise}
    says_nothing = any(
        isinstance(fields.get(key), str) and _NOTHING.search(fields[key]) for key in _SAID
    )
    failed = fields.get("success") is False or fields.get("ok") is False
    for key in ("count", "total", "total_results", "num_results", "totalresults"):
        if content.get(key) == 0 and not isinstance(content[key], bool):
            content.pop(key)
    if says_nothing or failed:
        return all(
            is_empty(inner) or not isinstance(inner, dict | list) for inner in content.values()
        )
    if not content:
        # Only flags: unless a message is all that the API ever says ("status": "delivered").
        said = [v for k, v in fields.items() if k in ("status", "message") and isinstance(v, str)]
        return not any(len(text) > 3 and text.lower() not in ("success", "done") for text in said)
    return all(is_empty(inner) for inner in content.values())


def say(goal: str, value: Any) -> str:
    """One statement: the goal's subject, and the fields of the value that matter for it."""
    head = subject_of(goal)
    body = _describe(_unwrap(value), stems(goal), goal)
    return f"{head}: {body}" if body else f"{head}: no details given"


def subject_of(goal: str) -> str:
    """The goal without its command, as a heading."""
    text = _COMMAND.sub("", goal.strip()).strip(" .?!,;:") or goal.strip(" .?!") or "Result"
    return text[:1].upper() + text[1:]


def _unwrap(value: Any) -> Any:
    """The content inside envelopes: a single key such as "data" beside flags only."""
    for _ in range(6):
        if not isinstance(value, dict):
            return value
        fields = cast(dict[str, Any], value)
        content = [
            (key, inner)
            for key, inner in fields.items()
            if str(key).lower() not in tables.words("noise_keys") and not is_empty(inner)
        ]
        inside = [
            inner
            for key, inner in content
            if str(key).lower() in tables.words("envelopes") and isinstance(inner, dict | list)
        ]
        if len(content) == 1 and isinstance(content[0][1], dict | list):
            value = content[0][1]
        elif len(inside) == 1 and len(content) <= 3:
            value = inside[0]
        else:
            return value
    return value


def _describe(value: Any, meant: frozenset[str], goal: str) -> str:
    if isinstance(value, list):
        return _describe_list(cast(list[Any], value), meant, goal)
    if isinstance(value, dict):
        return ", ".join(_fields(cast(dict[str, Any], value), meant, goal, _FIELDS))
    return _scalar(value)


def _describe_list(items: list[Any], meant: frozenset[str], goal: str) -> str:
    if not items:
        return ""
    if not any(isinstance(item, dict | list) for item in items):
        shown = ", ".join(_scalar(item) for item in items[:10])
        return shown if len(items) <= 10 else f"{shown} and {len(items) - 10} more"
    first = best_index(items, goal)
    order = [first, *(index for index in range(len(items)) if index != first)]
    parts = [_element(items[index], meant, goal) for index in order[:_ELEMENTS]]
    shown = "; ".join(part for part in parts if part)
    more = len(items) - _ELEMENTS
    return shown if more <= 0 else f"{shown}; and {more} more"


def _element(item: Any, meant: frozenset[str], goal: str) -> str:
    if not isinstance(item, dict):
        return _describe(item, meant, goal)
    fields = cast(dict[str, Any], item)
    title_key = _title_key(fields)
    rest = {key: inner for key, inner in fields.items() if key != title_key}
    details = ", ".join(_fields(rest, meant, goal, 4))
    if title_key is None:
        return details
    title = _scalar(fields[title_key])
    return f"{title} ({details})" if details else title


def _title_key(fields: dict[str, Any]) -> str | None:
    lowered = {str(key).lower(): key for key in fields}
    for wanted in tables.ordered_words("title_keys"):
        key = lowered.get(wanted)
        if key is not None and isinstance(fields[key], str) and fields[key]:
            return key
    return None


def _fields(fields: dict[str, Any], meant: frozenset[str], goal: str, most: int) -> list[str]:
    """The fields that matter most for the goal, in document order."""
    found = [
        (key, value)
        for key, value in _flat(fields, goal)
        if not is_empty(value)
        and (
            key[-1].lower() not in tables.words("noise_keys")
            or stem(key[-1].lower()) in meant
            or (key[-1].lower() in ("status", "message") and len(fields) < 4)
        )
    ]
    if len(found) > most:
        ranked = sorted(
            range(len(found)),
            key=lambda index: (-_relevance(found[index][0], meant), index),
        )[:most]
        found = [found[index] for index in sorted(ranked)]
    return [_labelled(key, value) for key, value in found]


def _flat(
    fields: dict[str, Any], goal: str, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in list(fields.items())[:60]:
        here = (*path, str(key))
        if isinstance(value, dict) and len(path) < 3:
            yield from _flat(cast(dict[str, Any], value), goal, here)
        elif isinstance(value, list):
            text = _describe_list(cast(list[Any], value), stems(goal), goal)
            yield here, text
        else:
            yield here, value


def _relevance(key: tuple[str, ...], meant: frozenset[str]) -> float:
    words = {stem(word) for part in key for word in name_words(part)}
    return (
        len(words & meant) - 0.1 * len(key) - (0.5 if words & {"id", "url", "href", "uuid"} else 0)
    )


def _labelled(key: tuple[str, ...], value: Any) -> str:
    words = list(name_words(key[-1]))
    unit = ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and len(words) > 1 and words[-1] in _UNITS:
        unit = _UNITS[words.pop()]
    parents = [part for part in key[:-1] if part.lower() not in tables.words("envelopes")]
    prefix = " ".join(name_words(parents[-1])) if parents else ""
    label = " ".join(words)
    if prefix and prefix not in label and len(prefix.split()) <= 2:
        label = f"{prefix} {label}"
    gap = "" if unit == "%" else " "
    return f"{label} {_scalar(value)}{gap}{unit}".strip()


def _scalar(value: Any) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    if value is None:
        return "unknown"
    text = " ".join(str(value).split())
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
