"""Depth-first search in a tree of thoughts with actions (DFSDT), and where people may steer it.

Source: Qin et al., ToolLLM, arXiv 2307.16789; design/strategies.md section 2. A branch that gives
up is pruned together with its siblings that were not begun: the search goes on at its grandparent.
One that is too deep only makes room for its sibling. Before another branch grows from a place, the
model is shown what grew there and told to differ; what grows from it does not see that. The search
ends with the first answer. Node kinds and stop points serve traces of other programs, too.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import permutations
from typing import Literal

from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
from toolplanner_core.options.option import option
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.dfsdt import CompareBranches, differ_text
from toolplanner_core.prompts.functions import Finished
from toolplanner_core.strategies.interface.dialogue import Dialogue
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.techniques.react_loop import TurnExecutor, TurnOutcome
from toolplanner_core.words.formatting import counted, one_line

BRANCH = NodeKind(
    id="branch",
    word="branch",
    icon="source-fork",
    is_unit=False,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("score", "Score", is_column=True),
        ShownField("rank", "Rank", is_column=True),
        ShownField("thought", "Thought"),
        ShownField("observation", "Observation"),
    ),
)
FOLLOW = StopPoint(
    id="before_branch",
    kind="branch",
    word="Before a branch:",
    event="a branch is about to be followed",
    allowed=frozenset({Choice.TAKE, Choice.GIVE_UP}),
    take="Follow it",
    take_hint="Choose the branch that is followed first.",
    chosen_word="Branch followed",
)
BACK = StopPoint(
    id="before_backtrack",
    kind="backtrack",
    word="Before going back:",
    event="the search is about to go back",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Go back there",
    take_hint="Choose the place from which another branch grows.",
    skip="End the search",
    skip_hint="The run ends without an answer.",
    chosen_word="Gone back to",
    counted="backtracks",
)
ACCEPT = StopPoint(
    id="before_answer",
    kind="answer",
    word="Before the answer:",
    event="an answer is about to be accepted",
    allowed=frozenset({Choice.SKIP, Choice.GIVE_UP}),
    skip="Search on",
    skip_hint="This answer is dropped, and the search goes on.",
    chosen_word="Answer accepted",
)


@dataclass(slots=True, kw_only=True, eq=False)
class SearchPlace:
    """A place from which branches grow; the first is the query.

    Attributes:
        talk: what was said on the way to it.
        left: branches that may still be followed from here.
        cause: event because of which the search came back here.
    """

    talk: Dialogue
    left: int
    cause: int | None = None
    children: list["SearchBranch"] = field(default_factory=list["SearchBranch"])

    @property
    def alternative(self) -> Alternative:
        """What a person is offered for it."""
        return Alternative(id="query", title="the query")

    @property
    def parent(self) -> "SearchPlace":
        """The place above; the query has none above it, and stands for itself."""
        return self

    def upwards(self) -> "list[SearchPlace]":
        """This place and all above it."""
        return [self]


@dataclass(slots=True, kw_only=True, eq=False)
class SearchBranch(SearchPlace):
    """A thought with its action; `score` is the share of the comparisons that it won."""

    above: SearchPlace
    node: OpenNode
    acted: TurnOutcome
    score: float | None = None

    @property
    def alternative(self) -> Alternative:
        return Alternative(id=self.node.path, title=self.acted.said, score=self.score)

    @property
    def parent(self) -> SearchPlace:
        return self.above

    @property
    def turn(self) -> tuple[Message, ...]:
        """What was said in this branch itself."""
        return self.talk.messages[len(self.above.talk.messages) :]

    @property
    def nodes(self) -> int:
        """How many nodes of ToolBench's tree it is: a thought, each action and its input."""
        said = [message for message in self.turn if message.role == "assistant"]
        return sum(bool(each.content) + 2 * len(each.calls) for each in said)

    @property
    def gave_up(self) -> str:
        """Why it gave up, "" if it did not."""
        finished = self.acted.finished
        if self.acted.error is not None and finished:
            words = self.acted.error.replace("_", " ")
            return f"no usable reply from the model ({words}): {finished.text}"
        return f"it gave up: {finished.text}" if finished and finished.how != "answer" else ""

    def upwards(self) -> list[SearchPlace]:
        return [self, *self.above.upwards()]


