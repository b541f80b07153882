"""What all agents of one run share: the pool, what ends their search, and who there is.

Its nodes and stop points are declared here. Agents see the catalogue as a hierarchy of three
levels: categories, tools, APIs; or, where a catalogue has no categories worth the name, the regions
of the map, their toolkits, and the APIs of these."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, ShownField
from toolplanner_core.domain.stop_points import Choice, StopPoint
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.prompts.render import one_line
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.views import CatalogueEntry, CataloguePage
from toolplanner_core.words.formatting import count

_SEEN = (
    ShownField("looked", "Looked at"),
    ShownField("made", "Gave work to"),
    ShownField("added", "Added"),
)

ROUND = NodeKind(
    id="search_round",
    word="round",
    icon="autorenew",
    is_numbered=True,
    is_unit=False,
    counted="reflections",
    counted_from=2,
    shown=(
        ShownField("why", "Why"),
        ShownField("woken", "WokenAgent"),
        ShownField("removed", "Left the pool"),
        ShownField("pool", "Pool", is_column=True),
    ),
)
META_AGENT = NodeKind(id="meta_agent", word="meta-agent", icon="sitemap-outline", shown=_SEEN)
CATEGORY_AGENT = NodeKind(
    id="category_agent",
    word="category agent",
    icon="folder-search-outline",
    identity=("category",),
    compared=("category",),
    shown=_SEEN,
)
TOOL_AGENT = NodeKind(
    id="tool_agent",
    word="tool agent",
    icon="magnify",
    identity=("tools",),
    compared=("tools",),
    shown=_SEEN,
)
FOUND = NodeKind(
    id="found_api",
    word="pooled API",
    icon="tray-plus",
    on_map=True,
    identity=("api",),
    compared=("api",),
)
SOLVING = NodeKind(id="pool_solver", word="solver", icon="puzzle-outline", is_unit=False)

WAKE = StopPoint(
    id="before_reflection",
    kind="reflection",
    word="Before agents are woken:",
    event="agents are about to be woken, since the query is not solved",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Wake these",
    take_hint="Choose who searches on.",
    skip="End the search",
    skip_hint="Nobody is woken, and the run ends unsolved.",
    chosen_word="WokenAgent",
)

AGENT_KINDS = (ROUND, META_AGENT, CATEGORY_AGENT, TOOL_AGENT, FOUND, SOLVING)


By = Literal["auto", "categories", "toolkits"]

_MOST = 500
"""Categories that are read at all: all are named to the first agent."""


class EntryNames:
    """What a level holds, by names that are unique among what one agent has seen."""

    def __init__(self) -> None:
        self._by_name: dict[str, CatalogueEntry] = {}
        self._names: dict[tuple[str, str], str] = {}

    def add(self, entries: Iterable[CatalogueEntry], *, of: str = "") -> list[str]:
        """The names of some entries; `of` tells apart those of different places."""
        found: list[str] = []
        for entry in entries:
            key = (of, entry.id)
            if key not in self._names:
                self._names[key] = self._free(one_line(entry.name, 120) or "without a name")
                self._by_name[self._names[key]] = entry
            found.append(self._names[key])
        return found

    def _free(self, name: str) -> str:
        """The name, or with a number where another entry has it."""
        number, free = 1, name
        while free in self._by_name:
            number += 1
            free = f"{name} #{number}"
        return free

    def get(self, name: str) -> CatalogueEntry | None:
        """What has this name."""
        return self._by_name.get(name.strip())

    @property
    def all(self) -> Sequence[str]:
        """All names, in the order in which they were seen."""
        return list(self._by_name)


class ListedPage(NamedTuple):
    """A page of a level: the names on it, and as it is told."""

    names: list[str]
    told: str


class CatalogueHierarchy:
    """The hierarchy of one run.

    Args:
        by: what its levels are; "auto" = categories if there are at least two.
        page_size: tools or APIs on one page.
    """

    def __init__(self, run: RunScope, *, by: By, page_size: int) -> None:
        self._run, self._by, self._page_size = run, by, page_size

    async def categories(self) -> list[CatalogueEntry]:
        """The upper level; what has no name is left out."""
        if self._by != "toolkits":
            page = await self._run.catalogue.browse("category", size=_MOST)
            found = [entry for entry in page.entries if entry.id]
            if self._by == "categories" or len(found) > 1:
                self._by = "categories"
                return found
        self._by = "toolkits"
        return list((await self._run.catalogue.browse("region", size=_MOST)).entries)

    async def tools(self, category: CatalogueEntry, *, page: int = 1) -> CataloguePage:
        """A page of what is below a category."""
        size, browse = self._page_size, self._run.catalogue.browse
        if self._by == "categories":
            return await browse("tool", page=page, size=size, category=category.id)
        return await browse("toolkit", page=page, size=size, region=category.id)

    async def apis(
        self, category: CatalogueEntry, tool: CatalogueEntry, *, page: int = 1
    ) -> CataloguePage:
        """A page of what is below a tool."""
        size, browse = self._page_size, self._run.catalogue.browse
        if self._by == "categories":
            return await browse("api", page=page, size=size, category=category.id, tool=tool.id)
        return await browse("api", page=page, size=size, toolkit=tool.id)

    def listed(
        self, page: CataloguePage, names: EntryNames, *, of: str = "", told: int = 0
    ) -> ListedPage:
        """A page in words for a model.

        Args:
            told: characters of descriptions; 0 = names alone.
        """
        shown = names.add(page.entries, of=of)
        lines = [
            f"- {name}: {one_line(entry.description, told)}"
            if told and entry.description.strip()
            else f"- {name}"
            for name, entry in zip(shown, page.entries, strict=True)
        ]
        pages = -(-page.total // self._page_size)
        if pages > 1:
            lines.append(f"(page {page.page} of {pages})")
        return ListedPage(shown, "\n".join(lines) if shown else "There is nothing here.")


_POOL = "pool"
_ENDED = "search ended"


class WokenAgent(NamedTuple):
    """Why an agent is woken; `seq` is the event that is the cause."""

    reason: str
    seq: int


class SearchingAgent(Protocol):
    """An agent, as those see it who wake it.

    Attributes:
        is_finished: it said so itself, or has nothing to search; it is not woken any more.
        path: where it first stood in the tree.
    """

    title: str
    level: ClassVar[str]
    path: str
    is_finished: bool

    async def work(self, number: int, *, woken: WokenAgent | None = None) -> str:
        """Search until the end; why it ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSearchLimits:
    """What a search may take.

    Attributes:
        questions: of one agent, each time it works.
        pool: APIs in the pool.
        tokens: of the whole run.
        agents: that work at all.
        tools: of one tool agent; a category that holds no more has one at once.
    """

    questions: int
    pool: int
    tokens: int
    agents: int
    tools: int


