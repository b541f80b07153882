"""How a call that is not made is written down: one event, one failed observation."""

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation
from toolplanner_core.runs.events.call import CallRefused
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.stage import CallRequest


def refuse(log: RunLog, request: CallRequest, error: ErrorClass, message: str) -> Observation:
    """Write `call.refused` and return the failure the strategy sees."""
    record = log.append(
        CallRefused(
            api=request.api.id,
            title=request.api.title,
            arguments=dict(request.arguments),
            error=error,
            message=message,
        ),
        path=request.path,
        cause=request.cause,
    )
    return Observation(ok=False, error=error, message=message, origin="not sent", seq=record.seq)
