"""Judge whether an answer does what the query asks for, from what was done for it."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Judgement
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    Question,
    Role,
    as_object,
    bool_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt
from toolplanner_core.prompts.trajectory import trajectory_text


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer(Question[Judgement]):
    """Is the query solved; `way` is the conversation that led to the answer."""

    id: ClassVar[str] = "judge_answer"
    title: ClassVar[str] = "Judge the answer"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0

    query: str
    way: tuple[Message, ...]
    answer: str

    def messages(self) -> list[Message]:
        return chat(
            prompt("judge_answer"),
            block("query", self.query),
            block("done", trajectory_text(self.way)),
            block("answer", self.answer),
        )

    def schema(self) -> JsonSchema:
        return object_schema(reason={"type": "string"}, solved={"type": "boolean"})

    def parse(self, data: Any) -> Judgement:
        found = as_object(data)
        return Judgement(
            solved=bool_member(found, "solved"), reason=text_member(found, "reason", empty=True)
        )
