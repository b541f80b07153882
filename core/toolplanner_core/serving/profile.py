"""What is served to agents, how it is listed, and what they may call."""

from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import RunId, ToolkitId

FLAT_APIS = 40
FLAT_TOKENS = 15_000
"""A list of more tools, or of more tokens, makes models choose worse than a search does; "auto"
searches above either. Source: design/gateway.md section 3."""
LARGEST_FLAT_LIST = 128
"""Tools that some clients take at most; a longer list has to be asked for twice."""


class ServingMode(StrEnum):
    """How the APIs are offered."""

    AUTO = "auto"
    """Flat where the list is short, else search."""
    SEARCH = "search"
    """A few tools that find, describe and call all APIs."""
    FLAT = "flat"
    """Each API as a tool of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingProfile:
    """What is served.

    Attributes:
        toolkits: only the APIs of these; None = of all.
        allows_changes: APIs that may change something are served; each of their calls still needs a
            person's leave.
        allows_made_up: replies that were invented are served, each with a mark.
        replay: nobody is called: what is asked for gets the replies of this run.
        faults: what is injected at the gate, as `runs/debugging/faults.py` reads it.
        is_long_list_meant: a flat list of more than `LARGEST_FLAT_LIST` tools is not refused.
    """

    name: str = "default"
    mode: ServingMode = ServingMode.AUTO
    toolkits: frozenset[ToolkitId] | None = None
    allows_changes: bool = False
    allows_made_up: bool = False
    replay: RunId | None = None
    faults: tuple[str, ...] = ()
    is_long_list_meant: bool = False

    def allows(self, api: Api) -> bool:
        """Whether its risk allows that it is listed and called."""
        return self.allows_changes or self.replay is not None or api.risk is Risk.READ
