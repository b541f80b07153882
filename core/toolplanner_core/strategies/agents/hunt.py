"""What all agents of one run share: the pool, what ends their search, and who there is."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.strategies.agents.shelves import Shelves
from toolplanner_core.strategies.scope import ModelGaveUp, RunScope
from toolplanner_core.words.wording import count

_POOL = "pool"
_ENDED = "search ended"


class Woken(NamedTuple):
    """Why an agent is woken; `seq` is the event that is the cause."""

    reason: str
    seq: int


class Searcher(Protocol):
    """An agent, as those see it who wake it.

    Attributes:
        is_finished: it said so itself, or has nothing to search; it is not woken any more.
        path: where it first stood in the tree.
    """

    title: str
    level: ClassVar[str]
    path: str
    is_finished: bool

    async def work(self, number: int, *, woken: Woken | None = None) -> str:
        """Search until the end; why it ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntLimits:
    """What a search may take.

    Attributes:
        questions: of one agent, each time it works.
        pool: APIs in the pool.
        tokens: of the whole run.
        agents: that work at all.
    """

    questions: int
    pool: int
    tokens: int
    agents: int


class Hunt:
    """The search of one run.

    Attributes:
        agents: all that have worked, in the order in which they began.
        useless: APIs that a solver found to be of no use; they do not come back.
    """

    def __init__(self, run: RunScope, shelves: Shelves, limits: HuntLimits) -> None:
        self.run, self.shelves, self.limits = run, shelves, limits
        self.agents: list[Searcher] = []
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
