"""Step through a run in the terminal: where it stands and why, and what to do next.

Commands are read line by line from stdin, so a pipe works as well as a person. When stdin ends, the
run goes on without further stops.

What a person types at a stop, as the decision that it means: `toolplanner run --step`.
"""

import json
import queue
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from toolplanner_core.cli.terminal import say
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    APPROVAL,
    BEFORE_CALL,
    BEFORE_LINE,
    BEFORE_QUESTION,
    Choice,
)
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.engine.runner import EngineThread, RunHandle
from toolplanner_core.runs.log.run_log import RecordListener
from toolplanner_core.workspace import Workspace

HELP = """\
  c                 continue
  s, o, u           step into, step over, step out
  r PATH            run to a node, such as r plan.1/step.2
  e NAME=VALUE ...  change arguments, such as e city=New York days=3; e days= takes one away
  a ID              another API, or another one of what can be chosen
  m NUMBER TEXT     another text for a message of the question
  t TEXT            another text for what the model said; its calls stay
  e NUMBER NAME=VALUE ..., a NUMBER NAME
                    other arguments, or another function, for a call that the model wants
  v JSON            answer in its place, in a dialogue {"text": ..., "calls": [...]}
  f CLASS           let it fail, such as f timeout
  a SCOPE           where leave is asked for: allow it, such as a once
  k, g              skip or refuse it, give up
  q                 stop the run
  h                 this list"""
_NAME = re.compile(r"\s*([^\s=]+)=")
_NEXT = re.compile(r"\s+[^\s=]+=")
_NUMBERED = re.compile(r"(?:(\d+)(?:\s+|$))?(.*)", re.DOTALL)


def _edit(stop: Stop, rest: str) -> StopDecision:
    if stop.point is AFTER_QUESTION:
        return _other_call(stop, rest, lambda call, text: {"arguments": _changed(call, text)})
    return StopDecision(choice=Choice.EDIT, arguments=_changed({"arguments": stop.arguments}, rest))


def _other_api(stop: Stop, rest: str) -> StopDecision:
    if stop.point is AFTER_QUESTION:
        return _other_call(stop, rest, lambda call, text: {"name": text})  # noqa: ARG005 - the same shape
    if stop.point is BEFORE_CALL:
        return StopDecision(choice=Choice.EDIT, api=ApiId(rest))
    return StopDecision(choice=Choice.TAKE, taken=rest)


def _other_call(
    stop: Stop, rest: str, change: Callable[[Mapping[str, Any], str], Mapping[str, Any]]
) -> StopDecision:
    """The turn of the model with one of its calls changed; without a number the first."""
    turn = _turn(stop)
    found = _NUMBERED.fullmatch(rest)
    assert found is not None
    number, calls = int(found[1] or 1), list(turn["calls"])
    if not 1 <= number <= len(calls):
        raise BadInput(f"The model wants no call {number}", todo=f"It wants {len(calls)}")
    calls[number - 1] = {**calls[number - 1], **change(calls[number - 1], found[2])}
    return StopDecision(choice=Choice.ANSWER, value={**turn, "calls": calls})


def _turn(stop: Stop) -> Mapping[str, Any]:
    """What the model said, or nothing yet."""
    if not stop.is_dialogue:
        raise BadInput("This is no dialogue", todo="Answer with v JSON")
    return stop.data if stop.point is AFTER_QUESTION else {"text": "", "calls": []}


def _text(stop: Stop, rest: str) -> StopDecision:
    return StopDecision(choice=Choice.ANSWER, value={**_turn(stop), "text": rest})


def _changed(call: Mapping[str, Any], rest: str) -> dict[str, Any]:
    changed = typed_arguments(rest)
    if not changed:
        raise BadInput("No argument was named", todo="Write it as e NAME=VALUE")
    before = call["arguments"] if isinstance(call["arguments"], Mapping) else {}
    arguments: dict[str, Any] = {**before, **changed}
    return {name: value for name, value in arguments.items() if value is not None}


def typed_arguments(text: str) -> dict[str, Any]:
    """NAME=VALUE as people type it: JSON, or a text up to the next name, spaces included."""
    found: dict[str, Any] = {}
    place = 0
    while place < len(text):
        name = _NAME.match(text, place)
        if name is None:
            raise BadInput(f"{text[place:]!r} is not an argument", todo="Write it as NAME=VALUE")
        try:
            value, end = json.JSONDecoder().raw_decode(text, name.end())
        except ValueError:
            value, end = None, name.end()
        if end == name.end() or text[end : end + 1].strip():
            following = _NEXT.search(text, name.end())
            end = len(text) if following is None else following.start()
            value = text[name.end() : end].strip() or None
        found[name[1]] = value
        place = end
    return found


def _message(stop: Stop, rest: str) -> StopDecision:
    number, _, text = rest.partition(" ")
    messages = [dict(message) for message in stop.messages]
    if not number.isdigit() or not 1 <= int(number) <= len(messages):
        raise BadInput(
            f"There is no message {number!r}",
            todo=f"Write it as m NUMBER TEXT, 1 to {len(messages)}",
        )
    messages[int(number) - 1]["content"] = text
    return StopDecision(choice=Choice.EDIT, messages=messages)


def _answer(stop: Stop, rest: str) -> StopDecision:
    del stop
    try:
        return StopDecision(choice=Choice.ANSWER, value=json.loads(rest))
    except ValueError as error:
        raise BadInput(f"The answer is not JSON: {error}") from None


