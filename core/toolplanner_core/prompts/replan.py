"""Revise a plan after a toolkit was exhausted (Source: Tool-Planner, arXiv 2406.03807, algorithm
1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.plan_answer import (
    SINGLE_RULE,
    PlanRules,
    parse_plan,
    plan_schema,
    whole_number,
)
from toolplanner_core.prompts.question import Question, Role, as_list, as_object
from toolplanner_core.prompts.render import (
    OBSERVATION_LIMIT,
    FailureCard,
    StepResult,
    ToolkitCard,
    block,
    chat,
    failure_lines,
    result_lines,
    short,
    toolkit_lines,
)
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Replan(Question[Plan]):
    """A new plan without the exhausted toolkits.

    The answer names the finished steps that it keeps by their numbers; one that repeats them word
    for word instead is understood, too. The strategy goes on after the longest common prefix.

    Attributes:
        older: the plans before `plan`, oldest first.
        toolkits: those that may be used, best first; exhausted ones are not among them.
        exhausted: those that may not, for the reader.
        spent: toolkits with the goal that they failed at; they may serve another one.
        single: each card is one API instead of a toolkit.
        limit: characters of a result that are shown.
    """

    id: ClassVar[str] = "replan"
    version: ClassVar[int] = 3
    title: ClassVar[str] = "Revise the plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    plan: Plan
    failed_step: int
    finished: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    toolkits: tuple[ToolkitCard, ...]
    exhausted: tuple[ToolkitCard, ...]
    older: tuple[Plan, ...] = ()
    spent: tuple[tuple[ToolkitId, str], ...] = ()
    max_steps: int = 8
    single: bool = False
    limit: int = OBSERVATION_LIMIT

    def messages(self) -> list[Message]:
        states = {step.number: "finished" for step in self.finished_steps}
        states[self.failed_step] = "failed"
        older = [f"plan {n}:\n{_lines(plan, {})}" for n, plan in enumerate(self.older, 1)]
        spent = [f"{toolkit}: failed at {short(goal, 120)}" for toolkit, goal in self.spent]
        return chat(
            prompt(
                "replan",
                single=SINGLE_RULE if self.single else "",
                max_steps=self.max_steps,
                first_new=self._first_new,
            ),
            block("toolkits", toolkit_lines(self.toolkits)),
            block("exhausted", "\n".join([toolkit_lines(self.exhausted), *spent]).strip()),
            block("query", self.query),
            block("earlier_plans", "\n".join(older)) if older else "",
            block("plan", _lines(self.plan, states)),
            block("results", result_lines(self.finished, self.limit)),
            block("failures", failure_lines(self.failures)),
        )

    def schema(self) -> JsonSchema:
        numbers: dict[str, Any] = {"type": "integer"}
        if self.finished_steps:
            numbers["enum"] = [step.number for step in self.finished_steps]
        keep = {"type": "array", "items": numbers}
        return plan_schema((card.id for card in self.toolkits), keep=keep)

    def parse(self, data: Any) -> Plan:
        answer = as_object(data)
        rules = PlanRules(
            offered={card.id for card in self.toolkits},
            max_steps=max(self.max_steps, len(self.finished_steps)),
            kept=self.finished_steps,
            spent=self.spent,
        )
        return parse_plan(answer, rules, before=self._kept(answer.get("keep")))

    def _kept(self, data: Any) -> list[Step]:
        """The finished steps of these numbers, with those whose results they use."""
        if data is None:
            return []
        wanted = [whole_number(n, f"$.keep[{i}]") for i, n in enumerate(as_list(data, "$.keep"))]
        finished = {step.number: step for step in self.finished_steps}
        kept: set[int] = set()
        while wanted:
            number = wanted.pop()
            if number in finished and number not in kept:
                kept.add(number)
                wanted.extend(finished[number].needs)
        return [finished[number] for number in sorted(kept)]

    @property
    def _first_new(self) -> int:
        return len(self.plan.steps) + 1

    @property
    def finished_steps(self) -> tuple[Step, ...]:
        """The steps of the old plan that have a result, in its order."""
        done = {result.step for result in self.finished}
        return tuple(step for step in self.plan.steps if step.number in done)


def _lines(plan: Plan, states: Mapping[int, str]) -> str:
    """A plan, one line per step."""
    lines: list[str] = []
    for step in plan.steps:
        needs = f", needs {', '.join(map(str, step.needs))}" if step.needs else ""
        state = f" [{states[step.number]}]" if step.number in states else ""
        lines.append(
            f"{step.number}: {short(step.goal, 200)} (toolkit {step.toolkit}{needs}){state}"
        )
    return "\n".join(lines)
