"""While a request is on the tape, what was decided about it is read from there, not decided again.

Budgets and approval depend on time and on people, so their answers are taken from the tape: a
refusal is refused again, and what went through goes straight on to the stop points.
"""

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.stop_points import APPROVAL, BEFORE_CALL
from toolplanner_core.runs.events.call import CallRefused
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
    refuse,
)
from toolplanner_core.strategies.interface.scope import ModelGaveUp

_NOT_ASKED = (ErrorClass.OVER_BUDGET, ErrorClass.DAY_BUDGET)


class TapePlaybackStage:
    """Passes taped requests by the stages that decide.

    Args:
        after_checks_call: the stages behind budget and approval.
    """

    def __init__(
        self,
        tools: StageContext,
        *,
        after_checks_call: CallEnd,
        after_checks_question: QuestionEnd,
    ) -> None:
        self._log, self._budget, self._harness = tools.log, tools.budget, tools.harness
        self._after_checks_call = after_checks_call
        self._after_checks_question = after_checks_question

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls."""
        head = self._log.tape.peek(request.path)
        if head is None:
            return await proceed(request)
        by_person = (
            self._log.tape.has_decision(request.path, p.id) for p in (BEFORE_CALL, APPROVAL)
        )
        if isinstance(head.event, CallRefused) and not any(by_person):
            error = ErrorClass(head.event.error)
            if error is ErrorClass.OVER_BUDGET:
                self._budget.note_refusal(head.event.message)
            return refuse(self._log, request, error, head.event.message)
        return await self._after_checks_call(request)

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions.

        Raises:
            ModelGaveUp: it did so in the recorded run.
        """
        head = self._log.tape.peek(request.path)
        if head is None:
            return await proceed(request)
        if isinstance(head.event, ModelFailed) and head.event.error in _NOT_ASKED:
            self._log.tape.take(request.path, ModelFailed)
            error, why = ErrorClass(head.event.error), head.event.message
            if error is ErrorClass.OVER_BUDGET:
                self._budget.note_refusal(why)
            self._harness.note(error, why)
            raise ModelGaveUp(error, why, seq=head.seq)
        return await self._after_checks_question(request)
