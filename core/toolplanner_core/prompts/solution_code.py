"""What AdaPlanner asks a model where its plans are code: a program with an assertion for each step.

Source: Sun et al., arXiv 2305.16653, and its released code (ALFWorld/prompt.py: a solution function
in numbered steps, each with a reason and an assertion; a revised one goes on at the step that
failed). Temperature 0, as there.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.programs import (
    TriedProgram,
    end_text,
    plain_program,
    program_names,
)
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

_RESUME = (
    "Repeat the steps that came to what they should unchanged from the beginning, with the same"
    " calls and arguments: their replies are kept. Then do in another way what failed, and what is"
    " left."
)
_ANEW = "Begin anew, and do not repeat what failed."


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSolution(Question[str]):
    """The first program; `protocols` are stubs of the functions."""

    id: ClassVar[str] = "write_solution"
    title: ClassVar[str] = "Write a solution"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    query: str
    protocols: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("write_solution"),
            block("query", self.query),
            block("functions", "\n\n".join(self.protocols)),
        )

    def schema(self) -> JsonSchema:
        return object_schema(program={"type": "string", "description": "the whole Python program"})

    def not_offered(self, data: Any) -> Iterable[str]:
        return program_names(data, self.protocols)

    def parse(self, data: Any) -> str:
        program = plain_program(text_member(as_object(data), "program"))
        try:
            nodes = [*ast.walk(ast.parse(program))]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return program  # the sandbox says what is wrong with it
        if not any(isinstance(node, ast.Assert) for node in nodes):
            raise AnswerInvalid("no step has an assertion that checks it", where="$.program")
        return program


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseSolution(WriteSolution):
    """Another program after those that were tried; `resumes` = what worked is kept."""

    id: ClassVar[str] = "revise_solution"
    title: ClassVar[str] = "Revise the solution"

    tried: tuple[TriedProgram, ...]
    resumes: bool

    def messages(self) -> list[Message]:
        tried = (
            block(f"program_{number}", each.program) + "\n" + block("result", end_text(each.end))
            for number, each in enumerate(self.tried, start=1)
        )
        return chat(
            prompt("revise_solution", how=_RESUME if self.resumes else _ANEW),
            block("query", self.query),
            block("functions", "\n\n".join(self.protocols)),
            "\n".join(tried),
        )
