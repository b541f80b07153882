"""Make a plan over toolkits (Source: Tool-Planner, arXiv 2406.03807, algorithm 1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.plan_answer import PLAN_FORM, SINGLE_RULE, parse_plan, plan_schema
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.prompts.render import ToolkitCard, block, chat, toolkit_lines

_SYSTEM = """You plan which toolkits answer a query. A toolkit is a set of APIs that can stand in \
for one another; its APIs are called later, by someone else.
Make one step for each need of the query, in a sensible order, with the toolkit that serves it \
best. Repeat places, dates, amounts and names of the query in the goal of every step they matter \
for. Add a step that only fetches an input (coordinates, a code, an id) when a later step cannot \
do without it. Use only the toolkit ids that are offered, and no step that the query does not \
need; never take a toolkit that has nothing to do with a need only to have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakePlan(Question[Plan]):
    """Which toolkits, in which order, for which needs of the query.

    Attributes:
        single: each card is one API instead of a toolkit.
    """

    id: ClassVar[str] = "make_plan"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "Make a plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    toolkits: tuple[ToolkitCard, ...]
    max_steps: int = 8
    single: bool = False

    def messages(self) -> list[Message]:
        rules = f"{_SYSTEM}{SINGLE_RULE}" if self.single else _SYSTEM
        return chat(
            f"{rules}\nAt most {self.max_steps} steps. {PLAN_FORM}",
            block("toolkits", toolkit_lines(self.toolkits)),
            block("query", self.query),
        )

    def schema(self) -> JsonSchema:
        return plan_schema(card.id for card in self.toolkits)

    def parse(self, data: Any) -> Plan:
        return parse_plan(
            data, offered={card.id for card in self.toolkits}, max_steps=self.max_steps
        )
