"""A program over a chain of tools: write it, find the call that broke it, revise it.

The calls of the line itself come first, then those whose results flow into it, nearest first. It
follows assignments, loops, and parameters of the program's own functions; not what is changed in
place.

Source: Shi et al., Chain of Tools, arXiv 2405.16533, sections 3.2 and 3.3: a program from the task
and all protocols; after an error the name of the tool that caused it; then a program from all
earlier ones with their results, all protocols, and the documentation of that tool. Temperature 0.
"""

import ast
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.program import ProgramEnd, StackFrame
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.offered import in_program
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat, cut, one_line
from toolplanner_core.prompts.texts import prompt
from toolplanner_core.words.formatting import counted


def calls_behind(program: str, line: int, functions: Collection[str]) -> tuple[str, ...]:
    """Names of host functions that a line depends on, the most likely to blame first."""
    try:
        statements = [s for s in ast.walk(ast.parse(program)) if isinstance(s, ast.stmt)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    around = [s for s in statements if s.lineno <= line <= (s.end_lineno or s.lineno)]
    if not around:
        return ()
    flow = _Flow(statements, frozenset(functions))
    return flow.behind(max(around, key=lambda s: s.lineno))


class _Flow:
    """Who gives a value to which name."""

    def __init__(self, statements: list[ast.stmt], functions: frozenset[str]) -> None:
        self._functions = functions
        self._givers = defaultdict[str, list[ast.stmt]](list)
        self._returns: dict[str, list[ast.stmt]] = {}
        readers = defaultdict[str, list[ast.stmt]](list)
        arguments = dict[tuple[str, str], None]()
        for statement in statements:
            for name in _bound(statement):
                self._givers[name].append(statement)
            for name in dict.fromkeys(_read(statement)):
                readers[name].append(statement)
            if isinstance(statement, ast.FunctionDef):
                inner = [s for s in ast.walk(statement) if isinstance(s, ast.Return)]
                self._returns[statement.name] = [*inner]
                arguments |= {(statement.name, each.arg): None for each in statement.args.args}
        for function, argument in arguments:
            self._givers[argument] += readers[function]
        for givers in self._givers.values():
            givers.sort(key=_line)

    def behind(self, start: ast.stmt) -> tuple[str, ...]:
        found: dict[str, None] = {}
        waiting, seen, spent = deque([start]), {id(start)}, set[str]()
        while waiting:
            statement = waiting.popleft()
            names = [*_read(statement)]
            found |= {name: None for name in names if name in self._functions}
            for name in names:
                givers = self._above(name, statement)
                if not givers and name not in spent:
                    givers = self._givers.get(name, [])
                    spent.add(name)
                for giver in [*givers, *self._returns.get(name, ())]:
                    if id(giver) not in seen:
                        seen.add(id(giver))
                        waiting.append(giver)
        return tuple(found)

    def _above(self, name: str, reader: ast.stmt) -> list[ast.stmt]:
        """What stands nearest above a statement of all that gives a name its value."""
        givers = self._givers.get(name, [])
        above = bisect_left(givers, reader.lineno, key=_line)
        return givers[max(0, above - 1) : above]


def _line(statement: ast.stmt) -> int:
    return statement.lineno


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """What belongs to a statement itself, without the blocks below it, in the order of the text."""
    waiting = deque[ast.AST]([statement])
    while waiting:
        node = waiting.popleft()
        yield node
        inner = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]
        waiting.extendleft(reversed(inner))


def _read(statement: ast.stmt) -> Iterator[str]:
    names = (n for n in _own(statement) if isinstance(n, ast.Name))
    return (name.id for name in names if isinstance(name.ctx, ast.Load))


def _bound(statement: ast.stmt) -> Iterator[str]:
    names = (n for n in _own(statement) if isinstance(n, ast.Name))
    return (name.id for name in names if isinstance(name.ctx, ast.Store))


_PRINTED_LIMIT = 2_000
_MOST_FRAMES = 12
"""Lines of a stack: the first, and the last ones."""
NO_TOOL = "none"


class TriedProgram(NamedTuple):
    """A program and how it ended."""

    program: str
    end: ProgramEnd


class MadeCall(NamedTuple):
    """A call that a program made, and what became of it in words."""

    line: int
    name: str
    outcome: str


