"""One agent: a conversation of its own that goes on until it finishes or the search is over.

Agents that it makes work at the same time as it goes on itself. What it finds is on the board of
the run, so that every other agent sees it. Source: AnyTool, arXiv 2402.04253, section 4.1.
There are three kinds: of the whole catalogue, of a category, of a few tools (table 8)."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, ClassVar, cast

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.prompts.anytool import (
    META,
    TOOL,
    category_functions,
    category_text,
    meta_functions,
    tool_functions,
    wake_text,
)
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import CALL_SOMETHING
from toolplanner_core.prompts.render import block, cut, documentation, query_text
from toolplanner_core.prompts.render import one_line as description_line
from toolplanner_core.strategies.agents.agent_search import (
    CATEGORY_AGENT,
    FOUND,
    META_AGENT,
    TOOL_AGENT,
    AgentSearch,
    EntryNames,
    WokenAgent,
)
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode
from toolplanner_core.strategies.interface.views import CatalogueEntry
from toolplanner_core.words.formatting import counted, one_line


class Agent(ABC):
    """An agent of any level.

    Attributes:
        title: for people.
        is_finished: it said so itself, or has nothing to search; it is not woken any more.
        path: where it stands in the tree at first; () before.
        data: what it is about, as its node says it.
    """

    level: ClassVar[str]
    kind: ClassVar[NodeKind]
    system: str
    """What it is told first."""

    def __init__(self, hunt: AgentSearch, title: str, **data: Any) -> None:
        self.hunt, self.title, self.data = hunt, title, data
        self.is_finished = False
        self.path = ""
        self._talk: Dialogue | None = None
        self._node: OpenNode | None = None
        self._seen: dict[str, list[str]] = {}
        self._children: dict[str, int] = {}

    async def work(self, number: int, *, woken: WokenAgent | None = None) -> str:
        """Search, below a node of its own, until this and all that it made has ended; why it
        did."""
        data = dict(self.data) | ({"why": woken.reason} if woken else {})
        title = f"{self.title}, again" if woken else self.title
        cause = woken.seq if woken else None
        async with self.hunt.run.node(self.kind, number, title, data=data, cause=cause) as node:
            self._node = node
            self._seen, self._children = {}, {}
            if not self.path:
                self.path = node.path
                self.hunt.agents.append(self)
            try:
                ended = await self._begin(woken)
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
                node.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
                return gave_up.message
            node.end(NodeState.OK, ended)
            return ended

    async def _begin(self, woken: WokenAgent | None) -> str:
        if why := self.hunt.over():
            return f"not begun: {why}"
        if self._talk is None:
            self._talk = await self._introduced()
            if self._talk is None:
                return await self._hand_over()
        elif woken is not None:
            self._talk.say(wake_text(self.level, woken.reason))
        return await self._go_on(self._talk, 0)

    async def _introduced(self) -> Dialogue | None:
        """The conversation with what it must know at first; None = there is nothing to ask."""
        run = self.hunt.run
        talk = run.dialogue(self.system, (), name="search", title="Search")
        about = await self._about(talk)
        if about:
            talk.say(f"{query_text(run.task.query)}\n\n{about}")
        return talk if about else None

    @abstractmethod
    async def _about(self, talk: Dialogue) -> str:
        """What it has to search, in words; its functions are offered in `talk`. "" = no question
        is needed."""

    async def _hand_over(self) -> str:
        """What is done where no question is needed."""
        self.is_finished = True
        return "there is nothing to search"

    @abstractmethod
    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> "str | Agent":
        """Do what a function says: what its result is, or another agent that begins to work."""

    async def _go_on(self, talk: Dialogue, asked: int) -> str:
        """Turn after turn; why it ended."""
        hunt = self.hunt
        while True:
            if self.is_finished:
                return "its search is at its end"
            if why := hunt.over():
                return why
            if asked >= hunt.limits.questions:
                return f"stopped after {counted(asked, 'question')}"
            asked += 1
            turn = await talk.reply()
            made = await self._act(talk, turn)
            if made:
                return (await self.beside(made, partial(self._go_on, talk, asked)))[0]

    async def _act(self, talk: Dialogue, turn: Turn) -> "list[Agent]":
        made: list[Agent] = []
        if not turn.calls:
            talk.say(CALL_SOMETHING)
        for call in turn.calls:
            values = call.values()
            if values is None:
                talk.result(call, "The arguments are no JSON object")
                continue
            if call.name == "finish_search":
                self.is_finished = True
                talk.result(call, "Your search is at its end.")
                continue
            came_to = await self._do(call, values)
            if isinstance(came_to, Agent):
                made.append(came_to)
                self.tell("made", came_to.title)
            told = "An agent searches there now." if isinstance(came_to, Agent) else came_to
            talk.result(call, told)
        return made

    async def beside(self, made: "list[Agent]", *others: Callable[[], Awaitable[str]]) -> list[str]:
        """Let agents work, and at the same time what else is to be done; why each ended, that of
        the others first."""
        branches = (*others, *[self._branch(agent) for agent in made])
        ended: list[str] = []
        for result in await self.hunt.run.gather(*branches):
            if isinstance(result, Exception):
                raise result
            ended.append(result)
        return ended

    def _branch(self, agent: "Agent") -> Callable[[], Awaitable[str]]:
        number = self._children.get(agent.kind.id, 0) + 1
        self._children[agent.kind.id] = number
        return lambda: agent.work(number)

    def tell(self, name: str, *what: str) -> None:
        """Say at its node what it did: looked at, added, or gave to others."""
        seen = self._seen.setdefault(name, [])
        seen += [one_line(each, 120) for each in what if each not in seen]
        if self._node is not None and what:
            self._node.tell(**{name: ", ".join(seen)})


def texts_of(values: dict[str, Any], name: str) -> list[str]:
    """A list of texts among the arguments of a function; one text counts as a list."""
    given = values.get(name)
    several = cast("list[Any]", given) if isinstance(given, list) else [given]
    return [str(each) for each in several if each not in (None, "")]


def page_of(values: dict[str, Any]) -> int:
    """The page that is wanted."""
    page = values.get("page")
    return page if isinstance(page, int) and page > 0 else 1


def unknown(what: str, wanted: list[str]) -> str:
    """There is none of these names."""
    names = ", ".join(wanted) or "(no name)"
    return f"There is no {what} {one_line(names, 300)}. Use the names as they were listed."


_TOLD = 120
"""Characters of an API's description where many are listed."""
_DETAILS = 1500
_NO_MORE_AGENTS = "No further agent may be made: finish your search."


