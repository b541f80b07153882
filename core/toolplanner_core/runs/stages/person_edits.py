"""What a person puts in the place of a request or a reply: checked, and written down.

After a fork point the first call or question can be changed: an event with actor "person" that
holds both versions. It stands before all checks, so changed arguments are validated like any
others. An answer in the place of a model is a JSON object, in a dialogue
``{"text": ..., "calls": [{"name", "arguments"}]}``. What people write passes the same checks as
what a model says, and more: endpoints refuse a request whose messages do not belong together.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.observation import BY_PERSON, Observation
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.runs.catalogue.recorded_catalogue import ApiOf
from toolplanner_core.runs.config.spec import ForkEdit, Messages
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.events.question import ModelReplied
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
    numbered,
)

_ROLES = ("system", "user", "assistant", "tool")


def turn_of(text: str, calls: Iterable[FunctionCall]) -> dict[str, Any]:
    """A turn of a dialogue as a person sees and writes it."""
    said: list[dict[str, Any]] = []
    for call in calls:
        values = call.values()
        said.append({"name": call.name, "arguments": call.arguments if values is None else values})
    return {"text": text, "calls": said}


def with_messages(messages: Sequence[Mapping[str, Any]], edit: Messages) -> list[dict[str, Any]]:
    """The messages of a question as the edit of a fork wants them."""
    if not isinstance(edit, Mapping):
        return [dict(message) for message in edit]
    return [
        {**message, "content": edit.get(number, message["content"])}
        for number, message in enumerate(messages, start=1)
    ]


def answer_misfit(request: QuestionRequest, value: Any) -> str:
    """Why a person's answer cannot be taken, "" if it can."""
    if request.question is None:
        return turn_misfit(value, {tool.name for tool in request.tools})
    try:
        request.question.parse(value)
    except AnswerInvalid as invalid:
        return f"At {invalid.where}: {invalid.what}"
    return ""


def turn_misfit(value: Any, offered: Collection[str]) -> str:
    """Why this is no turn of a dialogue that offers these functions, "" if it is one."""
    if not isinstance(value, Mapping):
        return 'At $: Write {"text": "...", "calls": [...]}'
    for call in _calls(cast("Mapping[str, Any]", value)):
        if call.name not in offered:
            return f"At $.calls: no function is called {call.name!r}"
        if call.values() is None:
            return "At $.calls: the arguments are no JSON object"
    return ""


def messages_misfit(messages: Any) -> str:
    """Why these messages cannot be sent, "" if they can."""
    if not isinstance(messages, list | tuple) or not messages:
        return "At least one message must be left"
    waiting: list[str] = []
    rows = cast("Sequence[Any]", messages)
    for position, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            return f"Message {position} is no object"
        message = cast("Mapping[str, Any]", row)
        if message.get("role") not in _ROLES:
            return f"Message {position} has no role that a model knows: {', '.join(_ROLES)}"
        if not isinstance(message.get("content"), str):
            return f"Message {position} has no text"
        if message["role"] == "tool":
            if message.get("call") not in waiting:
                return f"Message {position} is the result of a call that no message before it makes"
            waiting.remove(str(message["call"]))
        elif waiting:
            return f"Message {position} stands before the results of all calls"
        waiting += [call.id for call in Message.from_json(message).calls]
    return "The last call has no result" if waiting else ""


def answer_instead(log: RunLog, request: QuestionRequest, value: Any, cause: int) -> Answered:
    """Write a person's answer as the reply, at no cost."""
    if request.question is not None:
        reply = Reply(data=value, text=json.dumps(value, ensure_ascii=False))
    else:
        reply = Reply(
            data=None, text=str(value.get("text") or ""), calls=numbered(_calls(value), request)
        )
    record = log.append(
        ModelReplied(
            text=reply.text,
            data=reply.data,
            input_tokens=0,
            output_tokens=0,
            elapsed_ms=0.0,
            raw={"origin": BY_PERSON},
            cost=0.0,
            calls=[call.to_json() for call in reply.calls],
        ),
        path=request.path,
        cause=cause,
    )
    return Answered(reply=reply, seq=record.seq, messages=request.messages)


def _calls(turn: Mapping[str, Any]) -> list[FunctionCall]:
    given = cast("Sequence[Mapping[str, Any]]", turn.get("calls") or ())
    return [FunctionCall.from_json(call) for call in given]


STOP = "fork"


class ForkEditStage:
    """Changes one call or question."""

    def __init__(self, tools: StageContext, edit: ForkEdit | None) -> None:
        self._log, self._api_of = tools.log, tools.api_of
        self.pending = edit

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls."""
        taped = self._log.tape.take_decision(request.path, STOP)
        if taped is not None:
            return await proceed(
                with_version(request, taped.event.after, self._api_of, cause=taped.seq)
            )
        edit = self._due(request.path, is_question=False)
        if edit is None:
            return await proceed(request)
        arguments = {**request.arguments, **(edit.arguments or {})}
        changed = replace(
            request,
            arguments={name: value for name, value in arguments.items() if value is not None},
            api=self._api_of(edit.api) if edit.api is not None else request.api,
        )
        title, before, after = request.api.title, version_of(request), version_of(changed)
        seq = self._write(request, Choice.EDIT, title, before, after)
        return await proceed(replace(changed, cause=seq))

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions and turns of dialogues."""
        taped = self._log.tape.take_decision(request.path, STOP)
        if taped is not None:
            choice, after, seq = taped.event.choice, taped.event.after, taped.seq
        else:
            edit = self._due(request.path, is_question=True)
            if edit is None:
                return await proceed(request)
            messages = [message.to_json() for message in request.messages]
            before = {"messages": messages}
            is_answer = edit.answer is not None
            choice = Choice.ANSWER if is_answer else Choice.EDIT
            sent = with_messages(messages, edit.messages or {})
            after = {"value": edit.answer} if is_answer else {"messages": sent}
            seq = self._write(request, choice, request.title, {} if is_answer else before, after)
        if choice == Choice.ANSWER:
            return answer_instead(self._log, request, after["value"], seq)
        changed = tuple(Message.from_json(message) for message in after["messages"])
        return await proceed(replace(request, messages=changed, cause=seq, batch=None))

    def _due(self, path: NodePath, *, is_question: bool) -> ForkEdit | None:
        """The change that is to be made here; it is made once."""
        edit = self.pending
        if edit is None or edit.is_of_question is not is_question or not edit.is_for(path):
            return None
        if not self._log.tape.is_live(path):
            return None
        self.pending = None
        return edit

    def _write(
        self,
        request: CallRequest | QuestionRequest,
        choice: Choice,
        title: str,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
    ) -> int:
        record = self._log.append(
            PersonDecided(stop=STOP, choice=choice, title=title, before=before, after=after),
            path=request.path,
            cause=request.cause,
            barrier=True,
        )
        return record.seq


def version_of(request: CallRequest) -> dict[str, Any]:
    """The part of a call that a person may change, as JSON."""
    return {
        "api": request.api.id,
        "api_title": request.api.title,
        "arguments": dict(request.arguments),
    }


def with_version(
    request: CallRequest, version: Mapping[str, Any], api_of: ApiOf, *, cause: int
) -> CallRequest:
    """The call in another version, as `version_of` wrote it."""
    api_id = ApiId(str(version["api"]))
    return replace(
        request,
        api=request.api if api_id == request.api.id else api_of(api_id),
        arguments=dict(cast("Mapping[str, Any]", version["arguments"])),
        cause=cause,
    )
