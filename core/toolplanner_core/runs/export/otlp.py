"""Runs as OpenTelemetry traces: OTLP JSON with the GenAI names, for Phoenix, langfuse and others.

One span per node that began: the run, plans, steps, attempts, questions, calls. Fallbacks, replans,
retries and edits are span events; the "why" arrows are span links. Ids are derived from the run, so
exporting it again gives the same trace. Content (queries, prompts, replies, arguments, results,
reasons in words) is left out unless asked for; then it stands as structured JSON in one event or
attribute each, never spread over many.

The conventions are still in development and rename things, so their names stand in one table per
version, and an export says which table it used. Names that they have no word for begin with
"toolplanner.".

Source: OpenTelemetry semantic conventions for generative AI, span names, attributes and the event
`gen_ai.client.inference.operation.details`; the operation `plan` is the one proposed in the GenAI
repository (research/debugging.md, C.4).
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core import __version__
from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import CALL, QUESTION, RUN, NodeState
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import is_example
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
from toolplanner_core.runs.log.stored_runs import iter_full_rows, typed
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class GenAiNames:
    """One version of the names. Fields ending in `_op` are values of `operation`."""

    version: str
    operation: str = "gen_ai.operation.name"
    run_op: str = "invoke_workflow"
    plan_op: str = "plan"
    chat_op: str = "chat"
    tool_op: str = "execute_tool"
    workflow: str = "gen_ai.workflow.name"
    conversation: str = "gen_ai.conversation.id"
    provider: str = "gen_ai.provider.name"
    request_model: str = "gen_ai.request.model"
    temperature: str = "gen_ai.request.temperature"
    seed: str = "gen_ai.request.seed"
    input_tokens: str = "gen_ai.usage.input_tokens"
    output_tokens: str = "gen_ai.usage.output_tokens"
    tool_name: str = "gen_ai.tool.name"
    tool_type: str = "gen_ai.tool.type"
    tool_call_id: str = "gen_ai.tool.call.id"
    tool_arguments: str = "gen_ai.tool.call.arguments"
    tool_result: str = "gen_ai.tool.call.result"
    tool_definitions: str = "gen_ai.tool.definitions"
    input_messages: str = "gen_ai.input.messages"
    output_messages: str = "gen_ai.output.messages"
    content_event: str = "gen_ai.client.inference.operation.details"
    error_type: str = "error.type"
    status_code: str = "http.response.status_code"


TABLES: dict[str, GenAiNames] = {
    "2026-05": GenAiNames(version="2026-05"),
    # Before the operations for workflows and plans: an agent did both.
    "1.37": GenAiNames(
        version="1.37", run_op="invoke_agent", plan_op="invoke_agent", workflow="gen_ai.agent.name"
    ),
}
"""By version; the first is the default."""

DEFAULT_VERSION = next(iter(TABLES))

OWN = "toolplanner."
"""Prefix of our own names."""


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


INTERNAL, CLIENT = 1, 3
_UNSET, _OK, _ERROR = 0, 1, 2
_STATUS = {
    NodeState.OK: _OK,
    NodeState.FAILED: _ERROR,
    NodeState.FELL_BACK: _ERROR,
    NodeState.IN_DOUBT: _ERROR,
}


def export_otlp(
    workspace: Workspace,
    runs: Iterable[RunId],
    *,
    content: bool = False,
    names: str = DEFAULT_VERSION,
) -> dict[str, Any]:
    """The body of an OTLP/JSON trace export (`ExportTraceServiceRequest`).

    Args:
        content: include texts of people, models and APIs.
        names: version of the table of names.

    Raises:
        NotFound: no such run.
        BadInput: there is no such table.
    """
    table = TABLES.get(names)
    if table is None:
        raise BadInput(f"There are no names {names!r}", todo=f"Known are {', '.join(TABLES)}")
    scope = {"name": "toolplanner", "version": __version__}
    spans = [span for run in runs for span in _Trace(workspace, run, table, content).spans()]
    of = {"service.name": "toolplanner", "service.version": __version__, f"{OWN}names": names}
    resource, scoped = {"attributes": attributes(of)}, {"scope": scope, "spans": spans}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


def attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A mapping as OTLP attributes; None is left out, lists and objects become JSON texts."""
    return [
        {"key": key, "value": _value(value)} for key, value in values.items() if value is not None
    ]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}  # 64-bit numbers are strings in protobuf's JSON
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value.encode("utf-8", "replace").decode()}
    return {"stringValue": json.dumps(value, ensure_ascii=True)}


