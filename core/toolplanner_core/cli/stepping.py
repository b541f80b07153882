"""Step through a run in the terminal: where it stands and why, and what to do next.

Commands are read line by line from stdin, so a pipe works as well as a person. When stdin ends, the
run goes on without further stops.
"""

import json
import queue
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from toolplanner_core.cli.step_commands import DECISIONS, HELP
from toolplanner_core.cli.terminal import say
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    APPROVAL,
    BEFORE_CALL,
    BEFORE_LINE,
    BEFORE_QUESTION,
)
from toolplanner_core.errors import UserError
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.engine import EngineThread, RunHandle
from toolplanner_core.runs.log import RecordListener
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.workspace import Workspace

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
    command, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if command == "q":
        handle.cancel()
        debugger.detach()
        return
    try:
        if command in _STEPS:
            debugger.resume(_STEPS[command], to=NodePath(rest) if rest else None)
        elif command in DECISIONS:
            debugger.resume(StepCommand.STEP_INTO, decision=DECISIONS[command](held.stop, rest))
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
        lines += _said(stop)
    for each in stop.alternatives[:9]:
        score = "" if each.score is None else f"  {each.score:.3f}"
        lines.append(f"  {each.id}  {each.title}{score}")
    return lines


def _said(stop: Stop) -> Iterator[str]:
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
