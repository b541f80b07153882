"""AnyTool: agents look for APIs in the whole catalogue, a solver uses them, and what it lacks wakes
the agents again.

Source: Du et al., arXiv 2402.04253; design/strategies.md section 4. Nothing is retrieved by
similarity: the agents see names and descriptions, from the categories down, and search at the same
time. Agents that said themselves that they are at their end stay asleep; the others are woken from
the bottom up: those of tools, of categories, of the whole.
"""

from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.strategies.agents.agent import MetaAgent
from toolplanner_core.strategies.agents.agent_search import (
    AGENT_KINDS,
    ROUND,
    WAKE,
    AgentSearch,
    AgentSearchLimits,
    CatalogueHierarchy,
    SearchingAgent,
    WokenAgent,
)
from toolplanner_core.strategies.agents.flat_agent import FlatAgent
from toolplanner_core.strategies.agents.solver import PoolSolver, SolverLimits
from toolplanner_core.strategies.interface.scope import OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT
from toolplanner_core.strategies.techniques.tree_search import ACCEPT, BACK, BRANCH, FOLLOW
from toolplanner_core.words.formatting import counted

_ORDER = ("tool", "category", "meta")
"""In which agents are woken (Source: section 4.3)."""
_WOKEN = {"tools": _ORDER[:1], "categories": _ORDER[:2], "all": _ORDER}
"""Whose agents are woken at all (Source: table 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyToolOptions:
    """Options of the strategy; the defaults are the paper's where it gives any."""

    hierarchy: Literal["auto", "categories", "toolkits"] = option(
        "auto",
        "What the agents look through.",
        choices={
            "auto": "categories, if there are at least two; else toolkits",
            "categories": "categories and tools of the source",
            "toolkits": "regions and toolkits of this workspace",
        },
    )
    solver: Literal["dfsdt", "react"] = option(
        "dfsdt",
        "How the APIs of the pool are used.",
        choices={"dfsdt": "DFSDT: a search that goes back", "react": "ReAct: straight on"},
    )
    structure: Literal["hierarchical", "flat"] = option(
        "hierarchical",
        "Who searches.",
        choices={
            "hierarchical": "agents of the whole, of categories and of tools",
            "flat": "one agent that does all of it (the paper's ablation, table 3)",
        },
    )
    woken: Literal["all", "categories", "tools"] = option(
        "all",
        "Who is woken again when it is not solved, as far as they have not finished.",
        choices={
            "all": "agents of tools, then of categories, then of the whole",
            "categories": "agents of tools, then of categories",
            "tools": "agents of tools alone",
        },
    )
    tools_per_agent: int = option(
        5,
        "Tools of one tool agent at most; a category with no more has one at once.",
        minimum=1,
        maximum=50,
    )
    pool: int = option(64, "APIs in the pool at most; a full pool ends the search.", minimum=1)
    max_questions: int = option(20, "Questions of an agent at most, each time it works.", minimum=1)
    max_agents: int = option(
        64, "Agents at most, those of categories and of tools together.", minimum=1
    )
    max_rounds: int = option(6, "Searches and solutions at most, the first included.", minimum=1)
    token_cap: int = option(
        200_000, "Tokens of agents, solver and reflection together, at most.", minimum=1
    )
    solver_calls: int = option(10, "API calls of one solution at most.", minimum=1)
    solver_questions: int = option(20, "Questions of one solution at most.", minimum=1)
    page_size: int = option(100, "Tools or APIs that are listed at once.", minimum=1, maximum=500)


