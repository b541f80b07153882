"""What a planner may choose from: toolkits, or single APIs where plans are made without toolkits.

Both are offered as numbered cards, so that one question and one answer do for both (Source:
Tool-Planner, arXiv 2406.03807, table 4: the same planner with and without toolkits). A single API
gets the number under which it was first offered.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.plan import Plan
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.strategies.scope import RunScope

_FOR_MORE = 15
"""Cards for a text besides the query: the goal of a failed step, what a planner looks for."""


class Offering:
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
