"""The search of AnyTool without a hierarchy: one agent does what those of all levels do, and makes
no others.

Source: Du et al., AnyTool, arXiv 2402.04253, section 5.3 and table 3, where this is an ablation:
what the hierarchy is worth.
"""

from typing import Any

from toolplanner_core.prompts.anytool import FLAT, flat_functions
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.render import block
from toolplanner_core.strategies.agents.agent import (
    Agent,
    ApiAgent,
    described,
    page_of,
    unknown,
)
from toolplanner_core.strategies.agents.agent_search import META_AGENT, AgentSearch, EntryNames
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn
from toolplanner_core.strategies.interface.views import CatalogueEntry


class FlatAgent(ApiAgent):
    """Looks through categories, their tools and the APIs of these."""

    level, kind, system = "meta", META_AGENT, FLAT

    def __init__(self, hunt: AgentSearch) -> None:
        super().__init__(hunt, "The one agent")
        self._categories, self._tools = EntryNames(), EntryNames()
        self._category_of: dict[str, CatalogueEntry] = {}

    async def _about(self, talk: Dialogue) -> str:
        names = self._categories.add(await self.hunt.shelves.categories())
        self._offer(talk)
        return block("categories", "\n".join(f"- {name}" for name in names)) if names else ""

    def _offer(self, talk: Dialogue) -> None:
        """Its functions, over what it has listed so far."""
        talk.offer(flat_functions(self._categories.all, self._tools.all, self._apis.all))

    async def _act(self, talk: Dialogue, turn: Turn) -> list[Agent]:
        made = await super()._act(talk, turn)
        self._offer(talk)
        return made

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        match call.name:
            case "get_tools_in_category":
                return await self._list_tools(str(values.get("category", "")), page_of(values))
            case "get_tools_descriptions":
                return described(self, self._tools, values)
            case "get_apis_in_tool":
                name = str(values.get("tool", "")).strip()
                tool = self._tools.get(name)
                if tool is None:
                    return unknown("tool", [name])
                return await self.list_apis(self._category_of[name], name, tool, page_of(values))
            case _:
                return await super()._do(call, values)

    async def _list_tools(self, wanted: str, page: int) -> str:
        category = self._categories.get(wanted)
        if category is None:
            return unknown("category", [wanted])
        found = await self.hunt.shelves.tools(category, page=page)
        self.tell("looked", wanted)
        listed = self.hunt.shelves.listed(found, self._tools, of=category.id)
        self._category_of.update(dict.fromkeys(listed.names, category))
        return listed.told
