"""What a person says in the place of a model, or puts into its mouth: checked, and written down.

An answer is a JSON object, in a dialogue ``{"text": ..., "calls": [{"name", "arguments"}]}``. What
people write passes the same checks as what a model says, and more: endpoints refuse a request whose
messages do not belong together.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from toolplanner_core.domain.observation import BY_PERSON
from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.runs.events.question import ModelReplied
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.spec import Messages
from toolplanner_core.runs.stages.stage import Answered, QuestionRequest, numbered

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
