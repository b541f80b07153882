"""Plans of one run: the first one, after looking for more toolkits if the planner wants to, and
revisions. It knows what is used up: toolkits whose services failed, and toolkits that failed at a
goal and may still serve another. Source: Tool-Planner (arXiv 2406.03807), algorithm 1.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.make_plan import MakePlan, MoreWanted
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.prompts.replan import Replan
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.strategies.toolkits.kinds import SEARCH
from toolplanner_core.strategies.toolkits.offering import Offering
from toolplanner_core.strategies.toolkits.steps import StepOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerLimits:
    """What a planner may do.

    Attributes:
        searches: how often it may look for more toolkits before the first plan.
        observation: characters of a result that it is shown.
    """

    max_steps: int
    searches: int
    observation: int
    single: bool


class Planning:
    """Asks for plans over what an `Offering` offers."""

    def __init__(
        self, run: RunScope, query: str, offering: Offering, limits: PlannerLimits
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
