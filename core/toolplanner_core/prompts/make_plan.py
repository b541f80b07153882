"""Make a plan over toolkits (Source: Tool-Planner, arXiv 2406.03807, algorithm 1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.cards import ToolkitCard
from toolplanner_core.prompts.question import Message, Question, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class MakePlan(Question[Plan]):
    """Which toolkits, in which order, for which needs of the query."""

    id: ClassVar[str] = "make_plan"
    title: ClassVar[str] = "Make a plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    toolkits: tuple[ToolkitCard, ...]
    max_steps: int = 8

    def messages(self) -> list[Message]:
        raise NotImplementedError

    def schema(self) -> JsonSchema:
        raise NotImplementedError

    def parse(self, data: Any) -> Plan:
        raise NotImplementedError
