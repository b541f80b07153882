"""May this call be made at all? Calls that change the world outside need a person's yes.

A batch run has nobody to ask, so such a call is refused; a later stage asks the person at the stop
point instead. Providers that touch nothing outside (demo, recorded, simulated) need no approval.
Caller: `gate.py`. Source: design/architecture.md, "one gate"; research/debugging.md D.1.
"""

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.refusal import refuse
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest


class PolicyStage:
    """Refuses calls that may change something outside."""

    def __init__(self, log: RunLog, *, touches_world: bool) -> None:
        self._log = log
        self._touches_world = touches_world

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage."""
        risk = request.api.risk
        if self._touches_world and risk is not Risk.READ:
            effect = "delete something" if risk is Risk.DESTRUCTIVE else "change something"
            return refuse(
                self._log,
                request,
                ErrorClass.BLOCKED_BY_POLICY,
                f"This call may {effect} outside, and nobody has allowed it",
            )
        return await proceed(request)
