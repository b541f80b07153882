"""Grade an answer of an experiment: solved, unsure or unsolved.

Source: ToolEval's protocol, Qin et al., arXiv 2307.16789, appendix A.5, whose three grades these
are. The judge sees what was called and what came back, never a thought, the strategy or the model.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.experiment import Grade, GradedAnswer
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
class GradeAnswer(Question[GradedAnswer]):
    """How well is the query solved; `way` is what was called and what came back."""

    id: ClassVar[str] = "grade_answer"
    title: ClassVar[str] = "Grade the answer"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.7
    """Votes that cannot differ would say nothing of how sure the judge is."""

    query: str
    way: tuple[Message, ...]
    answer: str

    def messages(self) -> list[Message]:
        return chat(
            prompt("grade_answer"),
            block("query", self.query),
            block("done", trajectory_text(self.way)),
            block("answer", self.answer),
        )

    def schema(self) -> JsonSchema:
        grades = {"type": "string", "enum": [str(grade) for grade in Grade]}
        return object_schema(reason={"type": "string"}, grade=grades)

    def parse(self, data: Any) -> GradedAnswer:
        found = as_object(data)
        reason = text_member(found, "reason", empty=True)
        return GradedAnswer(grade=choice_member(found, "grade", Grade), reason=reason)
