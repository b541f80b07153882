"""The answer that `MakePlan` and `Replan` share: steps over toolkits, its schema and its parser."""

from collections.abc import Collection, Iterable
from typing import Any

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
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

PLAN_FORM = (
    'Answer with one JSON object: {"steps": [{"number": 1, "goal": "...", "toolkit": ID, '
    '"needs": []}, ...], "unmet": ["...", ...]}. Numbers count up from 1. "needs" lists the '
    "numbers of the earlier steps whose results this step uses; leave it empty for a step that can "
    "run on its own. "
    '"unmet" lists, in words, the needs of the query that no offered toolkit can serve; make no '
    'step for them. "steps" is empty only when no toolkit can help.'
)

SINGLE_RULE = "\nEach toolkit here is one single API."
"""Said where plans are made over single APIs."""


def plan_schema(toolkits: Iterable[ToolkitId]) -> JsonSchema:
    """JSON Schema of a plan over these toolkits."""
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


def parse_plan(
    data: Any,
    *,
    offered: Collection[ToolkitId],
    max_steps: int,
    kept: Collection[Step] = (),
    spent: Collection[tuple[ToolkitId, str]] = (),
) -> Plan:
    """The validated plan.

    Args:
        kept: finished steps that may stand in the plan although their toolkit is not offered any
            more; one that is repeated keeps its `api`.
        spent: toolkits that failed at a goal, which they must not be used for again.

    Raises:
        AnswerInvalid: not a plan over the offered toolkits.
    """
    answer = as_object(data)
    listed = as_list(member(answer, "steps"), "$.steps")
    if len(listed) > max_steps:
        raise AnswerInvalid(
            f"the plan has {len(listed)} steps, at most {max_steps} are allowed", where="$.steps"
        )
    steps = tuple(_parse_step(entry, i, offered, kept) for i, entry in enumerate(listed))
    for index, step in enumerate(steps):
        if any((step.toolkit, step.goal) == pair for pair in spent):
            raise AnswerInvalid(
                f"toolkit {step.toolkit} has failed at this goal; choose another one",
                where=f"$.steps[{index}].toolkit",
            )
    return Plan(steps=steps, unmet=_parse_unmet(answer.get("unmet")))


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


def _parse_step(
    data: Any, index: int, offered: Collection[ToolkitId], kept: Collection[Step]
) -> Step:
    where = f"$.steps[{index}]"
    entry = as_object(data, where)
    number = as_int(member(entry, "number", where), f"{where}.number")
    if number != index + 1:
        raise AnswerInvalid(
            f"steps are numbered 1, 2, ... in order: expected {index + 1}, got {number}",
            where=f"{where}.number",
        )
    toolkit = ToolkitId(as_int(member(entry, "toolkit", where), f"{where}.toolkit"))
    needs = _parse_needs(member(entry, "needs", where), number, f"{where}.needs")
    goal = text_member(entry, "goal", where)
    old = next((old for old in kept if (old.goal.strip(), old.toolkit) == (goal, toolkit)), None)
    if toolkit not in offered and old is None:
        shown = ", ".join(str(card) for card in sorted(offered)[:80]) or "none"
        raise AnswerInvalid(
            f"toolkit {toolkit} is not offered; choose one of: {shown}", where=f"{where}.toolkit"
        )
    api = None if old is None else old.api
    return Step(number=number, goal=goal, toolkit=toolkit, needs=needs, api=api)


def _parse_needs(data: Any, number: int, where: str) -> tuple[int, ...]:
    needs: set[int] = set()
    for index, entry in enumerate(as_list(data, where)):
        need = as_int(entry, f"{where}[{index}]")
        if not 1 <= need < number:
            raise AnswerInvalid(
                f"step {number} can only need earlier steps, not step {need}",
                where=f"{where}[{index}]",
            )
        needs.add(need)
    return tuple(sorted(needs))
