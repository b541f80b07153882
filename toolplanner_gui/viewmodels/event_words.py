"""Events of a run in words: one line each, for the event log.

Only short fields are looked at: of a stored event the long ones are marks until somebody asks.
"""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.debug import (
    DebugResumed,
    DebugStopped,
    FaultInjected,
    LogpointHit,
)
from toolplanner_core.runs.events.decision import (
    ClockRead,
    FallbackChosen,
    LookedUp,
    Noted,
    ReplanDecided,
    ToolkitExhausted,
)
from toolplanner_core.runs.events.event import Event, UnknownEvent
from toolplanner_core.runs.events.fork import CallInDoubt, ForkOrigin, PersonDecided, ReplayDiverged
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.words import failure_words
from toolplanner_gui.viewmodels.texts import counted, duration, one_line

TYPE_WORDS: Mapping[str, str] = {
    "run.started": "Run started",
    "run.finished": "Run finished",
    "run.interrupted": "Run interrupted",
    "node.opened": "Begun",
    "node.closed": "Ended",
    "model.asked": "Model asked",
    "model.replied": "Model replied",
    "model.failed": "Model failed",
    "model.answer_rejected": "Answer rejected",
    "call.sent": "Call sent",
    "call.returned": "Call returned",
    "call.failed": "Call failed",
    "call.refused": "Call refused",
    "call.in_doubt": "Call in doubt",
    "fallback.chosen": "Fallback chosen",
    "toolkit.exhausted": "Toolkit exhausted",
    "replan.decided": "Replan decided",
    "catalogue.looked_up": "Looked up",
    "clock.read": "Clock read",
    "note": "Note",
    "fork.origin": "Forked",
    "replay.diverged": "Replay diverged",
    "person.decided": "Person decided",
    "debug.stopped": "Stopped",
    "debug.resumed": "Resumed",
    "debug.logpoint": "Logpoint",
    "fault.injected": "Fault injected",
}
_LONGEST = 160


def type_words(type_name: str) -> str:
    """A type of events for people; a type of a newer program by its name."""
    return TYPE_WORDS.get(type_name) or type_name.replace(".", " ").replace("_", " ").capitalize()


def say_event(event: Event) -> str:
    """What an event says, in one line."""
    return one_line(_say(event), _LONGEST)


def _say(event: Event) -> str:
    match event:
        case RunStarted() | RunFinished() | RunInterrupted() | ForkOrigin():
            return _say_run(event)
        case NodeOpened():
            return f"{event.kind.capitalize()}: {_text(event.title)}"
        case NodeClosed():
            return _joined(event.state.replace("_", " ").capitalize(), event.reason, ": ")
        case ModelAsked() | ModelReplied() | ModelFailed() | AnswerRejected():
            return _say_question(event)
        case CallSent() | CallReturned() | CallFailed() | CallRefused() | CallInDoubt():
            return _say_call(event)
        case UnknownEvent():
            return _pairs(event.fields)
        case _:
            return _say_decision(event)


def _say_run(event: RunStarted | RunFinished | RunInterrupted | ForkOrigin) -> str:
    match event:
        case RunStarted():
            return (
                f"{event.strategy} with {event.model_label} on {event.provider}: "
                f"{_text(event.query)}"
            )
        case RunFinished():
            return _joined(
                event.status.replace("_", " ").capitalize(),
                _text(event.reason) or _text(event.answer),
                ": ",
            )
        case RunInterrupted():
            doubtful = counted(len(event.in_doubt), "call")
            return f"The program ended; {doubtful} in doubt"
        case ForkOrigin():
            return f"From run {event.parent_run} after event {event.fork_seq}: {event.reason}"


