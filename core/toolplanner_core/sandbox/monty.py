"""The one sandbox: pydantic-monty, an interpreter for Python in Rust, in a process of its own.

Each program gets a fresh worker process that is killed afterwards. Nothing of the machine is in
it: files, environment, network, processes and imports beyond its own are refused; its clock stands
still at the run's time, its randomness is seeded. The only way out are the host functions it is
given. Limits: time, memory and output of design/security.md.

What a program in the sandbox hands over, as JSON holds it: arguments of calls, its result.
"""

import asyncio
import importlib.util
import math
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toolplanner_core.domain.program import (
    HostCall,
    HostFailure,
    HostFunction,
    ProgramEnd,
    StackFrame,
)
from toolplanner_core.errors import SandboxMissing
from toolplanner_core.sandbox.instrumentation import (
    LAMBDA,
    MARK,
    OWN_NAMES,
    VALUE_LIMIT,
    MarkedProgram,
    add_marks,
    program_too_long,
    stack_before,
    stack_of,
)

if TYPE_CHECKING:
    from pydantic_monty import (
        AsyncFunctionSnapshot,
        AsyncMontySession,
        AsyncNameLookupSnapshot,
        AsyncSnapshot,
        CollectString,
        MontyError,
    )


def as_json_value(value: Any) -> Any:
    """A value of the sandbox as JSON holds it; tuples and sets become lists.

    Raises:
        TypeError: JSON has no such value.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple() | set() | frozenset():
            return [as_json_value(each) for each in cast("list[Any]", value)]
        case dict():
            known = cast("dict[Any, Any]", value)
            return {str(key): as_json_value(each) for key, each in known.items()}
        case _:
            raise TypeError(f"{str(value)[:60]} is no JSON value")


TOTAL_S = 5.0
"""A program's own time; waiting for host functions does not count."""
TURN_S = 1.2
"""Its own time between two host calls: what loops for ever ends sooner."""
GRACE_S = 0.3
"""After a limit the worker is killed, should it not have stopped by itself."""
MEMORY_BYTES = 64 * 1024 * 1024
OUTPUT_BYTES = 64 * 1024
MOST_SUSPENSIONS = 50_000
DEEPEST = 200
"""Calls within calls."""
_LIMITS = ("TimeoutError", "MemoryError")
_MOST_VALUES = 40
_MOST_FRAMES = 12

OnLine = Callable[[int, Mapping[str, str], tuple[StackFrame, ...]], Awaitable[None]]
"""Called before a statement with its line, the variables in sight and the functions that it is in;
the program waits."""


def refuse_without_sandbox() -> None:
    """Check that programs can run here.

    Raises:
        SandboxMissing: they cannot.
    """
    if importlib.util.find_spec("pydantic_monty") is None:
        why = "The package pydantic-monty is not installed, or has no build for this system"
        raise SandboxMissing("Programs written by a model cannot run here", why=why)
    try:
        _binary()
    except FileNotFoundError as error:
        raise SandboxMissing(
            "Programs written by a model cannot run here", why="The program monty is not there"
        ) from error


def _binary() -> str:
    """The program that interprets; a frozen program carries it beside its modules."""
    from pydantic_monty._binary import find_monty_binary

    folder = getattr(sys, "_MEIPASS", None)
    name = "monty.exe" if sys.platform == "win32" else "monty"
    carried = Path(folder, name) if folder else None
    return find_monty_binary(carried if carried is not None and carried.is_file() else None)


@dataclass(slots=True, kw_only=True)
class _Place:
    """Where a program is."""

    line: int = 0
    values: Mapping[str, str]
    stack: tuple[StackFrame, ...] = ()


async def run_program(
    text: str,
    *,
    functions: Collection[str],
    answer: HostFunction,
    now: datetime,
    seed: str,
    on_line: OnLine | None = None,
) -> ProgramEnd:
    """Run a program to its end. Exceptions of `answer` and `on_line` end it and come out.

    Args:
        functions: names that the program may call; `answer` does them.
        now: what its clock shows, always.
        seed: of its randomness.

    Raises:
        SandboxMissing: there is no sandbox on this machine.
    """
    refuse_without_sandbox()
    if why := program_too_long(text):
        return ProgramEnd(how="refused", error="TooLong", message=why)
    from pydantic_monty import AsyncMonty, CollectString, MontyError

    marked = await asyncio.to_thread(add_marks, text, functions)
    printed = CollectString(max_bytes=OUTPUT_BYTES)
    try:
        async with (
            AsyncMonty(
                binary_path=_binary(),
                min_processes=1,
                max_processes=1,
                max_checkouts_per_worker=1,
                feed_duration_limit_grace=GRACE_S,
                turn_duration_limit_grace=GRACE_S,
            ) as pool,
            pool.checkout(
                limits={
                    "max_feed_duration_secs": TOTAL_S,
                    "max_turn_duration_secs": TURN_S,
                    "max_memory": MEMORY_BYTES,
                    "max_recursion_depth": DEEPEST,
                    "max_suspensions": MOST_SUSPENSIONS,
                },
                os_policy={
                    "datetime": now,
                    "sleep": "zero",
                    "process_time": "zero",
                    "random_start": {"seed": seed},
                },
                print_flush_interval=0,
            ) as session,
        ):
            program = _Program(marked, frozenset(functions), answer, on_line)
            await program.run(session, printed)
    except MontyError as error:
        return _failed(error, marked, printed.output)
    return ProgramEnd(how="finished", printed=printed.output)


