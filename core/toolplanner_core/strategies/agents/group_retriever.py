"""The plain agent as retriever: the whole catalogue is read group by group, and what a group holds
of use goes into the pool, until that is enough.

Source: AnyTool, arXiv 2402.04253, section 5.2 (groups of 500 names, one after the other) and
appendix A.4 with table 10 (names; with descriptions in groups of 100; with details in groups of
50; after each addition it is asked whether the query is solvable; no reflection).
"""

from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.prompts.api_groups import ChooseOfGroup
from toolplanner_core.prompts.render import cut, documentation, one_line
from toolplanner_core.strategies.agents.agent_search import FOUND
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.views import CatalogueEntry, CataloguePage
from toolplanner_core.words.formatting import counted

Told = Literal["names", "descriptions", "details"]
GROUP_SIZES: dict[Told, int] = {"names": 500, "descriptions": 100, "details": 50}
"""APIs of one group, by what is told of each."""
_DESCRIPTION, _DETAILS = 200, 600
"""Characters of one API."""

API_GROUP = NodeKind(
    id="api_group",
    word="group",
    icon="format-list-numbered",
    is_unit=False,
    is_numbered=True,
    shown=(ShownField("chosen", "Chosen"), ShownField("pool", "Pool", is_column=True)),
)


@dataclass(slots=True, kw_only=True)
class GroupRetriever:
    """The search of one run.

    Attributes:
        told: what is told of each API.
        size: APIs of a group, None = as the paper has it for what is told.
        most_groups: read at most; most: APIs in the pool.
    """

    run: RunScope
    told: Told
    size: int | None
    most_groups: int
    most: int

    async def find(self) -> list[Api]:
        """The APIs that the query may need, in the order in which they were found."""
        size, pool = self.size or GROUP_SIZES[self.told], dict[ApiId, Api]()
        for number in range(1, self.most_groups + 1):
            page = await self.run.catalogue.browse("api", page=number, size=size)
            if not page.entries:
                break
            title = f"Group {number} of {-(-page.total // size)}"
            async with self.run.node(API_GROUP, number, title) as node:
                is_over = await self._read(page, pool, node)
            if is_over or number * size >= page.total:
                break
        return list(pool.values())

    async def _read(self, page: CataloguePage, pool: dict[ApiId, Api], node: OpenNode) -> bool:
        """Put what a group holds into the pool; whether nothing more has to be looked for."""
        listed = tuple([await self._line(entry) for entry in page.entries])
        query = self.run.task.query
        try:
            chosen = await self.run.ask(ChooseOfGroup(query=query, listed=listed))
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            node.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
            return False
        for position in chosen[: self.most - len(pool)]:
            api = await self.run.catalogue.api(ApiId(page.entries[position].id))
            if api.id not in pool:
                pool[api.id] = api
                async with self.run.node(FOUND, len(pool), api.title, data={"api": api.id}):
                    pass
        found = "\n".join(page.entries[position].name for position in chosen)
        node.tell(chosen=found, pool=len(pool))
        if len(pool) >= self.most:
            node.end(NodeState.OK, f"the pool is full ({counted(self.most, 'API')})")
            return True
        return bool(chosen) and await self._is_enough(pool, node)

    async def _is_enough(self, pool: dict[ApiId, Api], node: OpenNode) -> bool:
        question = CheckSolvable(query=self.run.task.query, apis=tuple(pool.values()))
        try:
            judged = await self.run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return False
        if judged.solved:
            node.end(NodeState.OK, "the pool was found to be enough")
        return judged.solved

    async def _line(self, entry: CatalogueEntry) -> str:
        if self.told == "names":
            return one_line(entry.name, _DESCRIPTION)
        if self.told == "descriptions":
            return one_line(f"{entry.name}: {entry.description}", _DESCRIPTION)
        api = await self.run.catalogue.api(ApiId(entry.id))
        return cut(documentation(api), _DETAILS)