def _fail(stop: Stop, rest: str) -> StopDecision:
    del stop
    try:
        return StopDecision(choice=Choice.FAIL, error=ErrorClass(rest or "server_error"))
    except ValueError:
        raise BadInput(
            f"There is no error class {rest!r}", todo=f"Classes are: {', '.join(ErrorClass)}"
        ) from None


DECISIONS: dict[str, Callable[[Stop, str], StopDecision]] = {
    "e": _edit,
    "a": _other_api,
    "m": _message,
    "t": _text,
    "v": _answer,
    "f": _fail,
    "k": lambda stop, rest: StopDecision(choice=Choice.SKIP),  # noqa: ARG005 - like the others
    "g": lambda stop, rest: StopDecision(choice=Choice.GIVE_UP),  # noqa: ARG005 - like the others
}
"""By the letter that is typed."""


_STEPS = {
    "c": StepCommand.CONTINUE,
    "s": StepCommand.STEP_INTO,
    "o": StepCommand.STEP_OVER,
    "u": StepCommand.STEP_OUT,
    "r": StepCommand.RUN_TO,
}
_SHOWN = 300


def run_stepping(
    workspace: Workspace,
    spec: RunSpec,
    breakpoints: Sequence[Breakpoint],
    *,
    step: bool,
    listener: RecordListener | None = None,
) -> RunSummary:
    """Run `spec` under the debugger, with commands from stdin.

    Args:
        listener: as of `engine.run`.

    Raises:
        UserError: as `engine.run`.
    """
    changes: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wake() -> None:
        changes.put(None)

    debugger = Debugger(breakpoints, step=step, on_change=wake)
    with EngineThread(workspace) as engine:
        handle = engine.start(spec, listener, debugger=debugger)
        handle.done.add_done_callback(lambda _: wake())
        shown: Held | None = None
        try:
            while not handle.done.done():
                changes.get()
                while (held := debugger.held) and not handle.done.done():
                    if held[0] is not shown:
                        _show(held[0], is_first=shown is None)
                        shown = held[0]
                    _prompt(debugger, handle)
        except KeyboardInterrupt:
            say("")
            handle.cancel()
            debugger.detach()
        return handle.result()


def _show(held: Held, *, is_first: bool) -> None:
    for line in describe(held):
        say(line)
    if is_first:
        say("  h lists the commands")


def _prompt(debugger: Debugger, handle: RunHandle) -> None:
    """Read one command, do it."""
    held = debugger.held[0]
    sys.stderr.write("(step) ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        debugger.detach()
        return
    if line.strip() == "q":
        handle.cancel()
        debugger.detach()
        return
    do_command(line, debugger, held)


def do_command(line: str, debugger: Debugger, held: Held) -> None:
    """Do what a person types at a stop; what cannot be done is said."""
    command, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    try:
        if command in _STEPS:
            debugger.resume(_STEPS[command], to=NodePath(rest) if rest else None, at=held)
        elif command in DECISIONS:
            decision = DECISIONS[command](held.stop, rest)
            debugger.resume(StepCommand.STEP_INTO, decision=decision, at=held)
        elif command in ("h", "help", "?"):
            say(HELP)
        elif command:
            say(f"There is no command {command!r}; h lists them")
    except UserError as error:
        say(error.sentence)


def describe(held: Held) -> list[str]:
    """Where a run is held, why, and what is known there, in lines."""
    stop = held.stop
    why = f"{held.reason} {held.breakpoint}".strip()
    lines = [
        "",
        f"{stop.point.id.replace('_', ' ')}: {stop.title}   [{stop.path or 'run'}] ({why})",
    ]
    if stop.toolkit:
        lines.append(f"  toolkit: {stop.toolkit}")
    if stop.point is APPROVAL:
        lines += [f"  {stop.warning}"] * bool(stop.warning)
        lines.append(f"  would send: {stop.message}")
    if stop.point in (BEFORE_CALL, APPROVAL, AFTER_CALL):
        lines.append(f"  arguments: {_short(stop.arguments)}")
    if stop.point is BEFORE_LINE:
        lines += [f"  {name} = {value}" for name, value in stop.data.items()]
        lines += [f"  at {each}" for each in stop.stack.split("\n") if each]
    if stop.error is not None:
        lines.append(f"  failed: {stop.error}: {stop.message}")
    elif stop.point is AFTER_CALL:
        lines.append(f"  result: {_short(stop.value)}")
    elif stop.point is AFTER_QUESTION and not stop.is_dialogue:
        lines.append(f"  answer: {_short(stop.data)}")
    if stop.is_dialogue:
        lines += _message_lines(stop)
    for each in stop.alternatives[:9]:
        score = "" if each.score is None else f"  {each.score:.3f}"
        lines.append(f"  {each.id}  {each.title}{score}")
    return lines


def _message_lines(stop: Stop) -> Iterator[str]:
    """The messages of a turn before it is asked for, or the turn when it has come."""
    if stop.point is BEFORE_QUESTION:
        for number, data in enumerate(stop.messages, start=1):
            message = Message.from_json(data)
            calls = "".join(f" → {call.name} {call.arguments}" for call in message.calls)
            yield f"  {number}. {message.role}: {_short(message.content)}{calls}"
        return
    yield f"  text: {_short(stop.data['text'])}"
    for number, call in enumerate(stop.data["calls"], start=1):
        yield f"  call {number}: {call['name']} {_short(call['arguments'])}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
