"""Run one program in a node: each call of it is a node below, with its line, and passes the gate.

Shared by the strategies that write programs. A program may begin as an earlier one did: calls that
were made there are not made again, and its variables are as they were.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.program import HostCall, HostFailure, ProgramEnd
from toolplanner_core.prompts.probing import Protocols
from toolplanner_core.prompts.programs import MadeCall, format_stack, number_lines
from toolplanner_core.prompts.render import as_json, cut
from toolplanner_core.strategies.interface.scope import OpenNode, RunScope
from toolplanner_core.words.formatting import counted, one_line

PROGRAM_LINE = NodeKind(
    id="line",
    word="call",
    icon="arrow-right-bottom",
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("line", "Line", is_column=True),
        ShownField("around", "Program", is_code=True, is_program=True),
        ShownField("values", "Values before it", is_code=True),
        ShownField("stack", "Call stack", is_code=True),
    ),
)
_AROUND = 4
"""Lines of a program that are shown before and after a call."""
_REASON = 90
"""Characters of why a program failed: it stands beside its node and beside the next."""


class AnsweredCall(NamedTuple):
    """A call that was answered: the API with its arguments, and a value or what was raised."""

    api: ApiId
    arguments: Mapping[str, Any]
    outcome: object


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneProgram:
    """A program that has ended.

    Attributes:
        calls: that it made, in order.
        answered: those of them that an API answered or refused, in order.
        replies: values that APIs returned, by API, in order.
        error: class of the last call, if it failed.
        seq: event of the end; a cause for what follows.
    """

    end: ProgramEnd
    calls: tuple[MadeCall, ...]
    answered: tuple[AnsweredCall, ...]
    replies: Mapping[ApiId, list[Any]]
    error: ErrorClass | None
    seq: int

    @property
    def reason(self) -> str:
        """Why it failed, for its node."""
        place = f"line {self.end.line}: " if self.end.line else ""
        return one_line(f"{place}{self.end.error}: {self.end.message}", _REASON)


async def execute(
    run: RunScope,
    node: OpenNode,
    program: str,
    protocols: Protocols,
    *,
    most_calls: int,
    before: Sequence[AnsweredCall] = (),
) -> DoneProgram:
    """Run a program in an open node; it may call what the protocols name.

    Args:
        before: calls of an earlier program, in order: as long as this one makes the same, they
            are answered as they were, and nothing is sent.
    """
    made = _Calls(run, node, program, protocols, most_calls=most_calls, before=before)
    ran = await run.program(program, protocols.by_name, made.answer)
    return DoneProgram(
        end=ran.end,
        calls=tuple(made.calls),
        answered=tuple(made.answered),
        replies=made.replies,
        error=made.error,
        seq=ran.seq,
    )


class _Calls:
    """The calls of one program."""

    def __init__(
        self,
        run: RunScope,
        node: OpenNode,
        program: str,
        protocols: Protocols,
        *,
        most_calls: int,
        before: Sequence[AnsweredCall],
    ) -> None:
        self._run, self._node, self._program = run, node, program
        self._protocols, self._most_calls = protocols, most_calls
        self._before = deque(before)
        self._sent = 0
        self.calls: list[MadeCall] = []
        self.answered: list[AnsweredCall] = []
        self.replies: dict[ApiId, list[Any]] = {}
        self.error: ErrorClass | None = None

    async def answer(self, call: HostCall) -> object:
        """Do one call: a value, or what is raised in the program."""
        if len(self.calls) >= self._most_calls:
            return HostFailure(message=f"a program may make {counted(self._most_calls, 'call')}")
        if (known := self._answered_before(call)) is not None:
            return known.outcome
        api = self._protocols.by_name[call.name].api
        self._node.tell(line=call.line)
        data = {
            "api": api.id,
            "line": call.line,
            "around": _around(self._program, call.line),
            "values": "\n".join(f"{name} = {value}" for name, value in call.values.items()),
            "stack": format_stack(call.stack, self._program),
        }
        self._sent += 1
        title = f"line {call.line}: {api.title}"
        async with self._run.node(PROGRAM_LINE, self._sent, title, data=data) as node:
            return await self._do(call, node)

    def _answered_before(self, call: HostCall) -> AnsweredCall | None:
        """The next call of the earlier program, if this is the same; else none of it counts."""
        wanted = self._protocols.read(call)
        known = self._before[0] if self._before else None
        if isinstance(wanted, str) or known is None:
            return None
        if (wanted.api.id, dict(wanted.arguments)) != (known.api, dict(known.arguments)):
            self._before.clear()
            return None
        self._before.popleft()
        self.answered.append(known)
        self.calls.append(MadeCall(call.line, call.name, "answered as it was before"))
        return known

    async def _do(self, call: HostCall, node: OpenNode) -> object:
        wanted = self._protocols.read(call)
        if isinstance(wanted, str):
            self.error = ErrorClass.INVALID_PARAMETER
            self.calls.append(MadeCall(call.line, call.name, wanted))
            node.end(NodeState.FAILED, wanted, error=self.error)
            return HostFailure(message=wanted, error="TypeError")
        seen = await self._run.call(wanted.api, wanted.arguments)
        self.error = seen.error
        if seen.error is None:
            told = as_json(seen.value)
            self.answered.append(AnsweredCall(wanted.api.id, wanted.arguments, seen.value))
            self.calls.append(MadeCall(call.line, call.name, f"returned {told}"))
            self.replies.setdefault((seen.api or wanted.api).id, []).append(seen.value)
            node.end(NodeState.OK, one_line(told))
            return seen.value
        words = seen.error.value.replace("_", " ")
        self.calls.append(MadeCall(call.line, call.name, f"{words}: {seen.message}"))
        node.end(NodeState.FAILED, words, error=seen.error)
        failure = HostFailure(message=f"{call.name} failed ({words}): {cut(seen.message, 300)}")
        self.answered.append(AnsweredCall(wanted.api.id, wanted.arguments, failure))
        return failure


def _around(program: str, line: int) -> str:
    lines = number_lines(program, line).split("\n")
    return "\n".join(lines[max(0, line - 1 - _AROUND) : line + _AROUND])
