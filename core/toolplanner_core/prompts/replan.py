"""Revise a plan after a toolkit was exhausted (Source: Tool-Planner, arXiv 2406.03807, algorithm
1)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.plan_answer import (
    PLAN_FORM,
    SINGLE_RULE,
    parse_plan,
    plan_json,
    plan_schema,
)
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.prompts.render import (
    FailureCard,
    StepResult,
    ToolkitCard,
    as_json,
    block,
    chat,
    failure_lines,
    result_lines,
    toolkit_lines,
)

_SYSTEM = """You revise a plan over toolkits after all APIs of one toolkit failed at a step. A \
toolkit is a set of APIs that can stand in for one another.
Begin the new plan with the finished steps, word for word: same goal, same toolkit, in the same \
order, so that their results are kept. Then reach the goal of the failed step in another way, \
with the toolkits that are offered; it may take two steps. Then the steps that were still to be \
done. Leave out what no offered toolkit can do, and every step that depends on it. The exhausted \
toolkits must not be used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replan(Question[Plan]):
    """A new plan without the exhausted toolkits.

    The answer repeats, unchanged and first, the steps of `plan` whose results shall be kept; the
    strategy goes
    on after the longest common prefix.

    Attributes:
        toolkits: those that may be used, best first; exhausted ones are not among them.
        exhausted: those that may not, for the reader.
        spent: toolkits with the goal that they failed at; they may serve another one.
        single: each card is one API instead of a toolkit.
    """

    id: ClassVar[str] = "replan"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "Revise the plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    plan: Plan
    failed_step: int
    finished: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    toolkits: tuple[ToolkitCard, ...]
    exhausted: tuple[ToolkitCard, ...]
    spent: tuple[tuple[ToolkitId, str], ...] = ()
    max_steps: int = 8
    single: bool = False

    def messages(self) -> list[Message]:
        finished = ", ".join(str(result.step) for result in self.finished) or "none"
        rules = f"{_SYSTEM}{SINGLE_RULE}" if self.single else _SYSTEM
        return chat(
            f"{rules}\nAt most {self.max_steps} steps. {PLAN_FORM}",
            block("toolkits", toolkit_lines(self.toolkits)),
            block("exhausted", toolkit_lines(self.exhausted)),
            block("query", self.query),
            block("plan", as_json(plan_json(self.plan))),
            f"Finished steps: {finished}. Failed step: {self.failed_step}.",
            block("results", result_lines(self.finished)),
            block("failures", failure_lines(self.failures)),
        )

    def schema(self) -> JsonSchema:
        kept = [step.toolkit for step in self.finished_steps if step.toolkit is not None]
        return plan_schema([card.id for card in self.toolkits] + kept)

    def parse(self, data: Any) -> Plan:
        return parse_plan(
            data,
            offered={card.id for card in self.toolkits},
            max_steps=max(self.max_steps, len(self.finished_steps)),
            kept=self.finished_steps,
            spent=self.spent,
        )

    @property
    def finished_steps(self) -> tuple[Step, ...]:
        """The steps of the old plan that have a result, in its order."""
        done = {result.step for result in self.finished}
        return tuple(step for step in self.plan.steps if step.number in done)
