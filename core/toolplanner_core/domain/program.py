"""Programs that a model writes: what they ask of the world while they run, and how they end."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ProgramOutcome = Literal["finished", "raised", "stopped", "refused"]
"""`raised`: an exception that the program did not catch; `stopped`: by a limit on time, memory or
output; `refused`: it could not even begin (syntax, length)."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A function that a program is in.

    Attributes:
        name: "" of the program itself.
        line: where it is, from 1 on: in all but the last one, the call that leads to the next.
    """

    name: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCall:
    """A function outside the sandbox that a program calls; the program waits.

    Attributes:
        positional: arguments without a name, in order; JSON values like the named ones.
        line: of the program, from 1 on.
        values: the variables in sight before that statement, each as text and cut.
        stack: the functions that the program is in, outermost first; () if that is not known.
    """

    name: str
    positional: tuple[Any, ...]
    arguments: Mapping[str, Any]
    line: int
    values: Mapping[str, str]
    stack: tuple[StackFrame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFailure:
    """What a function outside raises inside the program, which may catch it.

    Attributes:
        error: name of a built-in exception.
    """

    message: str
    error: str = "RuntimeError"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """How a program ended.

    Attributes:
        printed: what it printed until then.
        error: name of the exception or limit, "" when it finished.
        line: where, from 1 on; None when that is not known.
        trace: the lines that led there, outermost first, and the exception.
    """

    how: ProgramOutcome
    printed: str = ""
    error: str = ""
    message: str = ""
    line: int | None = None
    trace: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ran to its end."""
        return self.how == "finished"


HostFunction = Callable[[HostCall], Awaitable[Any]]
"""Answers a call with a JSON value, or with a `HostFailure`."""