class MetaAgent(Agent):
    """Looks at all categories and gives them to agents."""

    level, kind, system = "meta", META_AGENT, META

    def __init__(self, hunt: AgentSearch) -> None:
        super().__init__(hunt, "Meta-agent")
        self._categories, self._tools, self._given = EntryNames(), EntryNames(), set[str]()

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

    level, kind = "category", CATEGORY_AGENT

    def __init__(self, hunt: AgentSearch, category: CatalogueEntry) -> None:
        super().__init__(hunt, f"Category {category.name}", category=category.name)
        self.system = category_text(hunt.limits.tools)
        self._category, self._tools, self._given = category, EntryNames(), set[str]()
        self._few: Sequence[str] = ()

    async def _about(self, talk: Dialogue) -> str:
        shelves = self.hunt.shelves
        page = await shelves.tools(self._category)
        listed = shelves.listed(page, self._tools)
        self.tell("looked", counted(page.total, "tool"))
        if page.total <= self.hunt.limits.tools:
            self._few = listed.names
            return ""
        talk.offer(category_functions(self.hunt.limits.tools))
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
        if len(wanted) > (most := self.hunt.limits.tools):
            return f"At most {counted(most, 'tool')} for one agent."
        fresh = [name for name in wanted if name not in self._given]
        if not fresh:
            return "These tools have an agent already."
        if not self.hunt.may_have_another_agent():
            return _NO_MORE_AGENTS
        self._given.update(fresh)
        tools = [(name, tool) for name in fresh if (tool := self._tools.get(name)) is not None]
        return ToolAgent(self.hunt, self._category, tools)


class ApiAgent(Agent):
    """Looks at the APIs of tools and puts some into the pool."""

    def __init__(self, hunt: AgentSearch, title: str, **data: Any) -> None:
        super().__init__(hunt, title, **data)
        self._apis = EntryNames()
        self._found = 0

    async def list_apis(
        self, category: CatalogueEntry, name: str, tool: CatalogueEntry, page: int
    ) -> str:
        """A page of the APIs of a tool, by the name under which it was listed."""
        found = await self.hunt.shelves.apis(category, tool, page=page)
        self.tell("looked", f"{name} ({counted(found.total, 'API')})")
        return self.hunt.shelves.listed(found, self._apis, of=name, told=_TOLD).told

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        match call.name:
            case "add_apis_into_api_pool":
                return await self._add(texts_of(values, "apis"))
            case "check_if_request_solvable":
                return await self.hunt.check()
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

    async def _show(self, entry: CatalogueEntry) -> None:
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


class ToolAgent(ApiAgent):
    """Looks at the APIs of a few tools that a category agent gave it."""

    level, kind, system = "tool", TOOL_AGENT, TOOL

    def __init__(
        self,
        hunt: AgentSearch,
        category: CatalogueEntry,
        tools: Sequence[tuple[str, CatalogueEntry]],
    ) -> None:
        names = ", ".join(name for name, _ in tools)
        super().__init__(hunt, f"Tools {description_line(names, 120)}", tools=names)
        self._category, self._tools = category, dict(tools)

    async def _about(self, talk: Dialogue) -> str:
        shown = [f"{name}:\n{await self._listed(name, 1)}" for name in self._tools]
        talk.offer(tool_functions(list(self._tools), self._apis.all))
        return block("apis", "\n".join(shown))

    async def _listed(self, tool: str, page: int) -> str:
        return await self.list_apis(self._category, tool, self._tools[tool], page)

    async def _do(self, call: FunctionCall, values: dict[str, Any]) -> str | Agent:
        if call.name != "get_apis_in_tool":
            return await super()._do(call, values)
        tool = str(values.get("tool", "")).strip()
        return (
            await self._listed(tool, page_of(values))
            if tool in self._tools
            else unknown("tool", [tool])
        )


def described(agent: Agent, tools: EntryNames, values: dict[str, Any]) -> str:
    """Descriptions of tools that were listed."""
    names = texts_of(values, "tools")
    agent.tell("looked", *[name for name in names if tools.get(name)])
    lines = [
        f"- {name}: {description_line(entry.description) or 'no description'}"
        if (entry := tools.get(name)) is not None
        else unknown("tool", [name])
        for name in dict.fromkeys(names[:30])
    ]
    return block("tools", "\n".join(lines)) if lines else unknown("tool", [])
