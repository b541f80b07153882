"""Stop points of calls and questions: before they leave and after they come back.

At a stop a person may change the call or the messages, answer in the place of the API or the model,
or let it fail. What is changed passes the same checks as what a model says.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

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
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.person_edits import (
    answer_instead,
    answer_misfit,
    messages_misfit,
    turn_of,
    version_of,
)
from toolplanner_core.runs.stages.retries import write_outcome
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
    refuse,
)
from toolplanner_core.strategies.interface.scope import ModelGaveUp

_SKIPPED = "A person skipped this call"
_NOT_CHOOSABLE = frozenset({ErrorClass.CANCELLED, ErrorClass.OVER_BUDGET, ErrorClass.DAY_BUDGET})


class StopPointStage:
    """Holds calls and questions where the debugger wants it.

    Args:
        check_call: why a changed call must not be sent, "" if it may.
    """

    def __init__(self, tools: StageContext, *, check_call: Callable[[CallRequest], str]) -> None:
        self._deciding, self._log = tools.deciding, tools.log
        self._api_of, self._places = tools.api_of, tools.places
        self._check_call = check_call

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls."""
        if not self._deciding.is_attached:
            return await proceed(request)
        place, check = self._places.of(request.path), partial(self._misfit, request)
        what = {"api": request.api, "arguments": request.arguments}
        stop = place.stop(BEFORE_CALL, request.path, request.api.title, request.cause, **what)
        taken = await self._deciding.at(stop, before=version_of(request), check=check)
        if taken is None:
            observation = await proceed(request)
        elif taken.decision.choice is Choice.EDIT:
            request = replace(self._changed(request, taken.decision), cause=taken.seq)
            observation = await proceed(request)
        elif taken.decision.choice is Choice.SKIP:
            request = replace(request, cause=taken.seq)
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, _SKIPPED)
        else:
            return self._instead(request, taken.decision, taken.seq)
        seq, seen = observation.seq, {"value": observation.value, "error": observation.error}
        what = {"api": request.api, "arguments": request.arguments, "title": request.api.title}
        stop = replace(stop, point=AFTER_CALL, cause=seq, message=observation.message, **seen)
        stop = replace(stop, **what)
        taken = await self._deciding.at(stop, before=seen, check=check, after=seq)
        return self._instead(request, taken.decision, taken.seq) if taken else observation

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
        place, check = self._places.of(request.path), partial(_question_misfit, request)
        stop = place.stop(
            BEFORE_QUESTION,
            request.path,
            request.title,
            request.cause,
            question=request.id,
            messages=[message.to_json() for message in request.messages],
            tools=[tool.to_json() for tool in request.tools],
            schema=request.schema,
        )
        taken = await self._deciding.at(stop, before={"messages": stop.messages}, check=check)
        if taken is not None and taken.decision.choice is Choice.EDIT:
            messages = tuple(Message.from_json(m) for m in taken.decision.messages or ())
            request = replace(request, messages=messages, cause=taken.seq, batch=None)
        elif taken is not None:
            return self._answer(request, taken.decision, taken.seq)
        answered = await proceed(request)
        reply, seq = answered.reply, answered.seq
        said = turn_of(reply.text, reply.calls) if stop.is_dialogue else reply.data
        messages = [message.to_json() for message in request.messages]
        stop = replace(stop, point=AFTER_QUESTION, data=said, cause=seq, messages=messages)
        taken = await self._deciding.at(stop, before={"value": said}, check=check, after=seq)
        return self._answer(request, taken.decision, taken.seq) if taken else answered

    def _answer(self, request: QuestionRequest, decision: StopDecision, seq: int) -> Answered:
        """A person's answer in the place of the model's."""
        if decision.choice is Choice.FAIL:
            error = decision.error or ErrorClass.SERVER_ERROR
            message = "A person let it fail"
            event = ModelFailed(error=error, message=message)
            record = self._log.append(event, path=request.path, cause=seq)
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
