"""Stop points of calls and questions: before they leave and after they come back.

At a stop a person may change the call, answer in the place of the API or the model, or let it fail.
What is changed passes the same checks as what a model says. Caller: `gate.py`.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.runs.events.question import ModelFailed, ModelReplied
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.stages.call_tries import write_outcome
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.stages.fork_edit import version_of
from toolplanner_core.runs.stages.refusal import refuse
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
)
from toolplanner_core.runs.stops import Choice, Stop, StopDecision, StopPoint
from toolplanner_core.strategies.scope import ModelGaveUp

ORIGIN = "a person"
_NOT_CHOOSABLE = frozenset({ErrorClass.CANCELLED, ErrorClass.OVER_BUDGET})


class SteppingStage:
    """Holds calls and questions where the debugger wants it.

    Args:
        check_call: why a changed call must not be sent, "" if it may.
        toolkit_at: name of the toolkit that a place in the tree belongs to.
    """

    def __init__(
        self,
        deciding: Deciding,
        log: RunLog,
        *,
        api_of: ApiOf,
        check_call: Callable[[CallRequest], str],
        toolkit_at: Callable[[NodePath], str],
    ) -> None:
        self._deciding = deciding
        self._log = log
        self._api_of = api_of
        self._check_call = check_call
        self._toolkit_at = toolkit_at

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls."""
        if not self._deciding.is_attached:
            return await proceed(request)
        stop = self._stop_at(request)
        decided = await self._deciding.at(
            stop,
            before=version_of(request),
            check=lambda decision: self._misfit(request, decision),
            is_taped=not self._log.tape.is_live(request.path),
        )
        if decided is None:
            observation = await proceed(request)
        elif decided.decision.choice is Choice.EDIT:
            changed = self._changed(request, decided.decision)
            observation = await proceed(replace(changed, cause=decided.seq))
        elif decided.decision.choice is Choice.SKIP:
            request = replace(request, cause=decided.seq)
            return refuse(
                self._log, request, ErrorClass.BLOCKED_BY_POLICY, "A person skipped this call"
            )
        else:
            return self._instead(request, decided.decision, decided.seq)
        after = dataclasses.replace(
            stop,
            point=StopPoint.AFTER_CALL,
            value=observation.value,
            error=observation.error,
            message=observation.message,
            cause=observation.seq,
        )
        decided = await self._deciding.at(
            after,
            before={"value": observation.value, "error": observation.error},
            check=lambda decision: self._misfit(request, decision),
            is_taped=self._log.tape.end.seq >= observation.seq,
        )
        if decided is None:
            return observation
        return self._instead(request, decided.decision, decided.seq)

    def _stop_at(self, request: CallRequest) -> Stop:
        return Stop(
            point=StopPoint.BEFORE_CALL,
            path=request.path,
            node=request.parent,
            kind="call",
            title=request.api.title,
            cause=request.cause,
            toolkit=self._toolkit_at(request.path),
            api=request.api,
            arguments=request.arguments,
        )

    def _changed(self, request: CallRequest, decision: StopDecision) -> CallRequest:
        arguments = request.arguments if decision.arguments is None else decision.arguments
        api = self._api_of(decision.api) if decision.api else request.api
        return replace(request, api=api, arguments=dict(arguments))

    def _misfit(self, request: CallRequest, decision: StopDecision) -> str:
        match decision.choice:
            case Choice.EDIT:
                try:
                    return self._check_call(self._changed(request, decision))
                except NotFound as error:
                    return error.what
            case Choice.FAIL:
                return _class_misfit(decision)
            case _:
                return ""

    def _instead(self, request: CallRequest, decision: StopDecision, seq: int) -> Observation:
        """A person's outcome in the place of the API's."""
        if decision.choice is Choice.FAIL:
            raw = RawResult(
                status=None,
                body="",
                failure=decision.error or ErrorClass.SERVER_ERROR,
                message="a person let it fail",
                origin=ORIGIN,
            )
        else:
            body = json.dumps(decision.value, ensure_ascii=False)
            raw = RawResult(status=200, body=body, origin=ORIGIN)
        return write_outcome(self._log, request, raw, seq, 0.0)

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions.

        Raises:
            ModelGaveUp: a person let it fail, or it failed by itself.
        """
        if not self._deciding.is_attached:
            return await proceed(request)
        stop = Stop(
            point=StopPoint.BEFORE_QUESTION,
            path=request.path,
            node=request.parent,
            kind="question",
            title=request.question.title,
            cause=request.cause,
            toolkit=self._toolkit_at(request.path),
            question=request.question.id,
            messages=[{"role": m.role, "content": m.content} for m in request.messages],
            schema=request.schema,
        )
        decided = await self._deciding.at(
            stop,
            check=lambda decision: _answer_misfit(request, decision),
            is_taped=not self._log.tape.is_live(request.path),
        )
        if decided is not None:
            return self._answer(request, decided.decision, decided.seq)
        answered = await proceed(request)
        after = dataclasses.replace(
            stop, point=StopPoint.AFTER_QUESTION, data=answered.reply.data, cause=answered.seq
        )
        decided = await self._deciding.at(
            after,
            before={"value": answered.reply.data},
            check=lambda decision: _answer_misfit(request, decision),
            is_taped=self._log.tape.end.seq >= answered.seq,
        )
        if decided is None:
            return answered
        return self._answer(request, decided.decision, decided.seq)

    def _answer(self, request: QuestionRequest, decision: StopDecision, seq: int) -> Answered:
        """A person's answer in the place of the model's."""
        if decision.choice is Choice.FAIL:
            error = decision.error or ErrorClass.SERVER_ERROR
            message = "A person let it fail"
            failed = ModelFailed(
                error=error, message=message, elapsed_ms=0.0, will_retry_after_s=None
            )
            record = self._log.append(failed, path=request.path, parent=request.parent, cause=seq)
            raise ModelGaveUp(error, message, seq=record.seq)
        data: Any = decision.value
        reply = Reply(data=data, text=json.dumps(data, ensure_ascii=False), raw={"origin": ORIGIN})
        record = self._log.append(
            ModelReplied(
                text=reply.text,
                data=data,
                input_tokens=0,
                output_tokens=0,
                elapsed_ms=0.0,
                raw=reply.raw,
                cost=0.0,
            ),
            path=request.path,
            parent=request.parent,
            cause=seq,
        )
        return Answered(reply=reply, seq=record.seq)


def _class_misfit(decision: StopDecision) -> str:
    if decision.error in _NOT_CHOOSABLE:
        return f"{decision.error} is not a failure of a call: stop the run instead"
    return ""


def _answer_misfit(request: QuestionRequest, decision: StopDecision) -> str:
    if decision.choice is not Choice.ANSWER:
        return _class_misfit(decision)
    try:
        request.question.parse(decision.value)
    except AnswerInvalid as invalid:
        return f"At {invalid.where}: {invalid.what}"
    return ""
