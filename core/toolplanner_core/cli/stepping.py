"""Step through a run in the terminal: where it stands and why, and what to do next.

Commands are read line by line from stdin, so a pipe works as well as a person. When stdin ends, the
run goes on without further stops.
"""

import json
import queue
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolplanner_core.cli.terminal import say
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    BEFORE_CALL,
    BEFORE_QUESTION,
    Choice,
)
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.debugging.debugger import Action, Debugger, Held
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine import EngineThread, RunHandle
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.workspace import Workspace

_HELP = """\
  c                 continue
  s, o, u           step into, step over, step out
  r PATH            run to a node, such as r plan.1/step.2
  e NAME=VALUE ...  change arguments, such as e city=New York days=3; e days= takes one away
  a ID              another API, or another one of what can be chosen
  m NUMBER TEXT     another text for a message of the question
  v JSON            answer in its place
  f CLASS           let it fail, such as f timeout
  k, g              skip it, give up
  q                 stop the run
  h                 this list"""
_STEPS = {
    "c": Action.CONTINUE,
    "s": Action.STEP_INTO,
    "o": Action.STEP_OVER,
    "u": Action.STEP_OUT,
    "r": Action.RUN_TO,
}
_SHOWN = 300
_NAME = re.compile(r"\s*([^\s=]+)=")
_NEXT = re.compile(r"\s+[^\s=]+=")


def run_stepping(
    workspace: Workspace, spec: RunSpec, breakpoints: Sequence[Breakpoint], *, step: bool
) -> RunSummary:
    """Run `spec` under the debugger, with commands from stdin.

    Raises:
        UserError: as `engine.run`.
    """
    changes: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wake() -> None:
        changes.put(None)

    debugger = Debugger(breakpoints, step=step, on_change=wake)
    with EngineThread(workspace) as engine:
        handle = engine.start(spec, debugger=debugger)
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
    for line in _describe(held):
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
        elif command in _DECISIONS:
            debugger.resume(Action.STEP_INTO, decision=_DECISIONS[command](held, rest))
        elif command in ("h", "help", "?"):
            say(_HELP)
        elif command:
            say(f"There is no command {command!r}; h lists them")
    except UserError as error:
        say(error.sentence)


def _describe(held: Held) -> list[str]:
    stop = held.stop
    why = f"{held.reason} {held.breakpoint}".strip()
    lines = [
        "",
        f"{stop.point.id.replace('_', ' ')}: {stop.title}   [{stop.path or 'run'}] ({why})",
    ]
    if stop.toolkit:
        lines.append(f"  toolkit: {stop.toolkit}")
    if stop.point in (BEFORE_CALL, AFTER_CALL):
        lines.append(f"  arguments: {_short(stop.arguments)}")
    if stop.error is not None:
        lines.append(f"  failed: {stop.error}: {stop.message}")
    elif stop.point is AFTER_CALL:
        lines.append(f"  result: {_short(stop.value)}")
    elif stop.point is AFTER_QUESTION:
        lines.append(f"  answer: {_short(stop.data)}")
    if stop.point is BEFORE_QUESTION and stop.is_dialogue:
        lines.extend(
            f"  {number}. {message['role']}: {_short(message['content'])}"
            for number, message in enumerate(stop.messages, start=1)
        )
    for each in stop.alternatives[:9]:
        score = "" if each.score is None else f"  {each.score:.3f}"
        lines.append(f"  {each.id}  {each.title}{score}")
    return lines


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _edit(held: Held, rest: str) -> StopDecision:
    changed = typed_arguments(rest)
    if not changed:
        raise BadInput("No argument was named", todo="Write it as e NAME=VALUE")
    arguments: Mapping[str, Any] = {**held.stop.arguments, **changed}
    kept = {name: value for name, value in arguments.items() if value is not None}
    return StopDecision(choice=Choice.EDIT, arguments=kept)


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


def _other_api(held: Held, rest: str) -> StopDecision:
    if held.stop.point is BEFORE_CALL:
        return StopDecision(choice=Choice.EDIT, api=ApiId(rest))
    return StopDecision(choice=Choice.TAKE, taken=rest)


def _message(held: Held, rest: str) -> StopDecision:
    number, _, text = rest.partition(" ")
    messages = [dict(message) for message in held.stop.messages]
    if not number.isdigit() or not 1 <= int(number) <= len(messages):
        raise BadInput(
            f"There is no message {number!r}",
            todo=f"Write it as m NUMBER TEXT, 1 to {len(messages)}",
        )
    messages[int(number) - 1]["content"] = text
    return StopDecision(choice=Choice.EDIT, messages=messages)


def _answer(held: Held, rest: str) -> StopDecision:
    del held
    try:
        return StopDecision(choice=Choice.ANSWER, value=json.loads(rest))
    except ValueError as error:
        raise BadInput(f"The answer is not JSON: {error}") from None


def _fail(held: Held, rest: str) -> StopDecision:
    del held
    try:
        return StopDecision(choice=Choice.FAIL, error=ErrorClass(rest or "server_error"))
    except ValueError:
        raise BadInput(
            f"There is no error class {rest!r}", todo=f"Classes are: {', '.join(ErrorClass)}"
        ) from None


_DECISIONS: dict[str, Callable[[Held, str], StopDecision]] = {
    "e": _edit,
    "a": _other_api,
    "m": _message,
    "v": _answer,
    "f": _fail,
    "k": lambda held, rest: StopDecision(choice=Choice.SKIP),  # noqa: ARG005 - like the others
    "g": lambda held, rest: StopDecision(choice=Choice.GIVE_UP),  # noqa: ARG005 - like the others
}
