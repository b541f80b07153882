"""How long an agent waits for one call, and what it is told meanwhile."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolplanner_core.serving.pending_calls import PendingCall

LONGEST_S = 55.0
"""Most clients give up after a minute; then the reply is fetched with a ticket."""


@dataclass(slots=True, kw_only=True)
class CallWait:
    """One request of an agent while it waits.

    Attributes:
        longest_s: seconds until it is told that its call goes on.
        call: what it waits for, once that has begun.
    """

    longest_s: float = LONGEST_S
    call: "PendingCall | None" = None

    @property
    def words(self) -> str:
        """What goes on, for the agent."""
        return "has begun" if self.call is None else self.call.words