def _say_question(event: ModelAsked | ModelReplied | ModelFailed | AnswerRejected) -> str:
    match event:
        case ModelAsked():
            again = f", repair {event.repair}" if event.repair else ""
            again += f", try {event.retry + 1}" if event.retry else ""
            return f"{_text(event.title)} to {event.model}{again}"
        case ModelReplied():
            tokens = event.input_tokens + event.output_tokens
            parts = [duration(event.elapsed_ms / 1000)]
            parts += [counted(tokens, "token")] if tokens else []
            return _joined(" · ".join(parts), _text(event.text) or _pairs(event.data), ": ")
        case ModelFailed():
            after_s = event.will_retry_after_s
            then = "" if after_s is None else f"; again in {duration(after_s)}"
            return f"{_joined(failure_words(event.error), _text(event.message), ': ')}{then}"
        case AnswerRejected():
            return f"{_joined(_text(event.where), _text(event.what), ': ')}, " + (
                counted(event.repairs_left, "repair") + " left"
            )


def _say_call(event: CallSent | CallReturned | CallFailed | CallRefused | CallInDoubt) -> str:
    match event:
        case CallSent():
            again = f", try {event.retry + 1}" if event.retry else ""
            return _joined(f"{_text(event.title)}{again}", _pairs(event.arguments), ": ")
        case CallReturned():
            status = "" if event.status is None else f"status {event.status} · "
            head = f"{status}{duration(event.elapsed_ms / 1000)}"
            return _joined(head, _text(event.body), ": ")
        case CallFailed():
            words = failure_words(event.error, event.status)
            head = f"{words.capitalize()} · {duration(event.elapsed_ms / 1000)}"
            return _joined(head, _text(event.message), ": ")
        case CallRefused():
            return f"{_text(event.title)}: {failure_words(event.error)}, {_text(event.message)}"
        case CallInDoubt():
            return _joined(_text(event.title), _text(event.message), ": ")


def _say_decision(event: Event) -> str:
    match event:
        case FallbackChosen():
            return f"{_text(event.title)}, of {counted(len(event.candidates), 'candidate')}"
        case ToolkitExhausted():
            failures = counted(len(event.failures), "failure")
            return f"{_text(event.toolkit_name)}, after {failures}"
        case ReplanDecided():
            return f"Plan {event.number} is to be made"
        case LookedUp():
            return _joined(event.what.capitalize(), _pairs(event.request), ": ")
        case ClockRead():
            return event.iso
        case Noted():
            return _text(event.text)
        case ReplayDiverged():
            return f"Other than event {event.seq}: {_text(event.what)}"
        case FaultInjected():
            return f"{event.kind} for {_text(event.title)}, by the rule {_text(event.rule)}"
        case DebugStopped():
            where = event.stop.replace("_", " ").capitalize()
            why = _text(event.breakpoint) or event.reason
            return f"{_joined(where, _text(event.title), ': ')}, by {why}"
        case DebugResumed():
            action = event.action.replace("_", " ").capitalize()
            return f"{action}, after {duration(event.held_ms / 1000)}"
        case LogpointHit():
            return _joined(_text(event.breakpoint), _text(event.message), ": ")
        case PersonDecided():
            choice = event.choice.replace("_", " ").capitalize()
            return _joined(choice, _text(event.title), ": ")
        case _:
            return _pairs(event.to_body())


def _text(value: Any) -> str:
    """A text as it is; of one that is stored beside the event, how long it is."""
    if isinstance(value, str):
        return one_line(value, _LONGEST)
    if not isinstance(value, Mapping):
        return ""
    size = value.get("size")
    return f"text of {size / 1000:.1f} kB" if isinstance(size, int) else "long text"


def _pairs(value: Any) -> str:
    """A JSON object as "name value, name value"."""
    if not isinstance(value, Mapping):
        return "" if value is None else one_line(str(value), _LONGEST)
    if any(str(key).startswith("$") for key in value):
        return _text(value)
    parts: list[str] = []
    for key, one in value.items():
        shown = "…" if isinstance(one, Mapping | list) else one_line(str(one), 60)
        parts.append(f"{key} {shown}")
    return ", ".join(parts)


def _joined(head: str, rest: str, between: str) -> str:
    return f"{head}{between}{rest}" if head and rest else head or rest
