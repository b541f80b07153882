"""Whether a reply lacks what a need plainly asks for. Called by `state.py`.

Only quantities whose absence is beyond doubt are looked for (`fields.json`): a reply to "how many
calories" that has protein alone does not answer, and another API of the toolkit may.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from toolplanner_core.llm.offline import tables

_MOST = 400
"""Keys looked at; a reply with more says so many things that nothing is judged."""


def lacks_asked(goal: str, value: Any) -> bool:
    """Whether a goal asks for known quantities and the reply has none of them.

    "How many X" asks for X itself, whatever else the goal names.
    """
    if not isinstance(value, dict | list):
        return False
    wanted = _asked(goal)
    if not wanted:
        return False
    words: list[str] = []
    for text in _texts(value):
        words.append(text)
        if len(words) > _MOST:
            return False
    said = " ".join(words).lower()
    return not any(alias in said for field in wanted for alias in tables.fields()[field])


def _asked(goal: str) -> list[str]:
    low = re.sub(r"[\"“][^\"”]*[\"”]", " ", goal.lower())
    named = [field for field in tables.fields() if re.search(rf"\b{field}(?:s|es)?\b", low)]
    counted = [field for field in named if re.search(rf"\bhow (?:many|much) {field}", low)]
    return counted or named


def _texts(value: Any) -> Iterator[str]:
    """Keys, and short texts, which may be labels: {"name": "energy", "amount": 312}."""
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            fields = cast(dict[str, Any], here)
            yield from map(str, fields)
            stack.extend(fields.values())
        elif isinstance(here, list):
            stack.extend(cast(list[Any], here)[:20])
        elif isinstance(here, str):
            yield here[:400]
