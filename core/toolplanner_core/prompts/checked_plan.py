"""AdaPlanner's plan: function calls, each with the values that are taken from its result and the
check that the result must pass; its JSON, its schema, its parser. Pure.

A value has a name in the plan; an argument that is exactly `{"$value": NAME}` is bound to it,
structurally, never by text.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    as_list,
    as_object,
    describe,
    member,
    object_schema,
    text_member,
)

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
