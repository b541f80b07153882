"""Say which of two answers of an experiment is better: the first, the second, or neither.

Source: the win rate of ToolEval, Qin et al., arXiv 2307.16789, section 3.1. The judge sees what was
called and what came back, never a thought, the strategy or the model.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.experiment import Preference, PreferredAnswer
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.judge_answer import trajectory_text
from toolplanner_core.prompts.question import (
    Question,
    Role,
    as_object,
    choice_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareAnswers(Question[PreferredAnswer]):
    """Which answer is better; a way is what was called and what came back."""

    id: ClassVar[str] = "compare_answers"
    title: ClassVar[str] = "Compare two answers"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0

    query: str
    first_way: tuple[Message, ...]
    first: str
    second_way: tuple[Message, ...]
    second: str

    def messages(self) -> list[Message]:
        return chat(
            prompt("compare_answers"),
            block("query", self.query),
            block("first_done", trajectory_text(self.first_way)),
            block("first_answer", self.first),
            block("second_done", trajectory_text(self.second_way)),
            block("second_answer", self.second),
        )

    def schema(self) -> JsonSchema:
        better = {"type": "string", "enum": [str(each) for each in Preference]}
        return object_schema(reason={"type": "string"}, better=better)

    def parse(self, data: Any) -> PreferredAnswer:
        found = as_object(data)
        reason = text_member(found, "reason", empty=True)
        return PreferredAnswer(better=choice_member(found, "better", Preference), reason=reason)
