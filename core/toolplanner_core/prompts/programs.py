"""A program over a chain of tools: write it, say which tool broke it, revise it.

Source: Shi et al., Chain of Tools, arXiv 2405.16533, sections 3.2 and 3.3: a program from the task
and all protocols; after an error the name of the tool that caused it; then a program from all
earlier ones with their results, all protocols, and the documentation of that tool. Temperature 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.program import ProgramEnd, StackFrame
from toolplanner_core.prompts.conversation import Message
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
from toolplanner_core.words.wording import counted

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


def end_text(end: ProgramEnd) -> str:
    """How a program ended, for a model."""
    lines = [f"printed: {cut(end.printed, _PRINTED_LIMIT)}" if end.printed else "printed nothing"]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameTool(Question[str]):
    """The name of the function that caused an error, "" if none did.

    Attributes:
        calls: that were made until then.
        behind: functions that the failing line depends on, nearest first.
    """

    id: ClassVar[str] = "blame_tool"
    title: ClassVar[str] = "Which tool caused it?"
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
            block("program", numbered(self.tried.program)),
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


def numbered(program: str, mark: int | None = None) -> str:
    """A program with the numbers of its lines; one may be marked."""
    return "\n".join(
        f"{'▶' if number == mark else ' '} {number:3}  {line}".rstrip()
        for number, line in enumerate(program.split("\n"), start=1)
    )


def told_stack(stack: Sequence[StackFrame], program: str) -> str:
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


def _program(data: Any) -> str:
    text = text_member(as_object(data), "program")
    lines = text.split("\n")
    if lines[0].startswith("```"):
        lines = lines[1:-1] if lines[-1].startswith("```") else lines[1:]
    return "\n".join(lines).strip("\n")
