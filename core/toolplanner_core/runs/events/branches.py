"""Parallel branches of which the first success ends the others."""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class BranchesEnded(Event):
    """All branches have ended.

    Attributes:
        first: position of the one that succeeded first; None when none did.
        of: how many there were.
    """

    type: ClassVar[str] = "branches.ended"
    word: ClassVar[str] = "Branches ended"
    actor: ClassVar[Actor] = Actor.STRATEGY
    is_taped: ClassVar[bool] = True
    uncompared: ClassVar[frozenset[str]] = frozenset({"first"})
    first: int | None
    of: int

    def said(self) -> str:
        if self.first is None:
            return f"None of {self.of} branches succeeded"
        return f"Branch {self.first + 1} of {self.of} was first; the others were stopped"
