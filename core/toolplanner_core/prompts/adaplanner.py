"""What AdaPlanner asks a model: a plan of function calls, what a result holds, a revised plan.

A value has a name in the plan; an argument that is exactly `{"$value": NAME}` is bound to it,
structurally, never by text.

Source: Sun et al., arXiv 2305.16653.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.offered import in_steps
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_list,
    as_object,
    bool_member,
    describe,
    member,
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
    function_lines,
    result_lines,
)
from toolplanner_core.prompts.texts import prompt

VALUE_KEY = "$value"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStep:
    """One call of a plan.

    Attributes:
        function: name of the function that is called.
        values, refs: arguments: literal ones, and those taken from earlier steps.
        take: what each value to be read from the result means, by name.
        check: what the result must show.
    """

    number: int
    goal: str
    function: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refs: Mapping[str, ResultRef] = field(default_factory=dict[str, ResultRef])
    take: Mapping[str, str] = field(default_factory=dict[str, str])
    check: str = ""

    @property
    def needs(self) -> tuple[int, ...]:
        """Numbers of the steps whose values it takes."""
        return tuple(sorted({ref.step for ref in self.refs.values()}))

    def to_json(self) -> dict[str, Any]:
        """As a model writes it."""
        bound = {name: {VALUE_KEY: str(ref.path[0])} for name, ref in self.refs.items()}
        return {
            "goal": self.goal,
            "call": self.function,
            "arguments": {**self.values, **bound},
            "take": dict(self.take),
            "check": self.check,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPlan:
    """Steps in order; `unmet` are needs that no function can serve."""

    steps: tuple[CheckedStep, ...]
    unmet: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a model writes it."""
        return {"steps": [step.to_json() for step in self.steps], "unmet": list(self.unmet)}

    def kept_from(self, old: "CheckedPlan", done: Collection[int]) -> int:
        """How many steps it has in common with an old plan from the beginning on, and are done:
        it goes on at the first step that differs."""
        keeps = 0
        for new, before in zip(self.steps, old.steps, strict=False):
            if new != before or before.number not in done:
                break
            keeps += 1
        return keeps


def checked_plan_schema(functions: Collection[str]) -> JsonSchema:
    """JSON Schema of a plan over functions of these names."""
    meanings = {"type": "object", "additionalProperties": {"type": "string"}}
    text = {"type": "string"}
    step = object_schema(
        goal=text,
        call={"type": "string", "enum": sorted(functions)},
        arguments={"type": "object"},
        take=meanings,
        check=text,
    )
    return object_schema(
        steps={"type": "array", "items": step}, unmet={"type": "array", "items": text}
    )


def parse_checked_plan(data: Any, *, functions: Collection[str], max_steps: int) -> CheckedPlan:
    """The validated plan.

    Raises:
        AnswerInvalid: not a plan over these functions.
    """
    answer = as_object(data)
    listed = as_list(member(answer, "steps"), "$.steps")
    if len(listed) > max_steps:
        what = f"the plan has {len(listed)} steps, at most {max_steps} are allowed"
        raise AnswerInvalid(what, where="$.steps")
    taken: dict[str, int] = {}
    steps: list[CheckedStep] = []
    for number, entry in enumerate(listed, start=1):
        steps.append(_parse_step(entry, number, functions, taken))
        taken.update(dict.fromkeys(steps[-1].take, number))
    unmet = as_list(answer.get("unmet") or [], "$.unmet")
    return CheckedPlan(
        steps=tuple(steps),
        unmet=tuple(need.strip() for need in unmet if isinstance(need, str) and need.strip()),
    )


def _parse_step(
    data: Any, number: int, functions: Collection[str], taken: Mapping[str, int]
) -> CheckedStep:
    where = f"$.steps[{number - 1}]"
    entry = as_object(data, where)
    function = text_member(entry, "call", where)
    if function not in functions:
        names = ", ".join(sorted(functions)[:40])
        raise AnswerInvalid(
            f"there is no function {function!r}; functions are: {names}", where=f"{where}.call"
        )
    values: dict[str, Any] = {}
    refs: dict[str, ResultRef] = {}
    for name, value in as_object(member(entry, "arguments", where), f"{where}.arguments").items():
        if isinstance(value, dict) and VALUE_KEY in value:
            value_name = str(cast("dict[str, Any]", value)[VALUE_KEY])
            if value_name not in taken:
                known = ", ".join(taken) or "none"
                what = f"no earlier step takes {value_name!r}; values taken before: {known}"
                raise AnswerInvalid(what, where=f"{where}.arguments.{name}")
            refs[name] = ResultRef(step=taken[value_name], path=(value_name,))
        elif value is not None:
            values[name] = value
    return CheckedStep(
        number=number,
        goal=text_member(entry, "goal", where),
        function=function,
        values=values,
        refs=refs,
        take=_parse_take(entry.get("take") or {}, taken, f"{where}.take"),
        check=text_member(entry, "check", where),
    )


def _parse_take(data: Any, taken: Mapping[str, int], where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, meaning in as_object(data, where).items():
        if name in taken:
            what = f"step {taken[name]} takes a value of this name already: choose another"
            raise AnswerInvalid(what, where=f"{where}.{name}")
        if not isinstance(meaning, str):
            what = f"expected what the value means, got {describe(meaning)}"
            raise AnswerInvalid(what, where=f"{where}.{name}")
        found[name] = meaning
    return found


_ANEW = """An earlier plan failed, see the failures. Begin anew and do not repeat what failed."""


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
            block("functions", function_lines(self.functions)),
            block("query", self.query),
            block("failures", failure_lines(self.failures)) if self.failures else "",
        )

    def schema(self) -> JsonSchema:
        return checked_plan_schema([each.name for each in self.functions])

    def not_offered(self, data: Any) -> Iterable[str]:
        steps = cast("dict[str, Any]", data).get("steps") if isinstance(data, dict) else None
        return in_steps(steps, self.functions)

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
            block("functions", function_lines(self.functions)),
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
