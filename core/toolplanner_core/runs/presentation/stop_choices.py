"""What a person may do at a stop, in words, and the decision that comes of it.

Pure functions over a `Stop`; what is allowed where is said by `runs/debugging/stops.py` alone.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    APPROVAL,
    BEFORE_CALL,
    BEFORE_LINE,
    BEFORE_QUESTION,
    Choice,
    StopPoint,
)
from toolplanner_core.llm.model import OFFLINE_LABEL
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.presentation.conversation import Spoken, spoken_of
from toolplanner_core.runs.presentation.sections import ShownText, pretty
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import one_line

_DEEPEST = 6
_BODY = 240
"""Characters of a body that stand beside its request line."""
_NOT_CHOOSABLE = (
    ErrorClass.CANCELLED,
    ErrorClass.OVER_BUDGET,
    ErrorClass.DAY_BUDGET,
    ErrorClass.WORKSPACE_FAULT,
)

UNREAD = (
    "The messages as a language model would get them. The offline planner goes by its rules and"
    " reads none of them: what is changed here has no effect. Answer instead, if it is wrong."
)
"""What is said of messages where the offline planner is asked."""


class Offer(NamedTuple):
    """Something a person may do.

    Attributes:
        choice: None = go on as it is.
        word: on the switch; verb: on the button that does it.
    """

    choice: Choice | None
    word: str
    verb: str
    explanation: str


_GIVE_UP = Offer(Choice.GIVE_UP, "End run", "End the run", "The run ends here, as stopped by you.")
_OFFERS: Mapping[str, tuple[Offer, ...]] = {
    BEFORE_CALL.id: (
        Offer(Choice.EDIT, "Send", "Send", "The call as it will be sent; change what you like."),
        Offer(
            Choice.ANSWER,
            "Answer",
            "Answer instead",
            "Nothing is sent: the run goes on with this result.",
        ),
        Offer(Choice.FAIL, "Fail", "Let it fail", "Nothing is sent: the run sees the call fail."),
        Offer(
            Choice.SKIP,
            "Skip",
            "Skip the call",
            "Nothing is sent: the run sees the call as not allowed, and looks for another way.",
        ),
        _GIVE_UP,
    ),
    AFTER_CALL.id: (
        Offer(None, "Keep", "Continue", "The run goes on with this result."),
        Offer(
            Choice.ANSWER,
            "Replace",
            "Replace the result",
            "The run goes on with this result instead; the log keeps both.",
        ),
        Offer(Choice.FAIL, "Fail", "Let it fail", "The run sees the call fail."),
        _GIVE_UP,
    ),
    BEFORE_QUESTION.id: (
        Offer(
            Choice.EDIT,
            "Ask",
            "Ask the model",
            "The messages as they will be sent; change what you like.",
        ),
        Offer(
            Choice.ANSWER,
            "Answer",
            "Answer instead",
            "The model is not asked: the run goes on with this answer.",
        ),
        Offer(Choice.FAIL, "Fail", "Let it fail", "The run sees the model give no answer."),
        _GIVE_UP,
    ),
    AFTER_QUESTION.id: (
        Offer(None, "Keep", "Continue", "The run goes on with this answer."),
        Offer(
            Choice.ANSWER,
            "Replace",
            "Replace the answer",
            "The run goes on with this answer instead; the log keeps both.",
        ),
        _GIVE_UP,
    ),
}


def offers(stop: Stop, *, model: str = "") -> tuple[Offer, ...]:
    """What may be done at a stop; the first one is what is usually wanted.

    Args:
        model: label of the one that is asked, "" if it is not known.
    """
    found = _OFFERS.get(stop.point.id) or _choices(stop.point)
    allowed = stop.point.allowed
    given = [offer for offer in found if offer.choice is None or offer.choice in allowed]
    if stop.point is BEFORE_QUESTION and model == OFFLINE_LABEL:
        given = [o._replace(explanation=UNREAD) if o.choice is Choice.EDIT else o for o in given]
    return tuple(given)


def _choices(point: StopPoint) -> tuple[Offer, ...]:
    """What may be done where a strategy chooses, as the point declares it."""
    found: list[Offer] = []
    if point.take:
        found.append(Offer(Choice.TAKE, point.take, point.take, point.take_hint))
    if point.skip:
        found.append(Offer(Choice.SKIP, point.skip, point.skip, point.skip_hint))
    if point.needs_person:
        found.reverse()  # what is offered first is harmless, also for a hand that clicks twice
    if not point.take or not point.is_stepped:
        hint = "The run goes on as it would." if found else "Nothing can be changed at this place."
        plain = Offer(None, "Go on", "Continue", hint)
        found.insert(1 if point.take else 0, plain)
    return (*found, _GIVE_UP)


def heading(stop: Stop) -> str:
    """What is about to happen, or has happened."""
    return f"{stop.point.word} {stop.title}"


def call_decision(stop: Stop, *, api: Api, arguments: Mapping[str, Any]) -> StopDecision | None:
    """Send this call; None when it is the one that would be sent anyway."""
    is_other = stop.api is None or api.id != stop.api.id
    if not is_other and dict(arguments) == dict(stop.arguments):
        return None
    return StopDecision(
        choice=Choice.EDIT, arguments=dict(arguments), api=api.id if is_other else None
    )


def taking(stop: Stop, wanted: str | None) -> StopDecision | None:
    """Take this alternative; None when it is the one that would be taken anyway."""
    if stop.point.needs_person and wanted is not None:
        return StopDecision(choice=Choice.TAKE, taken=wanted)
    best = stop.alternatives[0].id if stop.alternatives else None
    return None if wanted == best else StopDecision(choice=Choice.TAKE, taken=wanted)


def carried_over(api: Api, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call as far as another API knows their names."""
    known = {parameter.name for parameter in api.parameter_list}
    return {name: value for name, value in arguments.items() if name in known}


