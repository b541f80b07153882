"""Compose the answer to the query from the results."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Answer
from toolplanner_core.prompts.cards import FailureCard, StepResult
from toolplanner_core.prompts.question import Message, Question, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAnswer(Question[Answer]):
    """What to tell the person; `solved` False with a reason when a need is left open.

    Attributes:
        unmet: goals of steps that no toolkit could do.
    """

    id: ClassVar[str] = "final_answer"
    title: ClassVar[str] = "Compose the answer"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    unmet: tuple[str, ...] = ()

    def messages(self) -> list[Message]:
        raise NotImplementedError

    def schema(self) -> JsonSchema:
        raise NotImplementedError

    def parse(self, data: Any) -> Answer:
        raise NotImplementedError
