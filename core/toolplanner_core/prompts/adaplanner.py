"""What AdaPlanner asks a model: a whole plan, what a result holds, a revised plan.

Source: Sun et al., arXiv 2305.16653.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.checked_plan import (
    CheckedPlan,
    checked_plan_schema,
    parse_checked_plan,
)
from toolplanner_core.prompts.conversation import Function, Message
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
    FailureCard,
    StepResult,
    as_json,
    block,
    chat,
    cut,
    failure_lines,
    result_lines,
)
from toolplanner_core.prompts.texts import prompt

_ANEW = """An earlier plan failed, see the failures. Begin anew and do not repeat what failed."""
_FUNCTION_LIMIT = 1500
"""Characters of one function's documentation in a plan question."""


def _function_lines(functions: tuple[Function, ...]) -> str:
    return "\n".join(cut(as_json(each.to_json()), _FUNCTION_LIMIT) for each in functions)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCheckedPlan(Question[CheckedPlan]):
    """A whole plan; `failures` are those of plans before, when it begins anew."""

    id: ClassVar[str] = "make_checked_plan"
    title: ClassVar[str] = "Make a plan"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    functions: tuple[Function, ...]
    failures: tuple[FailureCard, ...] = ()
    max_steps: int = 8

    def messages(self) -> list[Message]:
        anew = f"\n{_ANEW}" if self.failures else ""
        return chat(
            prompt("make_checked_plan", anew=anew, max_steps=self.max_steps),
            block("functions", _function_lines(self.functions)),
            block("query", self.query),
            block("failures", failure_lines(self.failures)) if self.failures else "",
        )

    def schema(self) -> JsonSchema:
        return checked_plan_schema([each.name for each in self.functions])

    def parse(self, data: Any) -> CheckedPlan:
        names = [each.name for each in self.functions]
        return parse_checked_plan(data, functions=names, max_steps=self.max_steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseCheckedPlan(MakeCheckedPlan):
    """A revised plan that goes on at the first step that differs (*out-of-plan*)."""

    id: ClassVar[str] = "revise_checked_plan"
    title: ClassVar[str] = "Revise the plan"

    plan: CheckedPlan
    failed_step: int
    finished: tuple[StepResult, ...]

    def messages(self) -> list[Message]:
        done = ", ".join(str(result.step) for result in self.finished) or "none"
        return chat(
            prompt("revise_checked_plan", max_steps=self.max_steps),
            block("functions", _function_lines(self.functions)),
            block("query", self.query),
            block("plan", as_json(self.plan.to_json())),
            f"Steps that are done: {done}. Step that failed: {self.failed_step}.",
            block("results", result_lines(self.finished)) if self.finished else "",
            block("failures", failure_lines(self.failures)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a result came to; `values` by the names that were to be taken."""

    passed: bool
    state: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult(Question[Checked]):
    """Does a result pass the check of its step, and which values does it hold (*in-plan*)."""

    id: ClassVar[str] = "check_result"
    title: ClassVar[str] = "Check the result"

    query: str
    goal: str
    check: str
    take: Mapping[str, str]
    value: Any

    def messages(self) -> list[Message]:
        take = "\n".join(f"{name}: {meaning}" for name, meaning in self.take.items())
        return chat(
            prompt("check_result"),
            block("query", self.query),
            block("step", self.goal),
            block("check", self.check),
            block("take", take) if take else "",
            block("result", cut(as_json(self.value))),
        )

    def schema(self) -> JsonSchema:
        values = object_schema(**{name: {"description": self.take[name]} for name in self.take})
        return object_schema(state={"type": "string"}, passed={"type": "boolean"}, values=values)

    def parse(self, data: Any) -> Checked:
        found = as_object(data)
        passed, state = bool_member(found, "passed"), text_member(found, "state", empty=True)
        given = as_object(found.get("values") or {}, "$.values")
        missing = [name for name in self.take if given.get(name) is None]
        if passed and missing:
            what = f"passed, but {missing[0]!r} has no value: give it, or say that it did not pass"
            raise AnswerInvalid(what, where="$.values")
        return Checked(
            passed=passed, state=state, values={name: given.get(name) for name in self.take}
        )
