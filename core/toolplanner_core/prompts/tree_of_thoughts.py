"""How Tree of Thoughts has its states judged: each by itself, or all by a vote.

Source: Yao et al., arXiv 2305.10601, section 3, "state evaluator".
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_int,
    as_object,
    choice_member,
    member,
    object_schema,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

_TEXT = {"type": "string"}


class ThoughtValue(StrEnum):
    """How a thought is rated."""

    SURE = "sure"
    LIKELY = "likely"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateThought(Question[ThoughtValue]):
    """What one thought is worth; `way` is what was done before it, in words."""

    id: ClassVar[str] = "rate_thought"
    title: ClassVar[str] = "Rate a thought"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.7

    query: str
    way: tuple[str, ...]
    thought: str

    def messages(self) -> list[Message]:
        return chat(
            prompt("rate_thought"),
            block("query", self.query),
            block("so_far", "\n".join(self.way)) if self.way else "Nothing was called yet.",
            block("next", self.thought),
        )

    def schema(self) -> JsonSchema:
        return object_schema(reason=_TEXT, value={"type": "string", "enum": [*ThoughtValue]})

    def parse(self, data: Any) -> ThoughtValue:
        return choice_member(as_object(data), "value", ThoughtValue)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteThoughts(Question[int]):
    """Which of several thoughts is best, from 0 on; each with what was done before it."""

    id: ClassVar[str] = "vote_thoughts"
    title: ClassVar[str] = "Vote among thoughts"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.7

    query: str
    thoughts: tuple[tuple[tuple[str, ...], str], ...]

    def messages(self) -> list[Message]:
        listed = (
            block(f"way_{number}", "\n".join([*way, f"next: {thought}"]))
            for number, (way, thought) in enumerate(self.thoughts, start=1)
        )
        return chat(prompt("vote_thoughts"), block("query", self.query), *listed)

    def schema(self) -> JsonSchema:
        number = {"type": "integer", "minimum": 1, "maximum": len(self.thoughts)}
        return object_schema(reason=_TEXT, best=number)

    def parse(self, data: Any) -> int:
        best = as_int(member(as_object(data), "best"), "$.best")
        if not 1 <= best <= len(self.thoughts):
            raise AnswerInvalid(f"say a number from 1 to {len(self.thoughts)}", where="$.best")
        return best - 1
