"""Stop points that belong to no call or question: fallbacks, replans, plans that are given up.

Caller: `scope.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf, api_row
from toolplanner_core.runs.stages.deciding import Decided, Deciding
from toolplanner_core.runs.stops import Choice, Stop, StopDecision, StopPoint, all_fit


class ScopeStops:
    """The stop points of a run's scope.

    Args:
        toolkit_at: name of the toolkit that a place in the tree belongs to.
    """

    def __init__(
        self,
        deciding: Deciding,
        log: RunLog,
        *,
        api_of: ApiOf,
        toolkit_at: Callable[[NodePath], str],
    ) -> None:
        self._deciding = deciding
        self._log = log
        self._api_of = api_of
        self._toolkit_at = toolkit_at

    async def before_fallback(
        self, path: NodePath, failed: int, candidates: Sequence[ScoredApi]
    ) -> ScoredApi | None:
        """The best candidate or what a person takes instead; None = the toolkit is given up."""
        best = candidates[0] if candidates else None
        point = StopPoint.BEFORE_FALLBACK if best else StopPoint.TOOLKIT_EXHAUSTED
        title = f"Fall back to {best.api.title}" if best else "No API of the toolkit is left"
        decided = await self._at(
            path,
            point,
            "fallback",
            title,
            cause=failed,
            candidates=[api_row(item) for item in candidates],
            before={"api": best.api.id if best else None},
            check=self._fallback_misfit,
        )
        if decided is None:
            return best
        wanted = decided.decision.api
        if decided.decision.choice is not Choice.FALLBACK or wanted is None:
            return None
        named = (item for item in candidates if item.api.id == wanted)
        other = ScoredApi(api=self._api_of(wanted), score=0.0)
        return next(named, other)

    async def before_replan(self, path: NodePath, number: int, exhausted: int) -> None:
        """A person may look before another plan is made."""
        title = f"Make plan {number}"
        await self._at(path, StopPoint.BEFORE_REPLAN, "replan", title, cause=exhausted)

    async def plan_failed(self, path: NodePath, title: str, opened: int) -> None:
        """A person may look before a plan is left that failed."""
        await self._at(path, StopPoint.PLAN_FAILED, "plan", f"{title} is given up", cause=opened)

    def _fallback_misfit(self, decision: StopDecision) -> str:
        if decision.choice is Choice.FALLBACK:
            if decision.api is None:
                return "Name the API to fall back to"
            try:
                self._api_of(decision.api)
            except NotFound as error:
                return error.what
        return ""

    async def _at(
        self,
        path: NodePath,
        point: StopPoint,
        kind: str,
        title: str,
        *,
        cause: int,
        candidates: Sequence[Mapping[str, Any]] = (),
        before: Mapping[str, Any] | None = None,
        check: Callable[[StopDecision], str] = all_fit,
    ) -> Decided | None:
        if not self._deciding.is_attached:
            return None
        stop = Stop(
            point=point,
            path=path,
            node=path,
            kind=kind,
            title=title,
            cause=cause,
            toolkit=self._toolkit_at(path),
            candidates=candidates,
        )
        is_taped = not self._log.tape.is_live(path)
        return await self._deciding.at(stop, before=before, check=check, is_taped=is_taped)
