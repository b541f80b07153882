"""Make a plan over toolkits, and revise it: the questions, the schema of a plan, its parser.

A plan that is almost right is mended where that cannot change what it means, and the plan says
what was mended: another answer to the same question would often be no better.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_int,
    as_list,
    as_object,
    describe,
    member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import (
    OBSERVATION_LIMIT,
    TOOLKIT_TEXT,
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
from toolplanner_core.prompts.values import coerce_value

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
    return as_int(coerce_value(data, {"type": "integer"}), where)


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


def _unknown_needs(data: Any, earlier: int) -> list[str]:
    """Steps that others need and no plan has, as "step 7".

    Args:
        earlier: steps of the plan before, which a revised plan may mean.
    """
    answer = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    steps = _listed(answer.get("steps"))
    rows = [cast("dict[str, Any]", step) for step in steps if isinstance(step, dict)]
    numbers = [row.get("number") for row in rows]
    said = [need for row in rows for need in _listed(row.get("needs"))]
    return [
        f"step {need}"
        for need in said
        if isinstance(need, int) and need not in numbers and not 1 <= need <= earlier + len(rows)
    ]


def _listed(data: Any) -> list[Any]:
    return cast("list[Any]", data) if isinstance(data, list) else []


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
        toolkit_text: characters of each toolkit's text that are shown; None = all.
    """

    id: ClassVar[str] = "make_plan"
    version: ClassVar[int] = 3
    title: ClassVar[str] = "Make a plan"
    role: ClassVar[Role] = Role.PLANNING
    offers: ClassVar[frozenset[str]] = frozenset({"toolkit"})

    query: str
    toolkits: tuple[ToolkitCard, ...]
    max_steps: int = 8
    single: bool = False
    searches: int = 0
    toolkit_text: int | None = TOOLKIT_TEXT

    def messages(self) -> list[Message]:
        return chat(
            prompt(
                "make_plan",
                single=SINGLE_RULE if self.single else "",
                search=_SEARCH if self.searches else "",
                max_steps=self.max_steps,
            ),
            block("toolkits", toolkit_lines(self.toolkits, self.toolkit_text)),
            block("query", self.query),
        )

    def schema(self) -> JsonSchema:
        search = {"type": "array", "items": {"type": "string"}}
        more = {"search": search} if self.searches else {}
        return plan_schema((card.id for card in self.toolkits), **more)

    def not_offered(self, data: Any) -> Iterable[str]:
        named = in_answer(data, self.schema(), self.offers)
        return [*named, *_unknown_needs(data, 0)]

    def parse(self, data: Any) -> Plan | MoreWanted:
        answer = as_object(data)
        wanted = answer.get("search")
        if self.searches and isinstance(wanted, list) and not answer.get("steps"):
            words = [w.strip() for w in wanted if isinstance(w, str) and w.strip()]
            if words:
                return MoreWanted(words=tuple(dict.fromkeys(words))[:3])
        offered = {card.id for card in self.toolkits}
        return parse_plan(answer, PlanRules(offered=offered, max_steps=self.max_steps))


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
        toolkit_text: characters of each toolkit's text that are shown; None = all.
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
    toolkit_text: int | None = TOOLKIT_TEXT

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
            block("toolkits", toolkit_lines(self.toolkits, self.toolkit_text)),
            block(
                "exhausted",
                "\n".join([toolkit_lines(self.exhausted, self.toolkit_text), *spent]).strip(),
            ),
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

    def not_offered(self, data: Any) -> Iterable[str]:
        # A finished step may be repeated with the toolkit that it had.
        repeated = {card.id for card in self.toolkits} | {
            step.toolkit for step in self.finished_steps if step.toolkit is not None
        }
        schema = plan_schema(repeated)
        return [
            *in_answer(data, schema, {"toolkit"}),
            *_unknown_needs(data, max((step.number for step in self.plan.steps), default=0)),
        ]

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
