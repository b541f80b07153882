"""What the records of a node add to its span: attributes of requests and replies, and events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import Decided, Noted
from toolplanner_core.runs.events.event import Record, UnknownEvent
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.export.otlp_names import OWN, GenAiNames

_OFFLINE = "offline"


@dataclass(slots=True)
class SpanFacts:
    """What a node's records said so far."""

    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    title: str = ""


def note_record(facts: SpanFacts, record: Record, names: GenAiNames, *, content: bool) -> None:
    """Take over what belongs into the attributes of the node's span; later records win."""
    values = facts.attributes
    match record.event:
        case ModelAsked() as event:
            values[names.provider] = provider_of(event.model)
            values[names.request_model] = event.model
            values[names.temperature] = float(event.temperature)
            values[f"{OWN}question"] = event.question
        case ModelReplied() as event:
            # Repairs and retries are requests of their own: their tokens add up.
            for name, count in (
                (names.input_tokens, event.input_tokens),
                (names.output_tokens, event.output_tokens),
            ):
                values[name] = int(values.get(name, 0)) + count
            if event.cost is not None:
                # The GenAI conventions have no name for money.
                spent = float(values.get(f"{OWN}cost_usd", 0.0))
                values[f"{OWN}cost_usd"] = spent + event.cost
        case CallSent() | CallRefused() as event:
            facts.title = event.title
            if isinstance(event, CallSent):
                values[f"{OWN}risk"] = event.risk
            if content:
                values[names.tool_arguments] = dict(event.arguments)
        case CallReturned(body=body) | CallFailed(body=body):
            if content:
                values[names.tool_result] = body
        case _:
            pass


def event_of(record: Record, names: GenAiNames, *, content: bool) -> dict[str, Any] | None:
    """The span event of a record: name and attributes; None when it is none.

    Without `content`, words of people, models and APIs are left out.
    """
    words: Mapping[str, Any] = {}
    match record.event:
        case Decided() as event:
            name = event.point.removeprefix("before_")
            known = {f"{OWN}chosen": event.chosen, f"{OWN}alternatives": len(event.alternatives)}
            words = {f"{OWN}title": event.chosen_title or event.title}
        case CallRefused() as event:
            name, known = "call_refused", {names.error_type: event.error}
            words = {f"{OWN}message": event.message}
        case CallSent(retry=retry) if retry:
            name, known = "call_retried", {f"{OWN}try": retry + 1}
        case CallFailed() as event:
            name, known = "call_failed", {names.error_type: event.error}
            words = {f"{OWN}message": event.message}
        case ModelFailed() as event:
            name, known = "model_failed", {names.error_type: event.error}
            words = {f"{OWN}message": event.message}
        case AnswerRejected() as event:
            name, known = "answer_rejected", {f"{OWN}repairs_left": event.repairs_left}
            words = {f"{OWN}where": event.where, f"{OWN}what": event.what}
        case ModelAsked() as event if content:
            told: dict[str, Any] = {names.input_messages: _messages(event.messages)}
            if event.tools:
                told[names.tool_definitions] = [
                    {"type": "function", "name": tool.get("name", "")} for tool in event.tools
                ]
            return {"name": names.content_event, "attributes": told}
        case ModelReplied() as event if content:
            reply = {
                "role": "assistant",
                "parts": _parts(event.text, event.calls),
                "finish_reason": "tool_call" if event.calls else "stop",
            }
            return {"name": names.content_event, "attributes": {names.output_messages: [reply]}}
        case Noted() as event if content:
            name, known = "note", {f"{OWN}text": event.text}
        case UnknownEvent() as event:
            name, known = event.unknown_type, {}
        case _:
            return None
    return {"name": f"{OWN}{name}", "attributes": {**known, **(words if content else {})}}


def provider_of(model: str) -> str:
    """The name of who answers: "openai" of "openai:gpt-4o-mini"; the offline planner is ours."""
    kind, mark, _ = model.partition(":")
    return kind if mark else "toolplanner" if model.startswith(_OFFLINE) else model


def _messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"role": m.get("role", ""), "parts": _result(m) if "call" in m else _parts_of(m)}
        for m in messages
    ]


def _parts_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return _parts(message.get("content", ""), message.get("calls") or ())


def _result(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    response = message.get("content", "")
    return [{"type": "tool_call_response", "id": message["call"], "response": response}]


def _parts(text: str, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Text and calls of a message; arguments that are no JSON object stay a text."""
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text or not calls else []
    for data in calls:
        call = FunctionCall.from_json(data)
        values = call.values()
        arguments = call.arguments if values is None else values
        parts.append(
            {"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments}
        )
    return parts
