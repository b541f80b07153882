"""Stop points of calls and questions: before they leave and after they come back.

At a stop a person may change the call or the messages, answer in the place of the API or the model,
or let it fail. What is changed passes the same checks as what a model says.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import BY_PERSON, Observation, RawResult
from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    BEFORE_CALL,
    BEFORE_QUESTION,
    Choice,
)
from toolplanner_core.errors import NotFound
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.stages.call_tries import write_outcome
from toolplanner_core.runs.stages.fork_edit import version_of
from toolplanner_core.runs.stages.instead import (
    answer_instead,
    answer_misfit,
    messages_misfit,
    turn_of,
)
from toolplanner_core.runs.stages.refusal import refuse
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
)
from toolplanner_core.runs.stages.tools import Tools
from toolplanner_core.strategies.scope import ModelGaveUp

_NOT_CHOOSABLE = frozenset({ErrorClass.CANCELLED, ErrorClass.OVER_BUDGET})


class SteppingStage:
    """Holds calls and questions where the debugger wants it.

    Args:
        check_call: why a changed call must not be sent, "" if it may.
    """

    def __init__(self, tools: Tools, *, check_call: Callable[[CallRequest], str]) -> None:
        self._deciding, self._log = tools.deciding, tools.log
        self._api_of, self._places = tools.api_of, tools.places
        self._check_call = check_call

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls."""
        if not self._deciding.is_attached:
            return await proceed(request)
        stop = self._call_stop(request)
        taken = await self._deciding.at(
            stop,
            before=version_of(request),
            check=lambda decision: self._misfit(request, decision),
            is_taped=not self._log.tape.is_live(request.path),
        )
        if taken is None:
            observation = await proceed(request)
        elif taken.decision.choice is Choice.EDIT:
            changed = self._changed(request, taken.decision)
            observation = await proceed(replace(changed, cause=taken.seq))
        elif taken.decision.choice is Choice.SKIP:
            request = replace(request, cause=taken.seq)
            return refuse(
                self._log, request, ErrorClass.BLOCKED_BY_POLICY, "A person skipped this call"
            )
        else:
            return self._instead(request, taken.decision, taken.seq)
        after = dataclasses.replace(
            stop,
            point=AFTER_CALL,
            value=observation.value,
            error=observation.error,
            message=observation.message,
            cause=observation.seq,
        )
        taken = await self._deciding.at(
            after,
            before={"value": observation.value, "error": observation.error},
            check=lambda decision: self._misfit(request, decision),
            is_taped=self._log.tape.end.seq >= observation.seq,
        )
        if taken is None:
            return observation
        return self._instead(request, taken.decision, taken.seq)

    def _call_stop(self, request: CallRequest) -> Stop:
        place = self._places.of(request.path)
        return Stop(
            point=BEFORE_CALL,
            path=request.path,
            node=place.path,
            is_unit=place.kind.is_unit,
            title=request.api.title,
            cause=request.cause,
            toolkit=place.toolkit,
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
                failure=decision.error or ErrorClass.SERVER_ERROR,
                message="a person let it fail",
                origin=BY_PERSON,
            )
        else:
            body = json.dumps(decision.value, ensure_ascii=False)
            raw = RawResult(status=200, body=body, origin=BY_PERSON)
        return write_outcome(self._log, request, raw, seq, 0.0)

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions and turns of dialogues.

        Raises:
            ModelGaveUp: a person let it fail, or it failed by itself.
        """
        if not self._deciding.is_attached:
            return await proceed(request)
        stop = self._question_stop(request)
        taken = await self._deciding.at(
            stop,
            before={"messages": stop.messages},
            check=lambda decision: _question_misfit(request, decision),
            is_taped=not self._log.tape.is_live(request.path),
        )
        if taken is not None and taken.decision.choice is Choice.EDIT:
            messages = tuple(Message.from_json(m) for m in taken.decision.messages or ())
            request = replace(request, messages=messages, cause=taken.seq)
        elif taken is not None:
            return self._answer(request, taken.decision, taken.seq)
        answered = await proceed(request)
        reply = answered.reply
        said = turn_of(reply.text, reply.calls) if stop.is_dialogue else reply.data
        after = dataclasses.replace(stop, point=AFTER_QUESTION, data=said, cause=answered.seq)
        taken = await self._deciding.at(
            after,
            before={"value": said},
            check=lambda decision: _question_misfit(request, decision),
            is_taped=self._log.tape.end.seq >= answered.seq,
        )
        if taken is None:
            return answered
        return self._answer(request, taken.decision, taken.seq)

    def _question_stop(self, request: QuestionRequest) -> Stop:
        place = self._places.of(request.path)
        return Stop(
            point=BEFORE_QUESTION,
            path=request.path,
            node=place.path,
            is_unit=place.kind.is_unit,
            title=request.title,
            cause=request.cause,
            toolkit=place.toolkit,
            question=request.id,
            messages=[message.to_json() for message in request.messages],
            tools=[tool.to_json() for tool in request.tools],
            schema=request.schema,
        )

    def _answer(self, request: QuestionRequest, decision: StopDecision, seq: int) -> Answered:
        """A person's answer in the place of the model's."""
        if decision.choice is Choice.FAIL:
            error = decision.error or ErrorClass.SERVER_ERROR
            message = "A person let it fail"
            failed = ModelFailed(error=error, message=message)
            record = self._log.append(failed, path=request.path, cause=seq)
            raise ModelGaveUp(error, message, seq=record.seq)
        return answer_instead(self._log, request, decision.value, seq)


def _class_misfit(decision: StopDecision) -> str:
    if decision.error in _NOT_CHOOSABLE:
        return f"{decision.error} is not a failure of a call: stop the run instead"
    return ""


def _question_misfit(request: QuestionRequest, decision: StopDecision) -> str:
    match decision.choice:
        case Choice.ANSWER:
            return answer_misfit(request, decision.value)
        case Choice.EDIT:
            return messages_misfit(decision.messages)
        case _:
            return _class_misfit(decision)