def failures() -> list[tuple[ErrorClass, str]]:
    """The error classes that a person may choose, with their explanations."""
    return [(error, EXPLANATIONS[error]) for error in ErrorClass if error not in _NOT_CHOOSABLE]


def first_answer(stop: Stop) -> Any:
    """What an editor for the answer begins with: what came back, or the shape that is wanted."""
    if stop.point is AFTER_QUESTION:
        return stop.data
    if stop.point is AFTER_CALL:
        return stop.value
    if stop.point is BEFORE_QUESTION:
        return {"text": "", "calls": []} if stop.is_dialogue else skeleton(stop.schema)
    schema = stop.api.response_schema if stop.api is not None else None
    return skeleton(schema) if schema else {}


def skeleton(schema: Mapping[str, Any], depth: int = 0) -> Any:
    """An empty value of the shape that a JSON Schema asks for."""
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        kind = next(iter(cast("list[Any]", kind)), None)
    if kind == "array":
        items = schema.get("items")
        if not isinstance(items, Mapping) or depth >= _DEEPEST:
            return []
        return [skeleton(cast("Mapping[str, Any]", items), depth + 1)]
    if kind == "object" or "properties" in schema:
        found = schema.get("properties")
        properties = cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
        required: Any = schema.get("required") or list(properties)
        return {
            name: skeleton(cast("Mapping[str, Any]", of_one), depth + 1)
            for name, of_one in properties.items()
            if name in required and isinstance(of_one, Mapping) and depth < _DEEPEST
        }
    return {"string": "", "integer": 0, "number": 0, "boolean": False}.get(kind)


def asked_first(stop: Stop) -> str:
    """What a person has to see before they allow a call: whether it is done already, what is sent
    to whom, and the body in a line; "" where nobody is asked."""
    if stop.point is not APPROVAL:
        return ""
    body = stop.rest.partition("\n\n")[2]
    parts = (stop.warning, stop.message, one_line(body, _BODY) if body else "")
    return "\n".join(filter(None, parts))


def stop_sections(stop: Stop) -> list[ShownText]:
    """What is known at a call that came back or asks for leave, or at a line."""
    found: list[ShownText] = []
    if stop.point is APPROVAL:
        if stop.rest:
            found.append(ShownText("Headers and body", stop.rest, "code"))
        found.append(ShownText("Arguments", pretty(dict(stop.arguments)), "code"))
    if stop.point is BEFORE_LINE:
        values = cast("Mapping[str, str]", stop.data)
        found.append(ShownText("Program", stop.message, "program"))
        lines = "\n".join(f"{name} = {value}" for name, value in values.items())
        found.append(ShownText("Values", lines or "none yet", "code"))
        found.append(ShownText("Call stack", stop.stack or "not known", "code"))
    if stop.point is AFTER_CALL:
        if stop.error is not None:
            words = stop.error.value.replace("_", " ")
            why = stop.message or EXPLANATIONS[stop.error]
            found.append(ShownText(f"Failed: {words}", why, ""))
        if stop.value is not None:
            found.append(ShownText("Result", pretty(stop.value), "code"))
        found.append(ShownText("Arguments", pretty(dict(stop.arguments)), "code"))
    return found


def stop_spoken(stop: Stop) -> list[Spoken]:
    """What was said up to a question that is held, and the answer where there is one."""
    messages = [Message.from_json(message) for message in stop.messages]
    if stop.point is AFTER_QUESTION:
        data = cast("Mapping[str, Any]", stop.data) if stop.is_dialogue else {}
        text = str(data.get("text", "")) if stop.is_dialogue else pretty(stop.data)
        calls = tuple(FunctionCall.from_json(call) for call in data.get("calls", ()))
        messages.append(Message("assistant", text, calls))
    return spoken_of(messages)


def goal_of(nodes: Mapping[NodePath, Node], path: NodePath) -> str:
    """The goal of the step around a place in the tree, "" outside of steps."""
    step = _step_around(nodes, path)
    return step.title if step is not None else ""


def failed_apis(nodes: Mapping[NodePath, Node], path: NodePath) -> frozenset[ApiId]:
    """APIs whose attempts failed in the step around a place in the tree, or in any step of the run
    while none of them came to anything."""
    step = _step_around(nodes, path)
    here = frozenset(step.children if step is not None else ())
    tried = [n for n in nodes.values() if node_kind(n.kind).is_try and n.data.get("api")]
    ended = [(ApiId(str(n.data["api"])), n) for n in tried]
    bad = (NodeState.FAILED, NodeState.FELL_BACK)
    served = {api for api, node in ended if node.state is NodeState.OK}
    return frozenset(
        api for api, node in ended if node.state in bad and (node.path in here or api not in served)
    )


def _step_around(nodes: Mapping[NodePath, Node], path: NodePath) -> Node | None:
    around = (nodes[place] for place in path_and_ancestors(path) if place in nodes)
    return next((node for node in around if node_kind(node.kind).on_map), None)
