"""What the stages of one run work with."""

from dataclasses import dataclass

from toolplanner_core.runs.catalogue.recorded_catalogue import ApiOf
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.harness import HarnessFaults
from toolplanner_core.runs.stages.live_replies import LiveReplies
from toolplanner_core.runs.stages.node_frames import NodeFrames
from toolplanner_core.runs.stages.person_decisions import PersonDecisions


@dataclass(frozen=True, slots=True, kw_only=True)
class StageContext:
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
    harness: HarnessFaults
    places: NodeFrames
    api_of: ApiOf
    deciding: PersonDecisions
    live: LiveReplies
