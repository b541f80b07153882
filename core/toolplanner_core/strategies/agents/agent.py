"""One agent: a conversation of its own that goes on until it finishes or the search is over.

Agents that it makes work at the same time as it goes on itself. What it finds is on the board of
the run, so that every other agent sees it. Source: AnyTool, arXiv 2402.04253, section 4.1.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar, cast

from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.prompts.anytool import wake_text
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.finish import CALL_SOMETHING
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.agents.hunt import Hunt, Woken
from toolplanner_core.strategies.dialogue import Dialogue, Turn
from toolplanner_core.strategies.scope import ModelGaveUp, OpenNode
from toolplanner_core.words.wording import counted, one_line


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
    system: ClassVar[str]

    def __init__(self, hunt: Hunt, title: str, **data: Any) -> None:
        self.hunt, self.title, self.data = hunt, title, data
        self.is_finished = False
        self.path = ""
        self._talk: Dialogue | None = None
        self._node: OpenNode | None = None
        self._seen: dict[str, list[str]] = {}
        self._children: dict[str, int] = {}

    async def work(self, number: int, *, woken: Woken | None = None) -> str:
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

    async def _begin(self, woken: Woken | None) -> str:
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