@dataclass(frozen=True, slots=True, kw_only=True)
class DfsdtOptions:
    """Options of the strategy; the defaults are the paper's."""

    width: int = option(2, "Branches that grow from one place at most.", minimum=1)
    depth: int = option(12, "Depth of one way at most; see what it counts.", minimum=1, maximum=100)
    depth_counts: Literal["turns", "nodes"] = option(
        "turns",
        "What the depth of a way counts.",
        title="Depth counts",
        choices={
            "turns": "thoughts with their actions",
            "nodes": "as ToolBench does: a thought, an action and its input are a node each",
        },
    )
    max_questions: int = option(200, "Questions to the model at most.", minimum=1)
    rank: bool = option(
        False,
        "On = all branches of a place grow first, are compared in pairs, the best goes first.",
    )
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


_CameTo = Answer | SearchPlace | None
"""What following a branch came to: the answer, a place to go on at, or the end of the search."""


async def search_tree(
    run: RunScope,
    options: DfsdtOptions,
    acting: TurnExecutor,
    talk: Dialogue,
    *,
    enough: Callable[[], str] = str,
    may_give_up: bool = False,
) -> Answer:
    """Search from a conversation on that holds the query.

    Args:
        enough: why no other question may be asked, "" if one may.
        may_give_up: giving up ends the search; else it only goes another way.
    """
    search = _Search(run, options, acting, enough=enough, may_give_up=may_give_up)
    came_to = await search.expand(SearchPlace(talk=talk, left=options.width))
    if isinstance(came_to, Answer):
        return came_to
    return Answer(text="", solved=False, reason=search.why)


