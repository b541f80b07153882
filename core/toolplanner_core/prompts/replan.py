"""Revise a plan after a toolkit was exhausted (Source: Tool-Planner, arXiv 2406.03807, algorithm
1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.cards import FailureCard, StepResult, ToolkitCard
from toolplanner_core.prompts.question import Message, Question, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Replan(Question[Plan]):
    """A new plan without the exhausted toolkits.

    The answer repeats, unchanged and first, the steps of `plan` whose results shall be kept; the
    strategy goes
    on after the longest common prefix.

    Attributes:
        toolkits: those that may be used, best first; exhausted ones are not among them.
        exhausted: those that may not, for the reader.
    """

    id: ClassVar[str] = "replan"
    title: ClassVar[str] = "Revise the plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    plan: Plan
    failed_step: int
    finished: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    toolkits: tuple[ToolkitCard, ...]
    exhausted: tuple[ToolkitCard, ...]
    max_steps: int = 8

    def messages(self) -> list[Message]:
        raise NotImplementedError

    def schema(self) -> JsonSchema:
        raise NotImplementedError

    def parse(self, data: Any) -> Plan:
        raise NotImplementedError