class _Trace:
    """The spans of one run."""

    def __init__(self, workspace: Workspace, run: RunId, names: GenAiNames, content: bool) -> None:
        self._names = names
        self._content = content
        self._tree = RunTree()
        self._facts: defaultdict[NodePath, SpanFacts] = defaultdict(SpanFacts)
        self._events: defaultdict[NodePath, list[tuple[Record, dict[str, Any]]]] = defaultdict(list)
        self._first: Record | None = None
        self._last_ns = 0
        for row in iter_full_rows(workspace, run):
            self._take(typed([row])[0])

    def spans(self) -> list[dict[str, Any]]:
        """All spans, parents first."""
        if self._first is None:
            return []
        # Monotonic times count from the start of the run; one wall time anchors them all.
        self._base_ns = self._first.wall_us * 1000 - self._first.mono_ns
        began = f"{self._first.wall_us}:{self._first.event.to_body()!r}"
        self._trace_id = _digest(began, size_bytes=16)
        return [self._span(node) for _, node in self._tree.walk() if node.started_ns is not None]

    def _take(self, record: Record) -> None:
        self._first = self._first or record
        self._last_ns = max(self._last_ns, record.mono_ns)
        self._tree.apply([record])
        note_record(self._facts[record.path], record, self._names, content=self._content)
        values = event_of(record, self._names, content=self._content)
        if values is not None:
            self._events[record.path].append((record, values))

    def _span(self, node: Node) -> dict[str, Any]:
        facts = self._facts[node.path]
        name, values = self._describe(node, facts)
        values[f"{OWN}state"] = str(node.state)
        values[f"{OWN}path"] = node.path
        values[self._names.error_type] = node.error
        if self._content and node.reason:
            values[f"{OWN}reason"] = node.reason
        values |= facts.attributes
        began = node.started_ns or 0
        ended = node.ended_ns if node.ended_ns is not None else self._last_ns
        status = _STATUS.get(node.state, _UNSET)
        span: dict[str, Any] = {
            "traceId": self._trace_id,
            "spanId": self._span_id(node.path),
            "name": name,
            "kind": CLIENT if node.is_question else INTERNAL,
            "startTimeUnixNano": str(self._base_ns + began),
            "endTimeUnixNano": str(self._base_ns + max(began, ended)),
            "attributes": attributes(values),
            "events": [
                {
                    "timeUnixNano": str(self._base_ns + record.mono_ns),
                    "name": event["name"],
                    "attributes": attributes(event["attributes"]),
                }
                for record, event in self._events[node.path]
            ],
            "links": self._links(node),
            "status": {"code": status},
        }
        if node.parent is not None:
            span["parentSpanId"] = self._span_id(node.parent)
        if status == _ERROR:
            span["status"]["message"] = node.error or str(node.state)
        return span

    def _describe(self, node: Node, facts: SpanFacts) -> tuple[str, dict[str, Any]]:
        """Name and attributes by kind."""
        names, data = self._names, node.data
        match node.kind:
            case RUN.id:
                strategy = str(data.get("strategy", ""))
                values = {
                    names.operation: names.run_op,
                    names.workflow: strategy,
                    names.conversation: self._trace_id,
                    f"{OWN}status": data.get("status"),
                    f"{OWN}provider": data.get("provider"),
                    f"{OWN}seed": data.get("seed"),
                    f"{OWN}example": is_example(str(data.get("model", ""))) or None,
                }
                if self._content:
                    values |= {f"{OWN}query": node.title, f"{OWN}answer": data.get("answer")}
                return f"{names.run_op} {strategy}", values
            case _ if (ahead := node_kind(node.kind).ahead) is not None:
                values = {
                    names.operation: names.plan_op,
                    f"{OWN}plan.version": data.get("number"),
                    f"{OWN}plan.steps": len(ahead(data)),
                }
                return names.plan_op, values
            case QUESTION.id:
                title = f"{names.chat_op} {data.get('model', '')}".rstrip()
                return title, {names.operation: names.chat_op}
            case CALL.id:
                tool = facts.title or node.title
                return f"{names.tool_op} {tool}", {
                    names.operation: names.tool_op,
                    names.tool_name: tool,
                    names.tool_type: "function",
                    names.tool_call_id: self._span_id(node.path),
                    f"{OWN}api": data.get("api"),
                    f"{OWN}origin": data.get("origin"),
                    names.status_code: data.get("status"),
                }
            case _:
                values = {
                    f"{OWN}{node.kind}.number": data.get("number"),
                    f"{OWN}toolkit": data.get("toolkit_name"),
                    f"{OWN}api": data.get("api"),
                }
                if self._content:
                    values[f"{OWN}title"] = node.title
                return f"{node.kind} {data.get('number', '')}".rstrip(), values

    def _links(self, node: Node) -> list[dict[str, Any]]:
        path = None if node.cause is None else self._tree.path_of(node.cause)
        origin = None if path is None or path == ROOT else self._tree.nodes.get(path)
        if origin is None or origin is node or origin.started_ns is None:
            return []
        ids = {"traceId": self._trace_id, "spanId": self._span_id(origin.path)}
        return [{**ids, "attributes": attributes({f"{OWN}link": "cause"})}]

    def _span_id(self, path: NodePath) -> str:
        return _digest(f"{self._trace_id}:{path}", size_bytes=8)


def _digest(text: str, *, size_bytes: int) -> str:
    """An id in hex; OpenTelemetry forbids the one that is all zeros, which SHA-256 never gives."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[: 2 * size_bytes]
