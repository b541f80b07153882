"""What a result holds: nothing, an echo, or something that serves its step. Called by `planner.py`
(`Analyse`); `saying.py` puts it in words."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.asked import lacks_asked
from toolplanner_core.llm.offline.dependencies import refers_back
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.words import stems

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_NOTHING = re.compile(
    r"\b(?:no|0|zero) (?:\w+ ){0,3}(?:results?|matches|match|records?|data|entries|"
    r"items|found|available)\b"
    r"|\b(?:not found|nothing found|none found|could not be found|couldn't find|no such|"
    r"does not exist)\b",
    re.IGNORECASE,
)
_ASKING = stems("give me some something anything tell show find please what which how much many")
_SAID = ("message", "error", "detail", "msg", "error_message", "description", "result", "status")


def misses_subject(goal: str, sent: Mapping[str, Any], api_title: str, value: Any) -> bool:
    """Whether a call speaks of something else: its arguments say nothing of the goal, or only what
    is counted ("protein"), and half of the goal's words stand nowhere in API and result."""
    if sent and refers_back(goal):
        return False
    wanted = stems(goal) - stems(" ".join(tables.fields())) - _ASKING
    given = stems(" ".join(map(str, sent.values())))
    if not wanted or wanted & given:
        return False
    known = stems(f"{api_title} {' '.join(map(str, _plain_texts(value)))}")
    return len(wanted - known) * 2 >= len(wanted)


def _plain_texts(value: Any) -> list[str]:
    """Keys and texts of a result, the first ones."""
    found: list[str] = []
    stack = [value]
    while stack and len(found) < 2_000:
        here = stack.pop()
        if isinstance(here, dict):
            fields = cast(dict[str, Any], here)
            found.extend(map(str, fields))
            stack.extend(fields.values())
        elif isinstance(here, list):
            stack.extend(cast(list[Any], here))
        elif isinstance(here, str):
            found.append(here)
    return found


def is_useful(value: Any, query: str, goal: str) -> bool:
    """Whether a result serves its step.

    It is not empty, does not lack the quantities that were asked for, is no mere echo of what was
    asked beside empty lists, and no list of named things without the one that was asked for by
    name.
    """
    if is_empty(value) or lacks_asked(goal, value):
        return False
    content = unwrap(value)
    if isinstance(content, dict):
        inner = cast(dict[str, Any], content).values()
        others = [part for part in inner if not is_empty(part) and part is not True]
        has_empty_list = any(isinstance(part, list) and not part for part in inner)
        said = stems(f"{query} {goal}")
        if has_empty_list and all(_is_echo(part, said) for part in others):
            return False
    if isinstance(content, list) and len(content) > 1:
        named = [item for item in cast(list[Any], content) if isinstance(item, dict)]
        titled = len(named) > 1 and all(title_key(cast(dict[str, Any], i)) for i in named)
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


def unwrap(value: Any) -> Any:
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


def title_key(fields: dict[str, Any]) -> str | None:
    """The field of an element that names it, None if none does."""
    lowered = {str(key).lower(): key for key in fields}
    for wanted in tables.ordered_words("title_keys"):
        key = lowered.get(wanted)
        if key is not None and isinstance(fields[key], str) and fields[key]:
            return key
    return None
