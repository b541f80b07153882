"""A text to take values from, and which of its mentions are for which side. Called by the
`offer_*.py` modules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toolplanner_core.llm.offline.mentions import Mention


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to take values from: the goal of the step, or the whole query."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime
    roles: frozenset[str]
    """Roles of all parameters of the API."""
    known: frozenset[str]
    """Stems of the API's own words."""

    def of(self, *kinds: str) -> list[Mention]:
        """Mentions of these kinds, in order of place."""
        return [mention for mention in self.mentions if mention.kind in kinds]


Offer = Iterator[Any]


def sided(found: Sequence[Mention], side: str) -> list[Mention]:
    """Mentions for one side: those whose preposition says so, else by order (first = from)."""
    if not side:
        return list(found)
    marked = [mention for mention in found if mention.side == side]
    other = [mention for mention in found if mention.side not in ("", side)]
    free = [mention for mention in found if not mention.side]
    if marked:
        return marked
    if side == "from":
        return free if other or len(free) > 1 or not other else []
    if other:
        return free
    return free[1:]
