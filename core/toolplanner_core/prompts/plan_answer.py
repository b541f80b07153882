"""The answer that `MakePlan` and `Replan` share: steps over toolkits, its schema and its parser.

A plan that is almost right is mended where that cannot change what it means, and the plan says
what was mended: another answer to the same question would often be no better.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.coercing import coerced
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    as_int,
    as_list,
    as_object,
    describe,
    member,
    object_schema,
    text_member,
)

SINGLE_RULE = "\nEach toolkit here is one single API."
"""Said where plans are made over single APIs."""


def plan_schema(toolkits: Iterable[ToolkitId], **more: Any) -> JsonSchema:
    """JSON Schema of a plan over these toolkits.

    Args:
        more: properties that stand before the steps.
    """
    ids = sorted(set(toolkits))
    toolkit: dict[str, Any] = {"type": "integer", "description": "id of an offered toolkit"}
    if ids:
        toolkit["enum"] = ids
    step = object_schema(
        number={"type": "integer"},
        goal={"type": "string", "description": "what this step finds out or does"},
        toolkit=toolkit,
        needs={
            "type": "array",
            "items": {"type": "integer"},
            "description": "numbers of earlier steps whose results are used",
        },
    )
    return object_schema(
        **more,
        steps={"type": "array", "items": step},
        unmet={
            "type": "array",
            "items": {"type": "string"},
            "description": "needs that no offered toolkit can serve",
        },
    )


def plan_json(plan: Plan) -> dict[str, Any]:
    """A plan as the JSON that `parse_plan` reads."""
    return {
        "steps": [
            {
                "number": step.number,
                "goal": step.goal,
                "toolkit": step.toolkit,
                "needs": list(step.needs),
            }
            for step in plan.steps
        ],
        "unmet": list(plan.unmet),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """What a plan may be made of.

    Attributes:
        kept: finished steps that may stand in the plan although their toolkit is not offered any
            more; one that is repeated keeps its `api`.
        spent: toolkits that failed at a goal, which they must not be used for again.
    """

    offered: Collection[ToolkitId]
    max_steps: int
    kept: Collection[Step] = ()
    spent: Collection[tuple[ToolkitId, str]] = ()


def parse_plan(data: Any, rules: PlanRules, *, before: Collection[Step] = ()) -> Plan:
    """The validated plan.

    Args:
        before: finished steps, under their old numbers, that come first in the new plan.

    Raises:
        AnswerInvalid: not a plan over the offered toolkits.
    """
    answer = as_object(data)
    listed = as_list(member(answer, "steps"), "$.steps")
    if len(listed) + len(before) > max(rules.max_steps, len(before)):
        raise AnswerInvalid(
            f"the plan has {len(listed) + len(before)} steps, at most {rules.max_steps} are"
            " allowed",
            where="$.steps",
        )
    mended: list[str] = []
    entries = [as_object(entry, f"$.steps[{i}]") for i, entry in enumerate(listed)]
    steps = [_parse_step(entry, i, rules) for i, entry in enumerate(entries)]
    numbers = _numbers(entries, before, mended)
    steps = [
        replace(step, number=i, needs=_parse_needs(entry, i, numbers, where, mended))
        for i, (step, entry, where) in enumerate(
            zip(steps, entries, [f"$.steps[{i}]" for i in range(len(steps))], strict=True),
            start=len(before) + 1,
        )
    ]
    first = [
        replace(
            old,
            number=i,
            goal=old.goal.strip(),
            needs=tuple(sorted(numbers[need] for need in old.needs if need in numbers)),
        )
        for i, old in enumerate(before, 1)
    ]
    unmet = _parse_unmet(answer.get("unmet"))
    whole = _without_twins([*first, *steps], len(first), mended)
    return Plan(steps=whole, unmet=unmet, mended=tuple(mended))


def _parse_unmet(data: Any) -> tuple[str, ...]:
    """The needs left out; a model that names none may leave the property out."""
    if data is None:
        return ()
    said: list[str] = []
    for index, entry in enumerate(as_list(data, "$.unmet")):
        if not isinstance(entry, str):
            raise AnswerInvalid(
                f"expected a need in words, got {describe(entry)}", where=f"$.unmet[{index}]"
            )
        if entry.strip():
            said.append(entry.strip())
    return tuple(dict.fromkeys(said))


def whole_number(data: Any, where: str) -> int:
    """A whole number, also one that is written as a text."""
    return as_int(coerced(data, {"type": "integer"}), where)


def _parse_step(entry: dict[str, Any], index: int, rules: PlanRules) -> Step:
    where = f"$.steps[{index}]"
    toolkit = ToolkitId(whole_number(member(entry, "toolkit", where), f"{where}.toolkit"))
    goal = text_member(entry, "goal", where)
    kept = rules.kept
    old = next((old for old in kept if (old.goal.strip(), old.toolkit) == (goal, toolkit)), None)
    if toolkit not in rules.offered and old is None:
        shown = ", ".join(str(card) for card in sorted(rules.offered)[:80]) or "none"
        raise AnswerInvalid(
            f"toolkit {toolkit} is not offered; choose one of: {shown}", where=f"{where}.toolkit"
        )
    if old is None and (toolkit, goal) in rules.spent:
        raise AnswerInvalid(
            f"toolkit {toolkit} has failed at this goal; choose another one",
            where=f"{where}.toolkit",
        )
    return Step(number=index + 1, goal=goal, toolkit=toolkit, api=None if old is None else old.api)


def _numbers(
    entries: list[dict[str, Any]], before: Collection[Step], mended: list[str]
) -> Mapping[int, int]:
    """The new number of every step by the number that the answer gives it.

    Steps that count wrongly are numbered by their order, unless it is then unclear which steps
    their `needs` mean.
    """
    numbers = {old.number: i for i, old in enumerate(before, 1)}
    said: list[int] = []
    for index, entry in enumerate(entries):
        where = f"$.steps[{index}].number"
        number = whole_number(entry.get("number", index + 1 + len(before)), where)
        if number in numbers or number in said:
            if any(entry.get("needs") for entry in entries):
                raise AnswerInvalid(f"the number {number} is used twice", where=where)
            break
        said.append(number)
    else:
        return {**numbers, **{n: i for i, n in enumerate(said, len(before) + 1)}}
    mended.append("steps are numbered in their order")
    return numbers


def _parse_needs(
    entry: dict[str, Any], number: int, numbers: Mapping[int, int], where: str, mended: list[str]
) -> tuple[int, ...]:
    needs: set[int] = set()
    for index, one in enumerate(as_list(entry.get("needs") or [], f"{where}.needs")):
        said = whole_number(one, f"{where}.needs[{index}]")
        need = numbers.get(said, 0)
        if 1 <= need < number:
            needs.add(need)
        else:
            mended.append(f"step {number} cannot need step {said}, which does not come before it")
    return tuple(sorted(needs))


def _without_twins(steps: list[Step], n_kept: int, mended: list[str]) -> tuple[Step, ...]:
    """Each step once: the same goal, toolkit and needs give the same result. Finished steps, the
    first `n_kept`, stay."""
    kept: list[Step] = []
    moved: dict[int, int] = {}
    for step in steps:
        needs = tuple(sorted({moved[need] for need in step.needs}))
        key = (step.goal.casefold(), step.toolkit, needs)
        twin = next((k for k in kept if (k.goal.casefold(), k.toolkit, k.needs) == key), None)
        if twin is not None and step.number > n_kept:
            moved[step.number] = twin.number
            mended.append(f"step {step.number} is the same as step {twin.number}")
            continue
        moved[step.number] = len(kept) + 1
        kept.append(replace(step, number=len(kept) + 1, needs=needs))
    return tuple(kept)
