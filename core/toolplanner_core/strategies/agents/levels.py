"""The three kinds of agents: of the whole catalogue, of a category, of a few tools.

Source: AnyTool, arXiv 2402.04253, section 4.1 and table 8.
"""

from collections.abc import Sequence
from typing import Any

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.prompts.anytool import (
    CATEGORY,
    META,
    TOOL,
    category_functions,
    meta_functions,
    tool_functions,
)
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.render import block, cut, documentation, one_line
from toolplanner_core.strategies.agents.agent import Agent, page_of, texts_of, unknown
from toolplanner_core.strategies.agents.hunt import Hunt
from toolplanner_core.strategies.agents.kinds import CATEGORY_AGENT, FOUND, META_AGENT, TOOL_AGENT
from toolplanner_core.strategies.agents.shelves import ShelfNames
from toolplanner_core.strategies.browsing import Entry
from toolplanner_core.strategies.dialogue import Dialogue
from toolplanner_core.words.wording import counted

MOST_TOOLS = 5
"""Tools of one tool agent; a category that holds no more has one at once (Source: AnyTool, table
15)."""
_TOLD = 120
"""Characters of an API's description where many are listed."""
_DETAILS = 1500
_NO_MORE_AGENTS = "No further agent may be made: finish your search."


class MetaAgent(Agent):
    """Looks at all categories and gives them to agents."""

    level, kind, system = "meta", META_AGENT, META

    def __init__(self, hunt: Hunt) -> None:
        super().__init__(hunt, "Meta-agent")
        self._categories, self._tools, self._given = ShelfNames(), ShelfNames(), set[str]()

    async def _about(self, talk: Dialogue) -> str:
        entries = await self.hunt.shelves.categories()
        names = self._categories.add(entries)
        talk.offer(meta_functions(names))
        lines = [
            f"- {name} ({counted(entry.size, 'API')})"
            for name, entry in zip(names, entries, strict=True)
        ]
        return block("categories", "\n".join(lines)) if lines else ""

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        if call.name == "get_tools_descriptions":
            return described(self, self._tools, values)
        wanted = str(values.get("category", ""))
        category = self._categories.get(wanted)
        if call.name not in ("get_tools_in_category", "create_agent_category_level"):
            return unknown("function", [call.name])
        if category is None:
            return unknown("category", [wanted])
        if call.name == "get_tools_in_category":
            page = await self.hunt.shelves.tools(category, page=page_of(values))
            self.tell("looked", wanted)
            return self.hunt.shelves.listed(page, self._tools, of=category.id).told
        if wanted in self._given:
            return f"{wanted} has an agent already."
        if not self.hunt.may_have_another_agent():
            return _NO_MORE_AGENTS
        self._given.add(wanted)
        return CategoryAgent(self.hunt, category)


class CategoryAgent(Agent):
    """Looks at the tools of a category and gives them to agents."""

    level, kind, system = "category", CATEGORY_AGENT, CATEGORY

    def __init__(self, hunt: Hunt, category: Entry) -> None:
        super().__init__(hunt, f"Category {category.name}", category=category.name)
        self._category, self._tools, self._given = category, ShelfNames(), set[str]()
        self._few: Sequence[str] = ()

    async def _about(self, talk: Dialogue) -> str:
        shelves = self.hunt.shelves
        page = await shelves.tools(self._category)
        listed = shelves.listed(page, self._tools)
        self.tell("looked", counted(page.total, "tool"))
        if page.total <= MOST_TOOLS:
            self._few = listed.names
            return ""
        talk.offer(category_functions())
        return f"The tools of {self._category.name}:\n{block('tools', listed.told)}"

    async def _hand_over(self) -> str:
        self.is_finished = True
        if not self._few:
            return "there is nothing to search"
        agent = self._agent_of(list(self._few))
        if isinstance(agent, str):
            return agent
        self.tell("made", agent.title)
        await self.beside([agent])
        return f"all {counted(len(self._few), 'tool')} given to one agent"

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        match call.name:
            case "get_tools_descriptions":
                return described(self, self._tools, values)
            case "get_tools_in_category":
                page = await self.hunt.shelves.tools(self._category, page=page_of(values))
                return self.hunt.shelves.listed(page, self._tools).told
            case "create_agent_tool_level":
                return self._agent_of(texts_of(values, "tools"))
            case _:
                return unknown("function", [call.name])

    def _agent_of(self, names: list[str]) -> str | Agent:
        wanted = list(dict.fromkeys(name.strip() for name in names))
        missing = [name for name in wanted if self._tools.get(name) is None]
        if missing or not wanted:
            return unknown("tool", missing)
        if len(wanted) > MOST_TOOLS:
            return f"At most {MOST_TOOLS} tools for one agent."
        fresh = [name for name in wanted if name not in self._given]
        if not fresh:
            return "These tools have an agent already."
        if not self.hunt.may_have_another_agent():
            return _NO_MORE_AGENTS
        self._given.update(fresh)
        tools = [(name, tool) for name in fresh if (tool := self._tools.get(name)) is not None]
        return ToolAgent(self.hunt, self._category, tools)