class _Search:
    """The search of one run.

    Attributes:
        why: why it ended without an answer.
    """

    def __init__(
        self,
        run: RunScope,
        options: DfsdtOptions,
        acting: TurnExecutor,
        *,
        enough: Callable[[], str],
        may_give_up: bool,
    ) -> None:
        self._run, self._options, self._acting = run, options, acting
        self._enough, self._may_give_up = enough, may_give_up
        self._asked = 0
        self.why = ""

    async def expand(self, here: SearchPlace) -> _CameTo:
        """Follow the branches of a place until one comes to an answer or leads elsewhere."""
        came_to: _CameTo = here
        if self._options.rank:
            return await self._expand_ranked(here)
        while came_to is here:
            if not self._may_ask():
                return None
            here.left -= 1
            async with self._grown(here) as child:
                came_to = await self._follow(child)
        return came_to

    async def _expand_ranked(self, here: SearchPlace) -> _CameTo:
        """Let all branches grow, then follow the best first."""
        for _ in range(self._options.width):
            if not self._may_ask():
                return None
            async with self._grown(here) as child:
                state = NodeState.PRUNED if child.gave_up else NodeState.WAITING
                error = child.acted.error if child.gave_up else None
                child.node.end(state, child.gave_up, error=error)
        left = await self._ranked(here, [child for child in here.children if not child.gave_up])
        came_to: _CameTo = here
        while came_to is here:
            here.left = len(left)
            if not left:
                self.why = f"every branch gave up, at last because {here.children[-1].gave_up}"
                return await self._go_back(here.children[-1], here.parent)
            offered = [branch.alternative for branch in left]
            title = f"Follow {offered[0].title}"
            made = await self._run.decide(FOLLOW, offered, title=title, cause=here.cause)
            child = left.pop(offered.index(made.chosen or offered[0]))
            here.left = len(left)
            async with self._run.again(child.node):
                came_to = await self._follow(child)
        return came_to

    @asynccontextmanager
    async def _grown(self, here: SearchPlace) -> AsyncGenerator[SearchBranch]:
        """A new branch of a place: one thought with its action. Its node is open."""
        talk = here.talk.branch()
        if here.children:
            talk.say(differ_text([child.turn for child in here.children]), is_hidden=True)
        self._asked += 1
        number = len(here.children) + 1
        async with self._run.node(BRANCH, number, "Thinking", cause=here.cause) as node:
            try:
                acted = await self._acting.on(await talk.reply(), talk, node)
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
                gives_up = Finished(how="restart", text=gave_up.message)
                acted = TurnOutcome(
                    seq=gave_up.seq, finished=gives_up, error=gave_up.error, said="No usable reply"
                )
            left = self._options.width
            child = SearchBranch(talk=talk, left=left, above=here, node=node, acted=acted)
            here.children.append(child)
            yield child

    async def _follow(self, child: SearchBranch) -> _CameTo:
        """Go on from a branch whose node is open."""
        node, acted, back_to = child.node, child.acted, child.parent
        way = [place for place in child.upwards() if isinstance(place, SearchBranch)]
        is_nodes = self._options.depth_counts == "nodes"
        depth = sum(branch.nodes for branch in way) if is_nodes else len(way)
        if child.gave_up:
            self.why, back_to = child.gave_up, back_to.parent
            if self._may_give_up and acted.finished and acted.finished.how == "give_up":
                node.end(NodeState.PRUNED, self.why)
                return None
        elif acted.finished is not None:
            text = acted.finished.text
            offered = [Alternative(id="answer", title=one_line(text))]
            made = await self._run.decide(
                ACCEPT, offered, title="Accept the answer", cause=acted.seq
            )
            if made.chosen is not None:
                node.end(NodeState.OK, acted.told)
                return acted.finished.answer
            self.why = "a person wanted another answer"
        elif depth >= self._options.depth:
            self.why = f"{counted(depth, 'node' if is_nodes else 'thought')} without an answer"
        else:
            came_to = await self.expand(child)
            if isinstance(came_to, Answer):
                node.end(NodeState.OK, acted.told)
            else:
                node.end(NodeState.PRUNED, "nothing came of it", error=acted.error)
            return came_to
        node.end(NodeState.PRUNED, self.why, error=acted.error)
        return await self._go_back(child, back_to)

    async def _go_back(self, leaf: SearchBranch, to: SearchPlace) -> SearchPlace | None:
        """Choose where the search goes on: the nearest place from `to` upwards that has a branch
        left, unless a person chooses another one."""
        usual = next((place for place in to.upwards() if place.left), None)
        if usual is None:
            self.why = f"No branch is left; the last one: {self.why}"
            return None
        others = [place for place in leaf.upwards()[1:] if place.left and place is not usual]
        offered = [place.alternative for place in (usual, *others)]
        title = f"Go back to {offered[0].title}"
        made = await self._run.decide(BACK, offered, title=title, cause=leaf.acted.seq)
        if made.chosen is None:
            self.why = "A person ended the search"
            return None
        place = (usual, *others)[offered.index(made.chosen)]
        place.cause = made.seq
        return place

    async def _ranked(self, here: SearchPlace, branches: list[SearchBranch]) -> list[SearchBranch]:
        """Branches by the comparisons they win; each pair is asked in both orders."""
        if len(branches) < 2:
            return branches
        won = dict.fromkeys(branches, 0)
        for first, second in permutations(branches, 2):
            if not self._may_ask():
                return branches
            self._asked += 1
            question = CompareBranches(
                query=self._run.task.query,
                so_far=here.talk.messages,
                first=first.turn,
                second=second.turn,
            )
            try:
                won[first if await self._run.ask(question) else second] += 1
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
        branches.sort(key=lambda branch: -won[branch])
        for rank, branch in enumerate(branches, start=1):
            branch.score = won[branch] / (2 * (len(branches) - 1))
            branch.node.tell(score=branch.score, rank=rank)
        return branches

    def _may_ask(self) -> bool:
        if self._asked >= self._options.max_questions:
            self.why = f"No answer within {counted(self._asked, 'question')}"
            return False
        why = self._enough()
        self.why = why or self.why
        return not why
