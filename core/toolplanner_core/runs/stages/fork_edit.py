"""The first call or question after a fork point, as a person changed it.

The change is an event with actor "person" that holds both versions. It stands before all checks,
so changed arguments are validated like any others.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.spec import ForkEdit
from toolplanner_core.runs.stages.instead import answer_instead, with_messages
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
)
from toolplanner_core.runs.stages.tools import Tools

STOP = "fork"


class ForkEditStage:
    """Changes one call or question."""

    def __init__(self, tools: Tools, edit: ForkEdit | None) -> None:
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
        return await proceed(replace(request, messages=changed, cause=seq))

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
