"""Parallel branches of which the first success ends the others."""

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type(
    "branches.ended", "Branches ended", Actor.STRATEGY, is_taped=True, uncompared=("first",)
)
class BranchesEnded(Event):
    """All branches have ended.

    Attributes:
        first: position of the one that succeeded first; None when none did.
        of: how many there were.
    """

    first: int | None
    of: int

    def said(self) -> str:
        if self.first is None:
            return f"None of {self.of} branches succeeded"
        return f"Branch {self.first + 1} of {self.of} was first; the others were stopped"