class ToolAgent(Agent):
    """Looks at the APIs of a few tools and puts some into the pool."""

    level, kind, system = "tool", TOOL_AGENT, TOOL

    def __init__(self, hunt: Hunt, category: Entry, tools: Sequence[tuple[str, Entry]]) -> None:
        names = ", ".join(name for name, _ in tools)
        super().__init__(hunt, f"Tools {one_line(names, 120)}", tools=names)
        self._category, self._tools = category, dict(tools)
        self._apis = ShelfNames()
        self._found = 0

    async def _about(self, talk: Dialogue) -> str:
        shown = [f"{name}:\n{await self._listed(name, 1)}" for name in self._tools]
        talk.offer(tool_functions(list(self._tools), self._apis.all))
        return block("apis", "\n".join(shown))

    async def _listed(self, tool: str, page: int) -> str:
        shelves = self.hunt.shelves
        found = await shelves.apis(self._category, self._tools[tool], page=page)
        self.tell("looked", f"{tool} ({counted(found.total, 'API')})")
        return shelves.listed(found, self._apis, of=tool, told=_TOLD).told

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        match call.name:
            case "add_apis_into_api_pool":
                return await self._add(texts_of(values, "apis"))
            case "check_if_request_solvable":
                return await self.hunt.check()
            case "get_apis_in_tool":
                tool = str(values.get("tool", "")).strip()
                if tool not in self._tools:
                    return unknown("tool", [tool])
                return await self._listed(tool, page_of(values))
            case "get_api_details":
                return await self._details(texts_of(values, "apis"))
            case _:
                return unknown("function", [call.name])

    async def _add(self, names: list[str]) -> str:
        told: list[str] = []
        for name in dict.fromkeys(names):
            entry = self._apis.get(name)
            if entry is None:
                told.append(unknown("API", [name]))
            elif ApiId(entry.id) in self.hunt.useless:
                told.append(f"{name} was of no use before.")
            elif not self.hunt.add(ApiId(entry.id)):
                told.append(f"{name} is in the pool already, or the pool is full.")
            else:
                told.append(f"{name} is in the pool now.")
                await self._show(entry)
        return "\n".join(told) or unknown("API", [])

    async def _show(self, entry: Entry) -> None:
        """A node for what was found, which is a stop on the map."""
        api = await self.hunt.run.catalogue.api(ApiId(entry.id))
        self._found += 1
        async with self.hunt.run.node(FOUND, self._found, api.title, data={"api": api.id}):
            self.tell("added", api.title)

    async def _details(self, names: list[str]) -> str:
        parts: list[str] = []
        for name in dict.fromkeys(names[:10]):
            entry = self._apis.get(name)
            if entry is None:
                parts.append(unknown("API", [name]))
                continue
            api = await self.hunt.run.catalogue.api(ApiId(entry.id))
            parts.append(block("api", cut(documentation(api), _DETAILS)))
        return "\n".join(parts) or unknown("API", [])


def described(agent: Agent, tools: ShelfNames, values: dict[str, Any]) -> str:
    """Descriptions of tools that were listed."""
    names = texts_of(values, "tools")
    agent.tell("looked", *[name for name in names if tools.get(name)])
    lines = [
        f"- {name}: {one_line(entry.description) or 'no description'}"
        if (entry := tools.get(name)) is not None
        else unknown("tool", [name])
        for name in dict.fromkeys(names[:30])
    ]
    return block("tools", "\n".join(lines)) if lines else unknown("tool", [])
