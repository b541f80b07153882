"""What a node considered: APIs, toolkits and demonstrations with their scores, and what became of
them. Called by the report of a node.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.runs.telling.states import state_word
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.words.wording import score

_SAID = {"health": "smoothed health"}
"""Signals by other words than in the log: the health that lists show is the plain share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """An API, a toolkit or a demonstration that was considered.

    Attributes:
        id: the API's or toolkit's own, as text.
        parts: the signals that the score was made of.
        became: "failed: not found"; "" = it was not taken.
    """

    id: str
    title: str
    score: float
    parts: str
    became: str = ""


def considered(known: Sequence[Considered], rows: Sequence[Mapping[str, Any]]) -> list[Considered]:
    """Add what was found or offered; what is offered again keeps its place with its new score."""
    found = {each.id: each for each in known}
    for row in rows:
        shown = _titled(row)
        key = str(row.get("id") or row.get("api") or row.get("toolkit") or shown)
        points = row.get("score", 0.0)
        parts: Any = row.get("parts") or {}
        found[key] = Considered(
            id=key,
            title=shown or key,
            score=float(points) if isinstance(points, int | float) else 0.0,
            parts=" · ".join(f"{_SAID.get(k, k)} {float(v):.2f}" for k, v in parts.items()),
        )
    return list(found.values())


def first_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which of several came first, and by which signals; "" where nothing was scored."""
    ranked = considered((), rows)
    if len(ranked) < 2 or not ranked[0].score:
        return ""
    first, second = ranked[:2]
    by = f" ({first.parts})" if first.parts else ""
    return (
        f"{first.title}, of {len(ranked):,}: {score(first.score)}{by};"
        f" next {second.title}: {score(second.score)}"
    )


def became(one: Considered, below: Sequence[Node]) -> str:
    """What came of it in the nodes below."""
    for node in below:
        if one.id in (str(node.data.get("api")), str(node.data.get("toolkit"))):
            word = state_word(node)
            return f"{word}: {node.reason}" if node.reason else word
    return ""


def _titled(row: Mapping[str, Any]) -> str:
    shown: Any = row.get("demonstration")
    if isinstance(shown, Mapping):
        return f"Demonstration: {shown.get('query', '')}"
    return str(row.get("title") or row.get("name") or "")