async def solve(task: Task, run: RunScope, options: AnyToolOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    limits = AgentSearchLimits(
        questions=options.max_questions,
        pool=options.pool,
        tokens=options.token_cap,
        agents=options.max_agents,
        tools=options.tools_per_agent,
    )
    shelves = CatalogueHierarchy(run, by=options.hierarchy, page_size=options.page_size)
    return await _Rounds(task, run, options, AgentSearch(run, shelves, limits)).solve()


class _Rounds:
    """Searching and solving, again and again."""

    def __init__(
        self, task: Task, run: RunScope, options: AnyToolOptions, hunt: AgentSearch
    ) -> None:
        self._task, self._run, self._options, self._hunt = task, run, options, hunt
        self._solver = PoolSolver(
            hunt,
            SolverLimits(calls=options.solver_calls, questions=options.solver_questions),
            how=options.solver,
        )

    async def solve(self) -> Answer:
        """Until it is solved, nobody is left who could search on, or a cap is reached."""
        answer, woken, cause = Answer(text="", solved=False), list[SearchingAgent](), None
        for number in range(1, self._options.max_rounds + 1):
            title = "Search and solve" if number == 1 else "Reflect, search on and solve"
            data = {"why": answer.reason, "woken": ", ".join(a.title for a in woken)}
            data = {name: text for name, text in data.items() if text}
            async with self._run.node(ROUND, number, title, data=data, cause=cause) as node:
                await self._search(woken, WokenAgent(answer.reason, cause or node.seq), node)
                self._solver.seq = node.seq
                answer = await self._solve(node)
                if answer.solved:
                    return answer
                node.end(NodeState.FAILED, answer.reason)
            cause = self._solver.seq
            if why := self._hunt.spent():
                return _unsolved(answer, f"{answer.reason}; {why}")
            if number == self._options.max_rounds:
                rounds = counted(number, "round")
                return _unsolved(answer, f"Not solved in {rounds}: {answer.reason}")
            left = [agent for agent in self._in_order() if not agent.is_finished]
            if not left:
                return _unsolved(answer, f"{answer.reason}; every agent has finished its search")
            left = [agent for agent in left if agent.level in _WOKEN[self._options.woken]]
            if not left:
                return _unsolved(answer, f"{answer.reason}; no agent is left that may be woken")
            woken = await self._choose(left, answer.reason, cause)
            if not woken:
                return _unsolved(answer, "A person ended the search")
        return answer

    def _in_order(self) -> list[SearchingAgent]:
        """All agents, from the bottom up; those of a level as they stand in the tree."""
        agents = sorted(self._hunt.agents, key=lambda agent: _place(agent.path))
        return sorted(agents, key=lambda agent: _ORDER.index(agent.level))

    async def _choose(
        self, left: list[SearchingAgent], reason: str, cause: int
    ) -> list[SearchingAgent]:
        """Who is woken: all that have not finished, unless a person chooses one."""
        everybody = Alternative(id="all", title=f"All who have not finished ({len(left)})")
        one_each = [Alternative(id=agent.path, title=agent.title) for agent in left]
        made = await self._run.decide(
            WAKE,
            [everybody, *one_each] if len(left) > 1 else one_each,
            title=f"Wake {counted(len(left), 'agent')}",
            cause=cause,
            because=f"it is not solved: {reason}",
        )
        if made.chosen is None:
            return []
        return [a for a in left if made.chosen.id in ("all", a.path)]

    async def _search(self, woken: list[SearchingAgent], why: WokenAgent, node: OpenNode) -> None:
        """Fill the pool: by the meta-agent at first, then by those that are woken."""
        hunt = self._hunt
        hunt.begin()
        if not woken:
            is_flat = self._options.structure == "flat"
            await (FlatAgent(hunt) if is_flat else MetaAgent(hunt)).work(1)
        for level in _ORDER:
            agents = [agent for agent in woken if agent.level == level]
            if not agents or hunt.over():
                continue
            for result in await self._run.gather(
                *[lambda a=a, n=n: a.work(n, woken=why) for n, a in enumerate(agents, 1)]
            ):
                if isinstance(result, Exception):
                    raise result
        removed = await self._solver.drop_useless()
        if removed:
            node.tell(removed=", ".join(removed))

    async def _solve(self, node: OpenNode) -> Answer:
        """Use the pool."""
        pool = await self._hunt.pool()
        node.tell(pool=len(pool))
        if not pool:
            return Answer(text="", solved=False, reason="No API was found")
        if why := self._hunt.spent():
            return Answer(text="", solved=False, reason=why)
        return await self._solver.solve(pool)


def _unsolved(answer: Answer, reason: str) -> Answer:
    return Answer(text=answer.text, solved=False, reason=reason)


def _place(path: str) -> list[tuple[str, int]]:
    """A path in the order of the tree: its numbers as numbers."""
    parts = [part.rpartition(".") for part in path.split("/")]
    return [(kind, int(number)) for kind, _, number in parts]


PLUGIN = StrategyPlugin(
    id="anytool",
    title="AnyTool",
    description="Agents look through the whole catalogue from its categories down, all at the same"
    " time, and put what may be of use into a pool for a solver. What the solver misses wakes those"
    " again who had not finished; for catalogues too large to be searched by similarity alone.",
    paper="Du et al., AnyTool, arXiv 2402.04253",
    options=AnyToolOptions,
    version=3,  # an agent of a category is told how many tools it may give away
    solve=solve,
    kinds=(*AGENT_KINDS, THOUGHT, BRANCH),
    points=(WAKE, FOLLOW, BACK, ACCEPT),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="hierarchy",
                says="categories of RapidAPI",
                value="categories",
                why="categories where a catalogue has them, else regions",
            ),
            PaperSetting(option="solver", says="DFSDT", value="dfsdt"),
            PaperSetting(option="structure", says="hierarchical (table 3)", value="hierarchical"),
            PaperSetting(option="woken", says="all agents (table 4)", value="all"),
            PaperSetting(option="tools_per_agent", says="K = 5 (table 7)", value=5),
            PaperSetting(option="pool", says="64 (table 6)", value=64),
            PaperSetting(option="token_cap", says="200,000 tokens", value=200_000),
            PaperSetting(
                option="solver_calls", says="“maximum number of API calls to 10”", value=10
            ),
            PaperSetting(
                option="max_rounds",
                says="a limit, not given",
                value=6,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
        ),
        differences=(
            "The number of reflections at most is not given; rounds are 6.",
            "20 questions an agent and 64 agents at most are caps of ours.",
        ),
    ),
)
