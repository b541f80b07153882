"""Choices of a strategy that a person may make instead: `run.decide`, and nodes that fail.

What was chosen is an event; what a person wanted stands before it as one of theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.debugging.stops import StopDecision, accept_any
from toolplanner_core.runs.events.decision import Decided
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.node_frames import NodeFrame
from toolplanner_core.runs.stages.person_decisions import TakenDecision
from toolplanner_core.strategies.interface.scope import DecisionMade


class ChoicePoints:
    """The choices of one run."""

    def __init__(self, tools: StageContext) -> None:
        self._deciding, self._log = tools.deciding, tools.log
        self._api_of, self._places = tools.api_of, tools.places

    async def decide(
        self,
        point: StopPoint,
        alternatives: Sequence[Alternative],
        *,
        title: str,
        cause: int | None = None,
        because: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> DecisionMade:
        """The first alternative, or what a person takes instead; `run.decide`."""
        frame = self._places.here
        best = alternatives[0] if alternatives else None
        taken = await self.hold(
            point,
            frame,
            title,
            cause=cause,
            alternatives=alternatives,
            before={"taken": best.id if best else None},
            check=lambda decision: self._misfit(point, alternatives, decision),
        )
        chosen = best
        if taken is not None:
            chosen = self._chosen(alternatives, taken.decision)
            if chosen is None and alternatives:
                return DecisionMade(chosen=None, seq=taken.seq)
        record = self._log.append(
            Decided(
                point=point.id,
                title=title,
                alternatives=[each.to_json() for each in alternatives],
                chosen=chosen.id if chosen else None,
                chosen_title=chosen.title if chosen else "",
                because="" if chosen else because,
                data=data or {},
            ),
            path=frame.path,
            cause=cause,
        )
        return DecisionMade(chosen=chosen, seq=record.seq)

    async def hold(
        self,
        point: StopPoint,
        frame: NodeFrame,
        title: str,
        *,
        cause: int | None,
        alternatives: Sequence[Alternative] = (),
        before: Mapping[str, Any] | None = None,
        check: Callable[[StopDecision], str] = accept_any,
        seen: Mapping[str, Any] | None = None,
    ) -> TakenDecision | None:
        """Let a person look here, if there is a reason to; `seen` is what else the stop shows."""
        if not self._deciding.is_attached:
            return None
        stop = frame.stop(
            point, frame.path, title, cause, alternatives=alternatives, **(seen or {})
        )
        return await self._deciding.at(stop, before=before, check=check)

    def _chosen(
        self, alternatives: Sequence[Alternative], decision: StopDecision
    ) -> Alternative | None:
        if decision.choice is not Choice.TAKE or decision.taken is None:
            return None
        for each in alternatives:
            if each.id == decision.taken:
                return each
        api = self._api_of(ApiId(decision.taken))
        return Alternative(id=api.id, title=api.title)

    def _misfit(
        self, point: StopPoint, alternatives: Sequence[Alternative], decision: StopDecision
    ) -> str:
        if decision.choice is not Choice.TAKE:
            return ""
        if decision.taken is None:
            return "Name what is to be taken"
        if not point.takes_any_api and all(each.id != decision.taken for each in alternatives):
            return f"{decision.taken!r} is not among what can be chosen here"
        try:
            self._chosen(alternatives, decision)
        except NotFound as error:
            return error.what
        return ""
