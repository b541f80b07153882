"""Plans of one run: the first one, after looking for more toolkits if the planner wants to, and
revisions. It knows what is used up: toolkits whose services failed, and toolkits that failed at a
goal and may still serve another. Source: Tool-Planner (arXiv 2406.03807), algorithm 1.

A revised plan takes finished steps over, so that nothing is executed twice; which needs it leaves
open is known, so that the answer says so.

Tool-Planner goes on at the lowest common ancestor of the old and the new plan: the end of their
longest common prefix (Source: arXiv 2406.03807, algorithm 1). With independent steps in parallel,
finished steps may stand behind that prefix; those that the new plan repeats are kept as well.

A planner chooses from toolkits, or from single APIs where plans are made without toolkits. Both are
offered as numbered cards, so that one question and one answer do for both (Source: Tool-Planner,
arXiv 2406.03807, table 4: the same planner with and without toolkits). A single API gets the number
under which it was first offered."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.make_plan import MakePlan, MoreWanted, Replan
from toolplanner_core.prompts.render import FailureCard, StepResult, ToolkitCard
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.toolkits.plan_nodes import SEARCH
from toolplanner_core.strategies.toolkits.steps import StepOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOver:
    """What is kept.

    Attributes:
        keeps: length of the common prefix of finished steps.
        old_numbers: number in the old plan of every kept step, by its number in the new plan.
    """

    keeps: int = 0
    old_numbers: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def also_kept(self) -> tuple[int, ...]:
        """Numbers (in the new plan) of kept steps behind the prefix."""
        return tuple(sorted(number for number in self.old_numbers if number > self.keeps))


def carry_over(old: Plan, new: Plan, finished: Collection[int]) -> CarryOver:
    """Match the steps of `new` with finished steps of `old`.

    A step is kept if a finished step of the old plan has the same goal and toolkit and needs the
    results of the same, also kept, steps. Each old step is taken over once.

    Args:
        finished: numbers of the old plan's steps that have a result.
    """
    old_numbers: dict[int, int] = {}
    for step in new.steps:
        match = next(
            (
                candidate.number
                for candidate in old.steps
                if candidate.number in finished
                and candidate.number not in old_numbers.values()
                and _is_same(candidate, step, old_numbers)
            ),
            None,
        )
        if match is not None:
            old_numbers[step.number] = match
    keeps = 0
    for step, before in zip(new.steps, old.steps, strict=False):
        if old_numbers.get(step.number) != before.number or step.number != before.number:
            break
        keeps += 1
    return CarryOver(keeps=keeps, old_numbers=old_numbers)


def _is_same(old: Step, new: Step, old_numbers: dict[int, int]) -> bool:
    if any(need not in old_numbers for need in new.needs):
        return False
    needs = tuple(old_numbers[need] for need in new.needs)
    return (old.goal, old.toolkit, sorted(old.needs)) == (new.goal, new.toolkit, sorted(needs))


def dropped_goals(old: Plan, new: Plan, finished: Collection[int]) -> list[str]:
    """Goals of unfinished steps of `old` that `new` does not take up, in plan order.

    A need counts as taken up again if the new plan has a step with its goal, or a step that is new:
    a replan may reach a goal in another way.
    """
    goals = {step.goal for step in new.steps}
    known = {step.goal for step in old.steps}
    new_ways = sum(step.goal not in known for step in new.steps)
    missing = [
        step.goal for step in old.steps if step.number not in finished and step.goal not in goals
    ]
    return missing[new_ways:]


def next_wave(
    plan: Plan, done: Collection[int], failed: Collection[int] = (), *, parallel: bool
) -> list[Step]:
    """The steps that can run now, in plan order; one at most if not `parallel`.

    A step runs when all steps whose results it needs are done (Source: LLMCompiler, arXiv
    2312.04511). Empty when the plan is finished, or what is left needs a step that failed.

    Args:
        done: numbers of the steps that have a result.
        failed: numbers of the steps that cannot be done.
    """
    ready = [
        step
        for step in plan.steps
        if step.number not in done
        and step.number not in failed
        and all(need in done for need in step.needs)
    ]
    return ready if parallel else ready[:1]


_FOR_MORE = 15
"""Cards for a text besides the query: the goal of a failed step, what a planner looks for."""


class PlannerOffers:
    """Cards of one run.

    Args:
        n: cards for one text at most.
        single: offer APIs instead of toolkits.
    """

    def __init__(self, run: RunScope, n: int, *, single: bool) -> None:
        self._run, self._n, self._single = run, n, single
        self._seen: dict[ToolkitId, ToolkitCard] = {}
        self._numbers: dict[ApiId, ToolkitId] = {}

    async def cards(
        self, texts: Sequence[str], *, without: Collection[ToolkitId]
    ) -> tuple[ToolkitCard, ...]:
        """What fits the texts, best for the first text first; never more than for one text: each
        of the others gets up to `_FOR_MORE` places of those."""
        more = min(_FOR_MORE, self._n // 2 // max(len(texts) - 1, 1))
        found: dict[ToolkitId, ToolkitCard] = {}
        for index, text in enumerate(texts):
            room = max(more if index else self._n - more * (len(texts) - 1), 1)
            fitting = await self._look_up(text, room + len(found), without)
            new = [card for card in fitting if card.id not in found and card.id not in without]
            found.update((card.id, card) for card in new[:room])
        self._seen.update(found)
        return tuple(found.values())

    def seen(self, ids: Collection[ToolkitId]) -> tuple[ToolkitCard, ...]:
        """Cards that were offered before, by their numbers."""
        return tuple(self._seen[one] for one in sorted(ids) if one in self._seen)

    def settled(self, plan: Plan) -> Plan:
        """The plan; over single APIs its steps name them."""
        if not self._single:
            return plan
        apis = {number: api for api, number in self._numbers.items()}
        steps = (
            step if step.toolkit is None else replace(step, api=apis.get(step.toolkit))
            for step in plan.steps
        )
        return replace(plan, steps=tuple(steps))

    def name_of(self, number: ToolkitId | None) -> str:
        """Of a toolkit or API that was offered, for people."""
        if number is None:
            return "the step"
        card = self._seen.get(number)
        return card.name if card is not None else self._run.toolkits.name_of(number)

    async def _look_up(
        self, text: str, n: int, without: Collection[ToolkitId]
    ) -> list[ToolkitCard]:
        if not self._single:
            kits = await self._run.toolkits.shortlist(text, n, without=sorted(without))
            return [
                ToolkitCard(
                    id=item.toolkit.id,
                    name=item.toolkit.name,
                    description=item.toolkit.description,
                    score=item.score,
                    is_curated=item.toolkit.is_curated,
                )
                for item in kits
            ]
        apis = await self._run.catalogue.search(text, n + len(without))
        return [
            ToolkitCard(
                id=self._numbers.setdefault(item.api.id, ToolkitId(len(self._numbers) + 1)),
                name=item.api.title,
                description=item.api.description or item.api.tool_description,
                score=item.score,
            )
            for item in apis
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerLimits:
    """What a planner may do.

    Attributes:
        searches: how often it may look for more toolkits before the first plan.
        observation: characters of a result that it is shown.
        toolkit_text: characters of each toolkit's text that it is shown; None = all.
    """

    max_steps: int
    searches: int
    observation: int
    toolkit_text: int | None
    single: bool


class Planning:
    """Asks for plans over what an `PlannerOffers` offers."""

    def __init__(
        self, run: RunScope, query: str, offering: PlannerOffers, limits: PlannerLimits
    ) -> None:
        self._run, self._query = run, query
        self._offering, self._limits = offering, limits
        self._exhausted: set[ToolkitId] = set()
        self._spent: set[tuple[ToolkitId, str]] = set()
        self._older: list[Plan] = []

    async def first(self) -> Plan:
        """A plan for the query."""
        texts, limits = [self._query], self._limits
        cards = await self._offering.cards(texts, without=())
        for number in range(1, limits.searches + 2):
            answer = await self._run.ask(
                MakePlan(
                    query=self._query,
                    toolkits=cards,
                    max_steps=limits.max_steps,
                    single=limits.single,
                    searches=limits.searches + 1 - number,
                    toolkit_text=limits.toolkit_text,
                )
            )
            if not isinstance(answer, MoreWanted):
                return await self._settled(answer)
            texts += answer.words
            known = {card.id for card in cards}
            title = f"Search · {', '.join(answer.words)}"
            async with self._run.node(SEARCH, number, title) as node:
                cards = await self._offering.cards(texts, without=())
                new = [card.name for card in cards if card.id not in known]
                node.tell(found=new or ["nothing new"])
        raise AssertionError("the last question allows no search")

    async def revised(
        self,
        plan: Plan,
        failed: StepOutcome,
        finished: tuple[StepResult, ...],
        failures: Sequence[FailureCard],
    ) -> Plan:
        """A plan in the place of one that failed at a step.

        Raises:
            ModelGaveUp: the model has none.
        """
        done = {result.step for result in finished}
        # What failed at one goal only is offered again where another open step needs it.
        needed = {
            step.toolkit
            for step in plan.steps
            if step.number not in done and not self.is_used_up(step)
        }
        without = self._exhausted | ({toolkit for toolkit, _ in self._spent} - needed)
        texts = [self._query, failed.step.goal]
        answer = await self._run.ask(
            Replan(
                query=self._query,
                plan=plan,
                older=tuple(self._older),
                failed_step=failed.step.number,
                finished=finished,
                failures=tuple(failures),
                toolkits=await self._offering.cards(texts, without=without),
                exhausted=self._offering.seen(without),
                spent=tuple(sorted(self._spent)),
                max_steps=self._limits.max_steps,
                single=self._limits.single,
                limit=self._limits.observation,
                toolkit_text=self._limits.toolkit_text,
            )
        )
        self._older.append(plan)
        return await self._settled(answer)

    def use_up(self, outcomes: Collection[StepOutcome]) -> None:
        """What steps exhausted is not planned with again."""
        for outcome in outcomes:
            toolkit, goal = outcome.step.toolkit, outcome.step.goal
            if toolkit is None:
                continue
            if outcome.whole:
                self._exhausted.add(toolkit)
            else:
                self._spent.add((toolkit, goal))

    def is_used_up(self, step: Step) -> bool:
        """Whether a step cannot be done by its toolkit any more."""
        return step.toolkit in self._exhausted or (step.toolkit, step.goal) in self._spent

    async def _settled(self, plan: Plan) -> Plan:
        if plan.mended:
            await self._run.note(f"The plan was mended: {'; '.join(plan.mended)}")
        return self._offering.settled(plan)
