"""What is served to agents, how it is listed, and what they may call."""

from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import RegionId, RunId, ToolkitId

FLAT_APIS = 40
FLAT_TOKENS = 15_000
"""A list of more tools, or of more tokens, makes models choose worse than a search does; "auto"
lists toolkits above either, and searches above `MOST_TOOLKITS`. Source: design/gateway.md
section 3."""
MOST_TOOLKITS = 40
LARGEST_FLAT_LIST = 128
"""Tools that some clients take at most; a longer list has to be asked for twice."""


DEFAULT_PROFILE = "default"
"""What is served where none is named; the toolkits of it are chosen in the window."""


class ServingMode(StrEnum):
    """How the APIs are offered."""

    AUTO = "auto"
    """Flat where the list is short, toolkits where these are few, else search."""
    TOOLKITS = "toolkits"
    """Each toolkit as a tool of its own, which calls any of its APIs."""
    SEARCH = "search"
    """A few tools that find, describe and call all APIs."""
    FLAT = "flat"
    """Each API as a tool of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingProfile:
    """What is served.

    Attributes:
        toolkits, regions: only the APIs of these; None = of all.
        without: toolkits that are not served, whatever else says so.
        follows: these three are those of the profile that is kept under the name, as it is at each
            look: they may be changed while it is served.
        allows_changes: APIs that may change something are served; each of their calls still needs a
            person's leave.
        allows_made_up: replies that were invented are served, each with a mark.
        replay: nobody is called: what is asked for gets the replies of this run.
        faults: what is injected at the gate, as `runs/debugging/faults.py` reads it.
        model: who fills in the arguments where an agent only says what it needs of a toolkit, as
            `RunSpec.model`; "" = nobody, and the agent is shown what it can call.
        is_long_list_meant: a list of more than `LARGEST_FLAT_LIST` tools is not refused.
    """

    name: str = DEFAULT_PROFILE
    mode: ServingMode = ServingMode.AUTO
    toolkits: frozenset[ToolkitId] | None = None
    regions: frozenset[RegionId] | None = None
    without: frozenset[ToolkitId] = frozenset()
    follows: bool = False
    allows_changes: bool = False
    allows_made_up: bool = False
    replay: RunId | None = None
    faults: tuple[str, ...] = ()
    model: str = ""
    is_long_list_meant: bool = False

    def allows(self, api: Api) -> bool:
        """Whether its risk allows that it is listed and called."""
        return self.allows_risk(api.risk)

    def allows_risk(self, risk: Risk) -> bool:
        """The same of a risk."""
        return self.allows_changes or self.replay is not None or risk is Risk.READ
