"""What CodeAct asks a model: the next piece of code of a session, or the answer.

Source: Wang et al., arXiv 2402.01030.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.offered import in_program
from toolplanner_core.prompts.programs import plain_program
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

_TEXT = {"type": "string"}


class CodePiece(NamedTuple):
    """A piece of a session: why, the code, what came of it in words, and whether it stays."""

    thought: str
    code: str
    told: str
    stays: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAction:
    """The next piece of code, or the answer; the other one is ""."""

    thought: str
    code: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActByCode(Question[CodeAction]):
    """The next turn of a session.

    Attributes:
        protocols: stubs of the functions.
        session: the pieces before, in order.
    """

    id: ClassVar[str] = "act_by_code"
    title: ClassVar[str] = "Act by code"
    temperature: ClassVar[float] = 0.0

    query: str
    protocols: tuple[str, ...]
    session: tuple[CodePiece, ...] = ()

    def messages(self) -> list[Message]:
        pieces = (
            "\n".join(
                [
                    each.thought,
                    block(f"code_{number}", each.code),
                    block("result", each.told),
                ]
            )
            for number, each in enumerate(self.session, start=1)
        )
        return chat(
            prompt("act_by_code"),
            block("query", self.query),
            block("functions", "\n\n".join(self.protocols)),
            "\n\n".join(pieces),
        )

    def schema(self) -> JsonSchema:
        return object_schema(thought=_TEXT, code=_TEXT, answer=_TEXT)

    def not_offered(self, data: Any) -> Iterable[str]:
        code = data.get("code") if isinstance(data, dict) else None
        if not isinstance(code, str):
            return ()
        kept = (each.code for each in self.session if each.stays)
        return in_program("\n".join([*kept, plain_program(code)]), self.protocols)

    def parse(self, data: Any) -> CodeAction:
        found = as_object(data)
        code = plain_program(text_member(found, "code", empty=True))
        answer = text_member(found, "answer", empty=True)
        if bool(code) == bool(answer):
            what = "give either the next piece of code or the answer, and leave the other empty"
            raise AnswerInvalid(what, where="$.code")
        thought = text_member(found, "thought", empty=True)
        return CodeAction(thought=thought, code=code, answer=answer)
