"""Make a plan over toolkits (Source: Tool-Planner, arXiv 2406.03807, algorithm 1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.plan_answer import (
    SINGLE_RULE,
    STEP_FORM,
    PlanRules,
    parse_plan,
    plan_schema,
)
from toolplanner_core.prompts.question import Question, Role, as_object
from toolplanner_core.prompts.render import ToolkitCard, block, chat, toolkit_lines

_SYSTEM = """You plan which toolkits answer a query. A toolkit is a set of APIs that can stand in \
for one another; its APIs are called later, by someone else.
Make one step for each need of the query, with the toolkit that serves it best. Repeat places, \
dates, amounts and names of the query in the goal of every step they matter for. Add a step that \
only fetches an input (coordinates, a code, an id) when a later step cannot do without it. Use \
only offered ids, make no step that the query does not need, and take no toolkit that has nothing \
to do with its need."""

_EXAMPLE = """Example, for "Will it rain in Lyon tomorrow, and what is 20 EUR in yen?" with the \
toolkits 4 (weather by coordinates), 7 (coordinates of places), 9 (exchange rates):
{"steps": [{"number": 1, "goal": "coordinates of Lyon", "toolkit": 7, "needs": []}, \
{"number": 2, "goal": "rain in Lyon tomorrow", "toolkit": 4, "needs": [1]}, \
{"number": 3, "goal": "20 EUR in yen", "toolkit": 9, "needs": []}], "unmet": []}"""

_FORM = 'Answer with one JSON object: {"steps": [...], "unmet": [...]}, a step:'
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
        rules = f"{_SYSTEM}{SINGLE_RULE}" if self.single else _SYSTEM
        search = _SEARCH if self.searches else ""
        form = (
            f'Answer with one JSON object: {{"steps": [...], "unmet": [...]}}, a step: {STEP_FORM}'
        )
        return chat(
            f"{rules}{search}\nAt most {self.max_steps} steps. {form}\n{_EXAMPLE}",
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