class _Program:
    """A program while it runs."""

    def __init__(
        self,
        marked: MarkedProgram,
        functions: frozenset[str],
        answer: HostFunction,
        on_line: OnLine | None,
    ) -> None:
        self._marked, self._functions = marked, functions
        self._answer, self._on_line = answer, on_line
        self._place = _Place(values={})
        self._places: dict[int, _Place] = {}
        """The last one of each depth of the stack."""

    async def run(self, session: "AsyncMontySession", printed: "CollectString") -> None:
        from pydantic_monty import AsyncFunctionSnapshot, AsyncNameLookupSnapshot, MontyComplete

        at: AsyncSnapshot = await session.feed_start(self._marked.text, print_callback=printed)
        while not isinstance(at, MontyComplete):
            if isinstance(at, AsyncFunctionSnapshot):
                at = await self._called(at)
            elif isinstance(at, AsyncNameLookupSnapshot):
                at = await self._looked_up(at)
            else:  # nothing here gives out futures
                at = await at.resume({each: _raised(_NO_FUTURES) for each in at.pending_call_ids})

    async def _looked_up(self, at: "AsyncNameLookupSnapshot") -> "AsyncSnapshot":
        if at.object_id is None and at.variable_name in self._functions:
            return await at.resume(value=_stand_in(at.variable_name))
        return await at.resume()

    async def _called(self, at: "AsyncFunctionSnapshot") -> "AsyncSnapshot":
        if at.is_os_function:
            return await at.resume_not_handled()
        name = str(at.function_name)
        if name == MARK and at.object_id is None:
            await self._marked_line(at.args)
            return await at.resume({"return_value": None})
        if name not in self._functions or at.object_id is not None:
            unknown = HostFailure(error="NameError", message=f"name '{name}' is not defined")
            return await at.resume(_raised(unknown))
        told = stack_before(at.args)
        try:
            positional = tuple(as_json_value(each) for each in at.args[len(told) :])
            named = {key: as_json_value(value) for key, value in at.kwargs.items()}
        except TypeError as error:
            return await at.resume(
                _raised(HostFailure(error="TypeError", message=f"{name}: {error}"))
            )
        place = self._place
        line = self._marked.line_at(at.position.start) or place.line
        stack = stack_of(told[0], line) if told else place.stack
        if stack and stack[-1].name != LAMBDA:  # it has no statements, so no place of its own
            place = self._places.get(len(stack), place)
        call = HostCall(
            name=name,
            positional=positional,
            arguments=named,
            line=line,
            values=place.values,
            stack=stack,
        )
        answered = await self._answer(call)
        if isinstance(answered, HostFailure):
            return await at.resume(_raised(answered))
        return await at.resume({"return_value": answered})

    async def _marked_line(self, said: tuple[Any, ...]) -> None:
        match said:
            case (int() as line, dict() as values, stack):
                known = cast("Mapping[Any, Any]", values).items()
                self._place = _Place(
                    line=line,
                    values={
                        str(name): str(value)[:VALUE_LIMIT]
                        for name, value in [*known][:_MOST_VALUES]
                        if name not in OWN_NAMES and not str(value).startswith("<function")
                    },
                    stack=stack_of(stack, line),
                )
                self._places[len(self._place.stack)] = self._place
            case _:
                return  # the program itself called it
        if self._on_line is not None:
            await self._on_line(self._place.line, self._place.values, self._place.stack)


_NO_FUTURES = HostFailure(message="only plain calls are answered")


def _raised(failure: HostFailure) -> Any:
    return {"exc_type": failure.error, "message": failure.message}


def _stand_in(name: str) -> Callable[..., None]:
    """A function by which the sandbox knows a host function; it is never called here."""

    def stand_in() -> None:
        raise AssertionError("host functions are called by snapshots")

    stand_in.__name__ = stand_in.__qualname__ = name
    return stand_in


def _failed(error: "MontyError", marked: MarkedProgram, printed: str) -> ProgramEnd:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    if isinstance(error, MontyCrashedError):
        name = "TimeoutError" if error.timed_out else "SandboxCrashed"
        message = f"more than {TURN_S:g} s" if error.timed_out else "the interpreter ended"
        return ProgramEnd(how="stopped", printed=printed, error=name, message=message)
    inner = error.exception()
    name, message = type(inner).__name__, str(inner)
    if not isinstance(error, MontyRuntimeError | MontySyntaxError):
        return ProgramEnd(how="raised", printed=printed, error=name, message=message)
    lines = [
        line
        for frame in error.traceback()
        if not frame.filename.startswith("<string") and (line := marked.line_of(frame.line))
    ]
    source = marked.source.split("\n")
    told = [f"line {line}: {source[line - 1].strip()}" for line in lines[-_MOST_FRAMES:]]
    is_limit = name in _LIMITS and "limit" in message
    how = "refused" if isinstance(error, MontySyntaxError) else "stopped" if is_limit else "raised"
    return ProgramEnd(
        how=how,
        printed=printed,
        error=name,
        message=message,
        line=lines[-1] if lines else None,
        trace="\n".join([*told, f"{name}: {message}"]),
    )
