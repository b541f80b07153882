"""What the stages of one run work with."""

from dataclasses import dataclass

from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.frame import Places
from toolplanner_core.runs.live_speech import LiveSpeech
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Made once for a run, on its event loop.

    Attributes:
        query: of the run.
        live: passes on what models say while they speak.
        api_of: finds the APIs that a tape or a person names.
    """

    query: str
    log: RunLog
    clock: Clock
    budget: Budget
    places: Places
    api_of: ApiOf
    deciding: Deciding
    live: LiveSpeech
