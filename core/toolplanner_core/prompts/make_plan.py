"""Make a plan over toolkits (Source: Tool-Planner, arXiv 2406.03807, algorithm 1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.plan_answer import (
    SINGLE_RULE,
    PlanRules,
    parse_plan,
    plan_schema,
)
from toolplanner_core.prompts.question import Question, Role, as_object
from toolplanner_core.prompts.render import ToolkitCard, block, chat, toolkit_lines
from toolplanner_core.prompts.texts import prompt

_SEARCH = """
If the toolkits offered lack one that a need calls for, you may first look for more: give no \
steps, and "search": up to three short descriptions of what such a toolkit does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreWanted:
    """The planner wants to see more toolkits first; `words` is what it looks for."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MakePlan(Question[Plan | MoreWanted]):
    """Which toolkits, in which order, for which needs of the query.

    Attributes:
        single: each card is one API instead of a toolkit.
        searches: how often more toolkits may still be looked for.
    """

    id: ClassVar[str] = "make_plan"
    version: ClassVar[int] = 3
    title: ClassVar[str] = "Make a plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    toolkits: tuple[ToolkitCard, ...]
    max_steps: int = 8
    single: bool = False
    searches: int = 0

    def messages(self) -> list[Message]:
        return chat(
            prompt(
                "make_plan",
                single=SINGLE_RULE if self.single else "",
                search=_SEARCH if self.searches else "",
                max_steps=self.max_steps,
            ),
            block("toolkits", toolkit_lines(self.toolkits)),
            block("query", self.query),
        )

    def schema(self) -> JsonSchema:
        search = {"type": "array", "items": {"type": "string"}}
        more = {"search": search} if self.searches else {}
        return plan_schema((card.id for card in self.toolkits), **more)

    def parse(self, data: Any) -> Plan | MoreWanted:
        answer = as_object(data)
        wanted = answer.get("search")
        if self.searches and isinstance(wanted, list) and not answer.get("steps"):
            words = [w.strip() for w in wanted if isinstance(w, str) and w.strip()]
            if words:
                return MoreWanted(words=tuple(dict.fromkeys(words))[:3])
        offered = {card.id for card in self.toolkits}
        return parse_plan(answer, PlanRules(offered=offered, max_steps=self.max_steps))
