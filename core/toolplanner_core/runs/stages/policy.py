"""May this call be made at all? Calls that change the world outside need a person's yes.

A batch run has nobody to ask, so such a call is refused; a later stage asks the person at the stop
point instead. Providers that touch nothing outside (demo, recorded, simulated) need no approval.
Source: design/architecture.md, "one gate"; research/debugging.md D.1.
"""

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest, refuse


class PolicyStage:
    """Refuses calls that may change something outside."""

    def __init__(self, log: RunLog, *, touches_world: bool) -> None:
        self._log = log
        self._touches_world = touches_world

    def objection(self, api: Api) -> str:
        """Why a call of an API must not be made, "" if it may."""
        if not self._touches_world or api.risk is Risk.READ:
            return ""
        effect = "delete something" if api.risk is Risk.DESTRUCTIVE else "change something"
        return f"This call may {effect} outside, and nobody has allowed it"

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage."""
        if objection := self.objection(request.api):
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, objection)
        return await proceed(request)
