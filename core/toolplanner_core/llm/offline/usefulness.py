"""Whether a result holds something for its step. Called by `planner.py` for `Analyse`.

A call that worked may hold nothing, lack the quantity that was asked for, or repeat the question.
What else of the question is left open is found by `accounting.py`.
"""

import re
from typing import Any, cast

from toolplanner_core.llm.offline.contents import is_empty, texts_of, title_key, unwrap
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.words import stems
from toolplanner_core.words.tables import pattern, table

_MOST_KEYS = 400
"""A reply with more says so many things that no quantity is missed in it."""


def is_useful(value: Any, query: str, goal: str) -> bool:
    """Whether a result holds something for its goal.

    It is not empty, does not lack the quantities that were asked for, is no mere echo of what was
    asked beside empty lists, and no list of named things without the one that was asked for by
    name.
    """
    if is_empty(value) or _lacks_asked(goal, value):
        return False
    content = unwrap(value)
    if isinstance(content, dict):
        inner = list(cast(dict[str, Any], content).values())
        said = stems(f"{query} {goal}")
        echoes = (_is_echo(part, said) for part in inner if not is_empty(part) and part is not True)
        return not (any(part == [] for part in inner) and all(echoes))
    if isinstance(content, list) and len(content) > 1:
        items = [cast(dict[str, Any], i) for i in cast(list[Any], content) if isinstance(i, dict)]
        titles = [str(item[key]).lower() for item in items if (key := title_key(item))]
        wanted = _asked_by_name(goal) if len(titles) == len(items) > 1 else ""
        return not wanted or wanted.lower() in titles
    return True


def _lacks_asked(goal: str, value: Any) -> bool:
    """Whether a goal asks for known quantities and the reply has none of them.

    Only quantities whose absence is beyond doubt are looked for (`fields.json`). "How many X" asks
    for X itself, whatever else the goal names.
    """
    low, fields = re.sub(r"[\"“][^\"”]*[\"”]", " ", goal.lower()), table("fields")
    named = [field for field in fields if re.search(rf"\b{field}(?:s|es)?\b", low)]
    wanted = [f for f in named if re.search(rf"\bhow (?:many|much) {f}", low)] or named
    found = texts_of(value, _MOST_KEYS + 1) if isinstance(value, dict | list) else []
    if not wanted or not found or len(found) > _MOST_KEYS:
        return False
    told = " ".join(text[:_MOST_KEYS] for text in found).lower()
    return not any(alias in told for field in wanted for alias in fields[field])


def _is_echo(value: Any, said: frozenset[str]) -> bool:
    return isinstance(value, str) and len(value) < 80 and bool(stems(value) & said)


def _asked_by_name(goal: str) -> str:
    """The one thing a goal names, if it is no place and nobody's: "how do I make a Margarita"."""
    if made := pattern("made").search(goal):
        return made["what"]
    found = [m for m in find_mentions(goal) if m.kind not in ("number", "date")]
    if len(found) != 1 or found[0].kind not in ("name", "quoted"):
        return ""
    is_owner = goal[found[0].end :].startswith(("'s", "’s"))
    return "" if is_owner or found[0].unit not in ("", "called", "named") else str(found[0].value)