def end_text(end: ProgramEnd, *, printed: str | None = None) -> str:
    """How a program ended, for a model.

    Args:
        printed: what is told of its output, None = all of it.
    """
    said = end.printed if printed is None else printed
    lines = [f"printed: {cut(said, _PRINTED_LIMIT)}" if said else "printed nothing"]
    if not end.ok:
        lines.append(cut(end.trace or f"{end.error}: {end.message}", _PRINTED_LIMIT))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteProgram(Question[str]):
    """The first program; `protocols` are stubs of the functions."""

    id: ClassVar[str] = "write_program"
    title: ClassVar[str] = "Write a program"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    query: str
    protocols: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(prompt("write_program"), block("query", self.query), _functions(self.protocols))

    def schema(self) -> JsonSchema:
        return _PROGRAM

    def parse(self, data: Any) -> str:
        return _program(data)

    def not_offered(self, data: Any) -> Iterable[str]:
        return program_names(data, self.protocols)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseProgram(Question[str]):
    """Another program after those that were tried.

    Attributes:
        documentation: of the tool that is to blame, "" if none is.
    """

    id: ClassVar[str] = "revise_program"
    title: ClassVar[str] = "Revise the program"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    query: str
    protocols: tuple[str, ...]
    tried: tuple[TriedProgram, ...]
    documentation: str = ""

    def messages(self) -> list[Message]:
        tried = (
            block(f"program_{number}", each.program) + "\n" + block("result", end_text(each.end))
            for number, each in enumerate(self.tried, start=1)
        )
        return chat(
            prompt("revise_program"),
            block("query", self.query),
            _functions(self.protocols),
            "\n".join(tried),
            block("to_blame", self.documentation) if self.documentation else "",
        )

    def schema(self) -> JsonSchema:
        return _PROGRAM

    def parse(self, data: Any) -> str:
        return _program(data)

    def not_offered(self, data: Any) -> Iterable[str]:
        return program_names(data, self.protocols)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameTool(Question[str]):
    """The name of the function that caused an error, "" if none did.

    Attributes:
        calls: that were made until then.
        behind: functions that the failing line depends on, nearest first.
    """

    id: ClassVar[str] = "blame_tool"
    title: ClassVar[str] = "Which tool caused it?"
    offers: ClassVar[frozenset[str]] = frozenset({"tool"})
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    query: str
    names: tuple[str, ...]
    tried: TriedProgram
    calls: tuple[MadeCall, ...]
    behind: tuple[str, ...] = ()

    def messages(self) -> list[Message]:
        made = (f"line {c.line}: {c.name}: {one_line(c.outcome)}" for c in self.calls)
        return chat(
            prompt("blame_tool"),
            block("query", self.query),
            block("functions", "\n".join(self.names)),
            block("program", number_lines(self.tried.program)),
            block("calls", "\n".join(made)),
            block("error", end_text(self.tried.end)),
            block("the_line_depends_on", "\n".join(self.behind)) if self.behind else "",
        )

    def schema(self) -> JsonSchema:
        tool = {"type": "string", "enum": [*self.names, NO_TOOL]}
        return object_schema(tool=tool, reason={"type": "string"})

    def parse(self, data: Any) -> str:
        tool = text_member(as_object(data), "tool")
        if tool == NO_TOOL:
            return ""
        if tool not in self.names:
            raise AnswerInvalid(f'there is no function {tool!r}; or "{NO_TOOL}"', where="$.tool")
        return tool


def number_lines(program: str, mark: int | None = None) -> str:
    """A program with the numbers of its lines; one may be marked."""
    return "\n".join(
        f"{'▶' if number == mark else ' '} {number:3}  {line}".rstrip()
        for number, line in enumerate(program.split("\n"), start=1)
    )


def format_stack(stack: Sequence[StackFrame], program: str) -> str:
    """The functions that a program is in, a line each, outermost first."""
    lines = program.split("\n")
    told = [
        f"line {frame.line}{f' in {frame.name}' if frame.name else ''}: "
        f"{lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ''}".rstrip(" :")
        for frame in stack
    ]
    if len(told) > _MOST_FRAMES:
        told[1 : 2 - _MOST_FRAMES] = [f"… {counted(len(told) - _MOST_FRAMES + 1, 'more line')}"]
    return "\n".join(told)


_PROGRAM = object_schema(program={"type": "string", "description": "the whole Python program"})


def _functions(protocols: Iterable[str]) -> str:
    return block("functions", "\n\n".join(protocols))


def program_names(data: Any, protocols: Iterable[str]) -> list[str]:
    """Functions that the program of an answer calls and the protocols do not have."""
    try:
        return list(in_program(_program(data), protocols))
    except AnswerInvalid:
        return []


def _program(data: Any) -> str:
    return plain_program(text_member(as_object(data), "program"))


def plain_program(text: str) -> str:
    """A program without the fence that models put around code."""
    lines = text.split("\n")
    if lines[0].startswith("```"):
        lines = lines[1:-1] if lines[-1].startswith("```") else lines[1:]
    return "\n".join(lines).strip("\n")