class AgentSearch:
    """The search of one run.

    Attributes:
        agents: all that have worked, in the order in which they began.
        useless: APIs that a solver found to be of no use; they do not come back.
    """

    def __init__(
        self, run: RunScope, shelves: CatalogueHierarchy, limits: AgentSearchLimits
    ) -> None:
        self.run, self.shelves, self.limits = run, shelves, limits
        self.agents: list[SearchingAgent] = []
        self.useless: set[ApiId] = set()

    def begin(self) -> None:
        """Begin a round: what ended the last one counts no more, except for a full pool."""
        is_full = len(self.run.board.items(_POOL)) >= self.limits.pool
        self.run.board.set(_ENDED, self._full if is_full else "")

    @property
    def _full(self) -> str:
        return f"the pool is full ({self.limits.pool} APIs)"

    def over(self) -> str:
        """Why all agents stop searching, "" if they do not."""
        return self.run.board.get(_ENDED, "") or self.spent()

    def spent(self) -> str:
        """Why nothing more may be asked in this run, "" if it may."""
        if self.run.spent().tokens >= self.limits.tokens:
            return f"the {count(self.limits.tokens)} tokens of the run are spent"
        return ""

    def may_have_another_agent(self) -> bool:
        """Whether one more agent may work; counted on the board, since many make agents."""
        board = self.run.board
        return board.add("agents", len(board.items("agents")) + 1, room=self.limits.agents)

    def add(self, api: ApiId) -> bool:
        """Put an API into the pool; False when it is there already, or there is no room."""
        board = self.run.board
        took = board.add(_POOL, api, room=self.limits.pool)
        if took and len(board.items(_POOL)) >= self.limits.pool:
            board.set(_ENDED, self._full)
        return took

    def remove(self, api: ApiId) -> None:
        """Take an API out of the pool for good."""
        self.useless.add(api)
        self.run.board.remove(_POOL, api)

    async def pool(self) -> list[Api]:
        """The APIs of the pool, without those of no use."""
        ids = [ApiId(each) for each in self.run.board.items(_POOL)]
        return [await self.run.catalogue.api(each) for each in ids if each not in self.useless]

    async def check(self) -> str:
        """Ask whether the pool is enough; if it is, everybody stops. What the agent is told."""
        apis = await self.pool()
        if not apis:
            return "The pool is empty: add APIs first."
        try:
            judged = await self.run.ask(CheckSolvable(query=self.run.task.query, apis=tuple(apis)))
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return "That could not be found out; go on with your search."
        if judged.solved:
            self.run.board.set(_ENDED, "the pool was found to be enough")
            return "Yes, the pool is enough."
        return f"No, not yet: {judged.reason or 'something is missing'}"
