"""Compose the answer to the query from the results."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Answer
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    bool_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import (
    OBSERVATION_LIMIT,
    FailureCard,
    StepResult,
    block,
    chat,
    failure_lines,
    result_lines,
)
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAnswer(Question[Answer]):
    """What to tell the person; `solved` False with a reason when a need is left open.

    The acting model writes it, so that a planning model is measured by its plans alone (Source:
    Tool-Planner, arXiv 2406.03807, table 7).

    Attributes:
        unmet: goals of steps that no toolkit could do.
        now: the clock of the run, for rules; a language model is not shown it.
    """

    id: ClassVar[str] = "final_answer"
    title: ClassVar[str] = "Compose the answer"
    role: ClassVar[Role] = Role.ACTING

    query: str
    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    unmet: tuple[str, ...] = ()
    now: datetime | None = None
    limit: int = OBSERVATION_LIMIT

    def messages(self) -> list[Message]:
        return chat(
            prompt("final_answer"),
            block("query", self.query),
            block("results", result_lines(self.results, self.limit)),
            block("failures", failure_lines(self.failures)) if self.failures else "",
            block("open_needs", "\n".join(self.unmet)) if self.unmet else "",
        )

    def schema(self) -> JsonSchema:
        return object_schema(
            answer={"type": "string", "description": "the whole answer for the person"},
            solved={"type": "boolean"},
            reason={"type": "string", "description": "why not solved, else empty"},
        )

    def parse(self, data: Any) -> Answer:
        answer = as_object(data)
        solved = bool_member(answer, "solved")
        reason = text_member(answer, "reason", empty=True)
        if not solved and not reason:
            raise AnswerInvalid("say in one sentence why it is not solved", where="$.reason")
        return Answer(
            text=text_member(answer, "answer"), solved=solved, reason="" if solved else reason
        )
