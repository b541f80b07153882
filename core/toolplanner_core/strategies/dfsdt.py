"""DFSDT: depth-first search in a tree of thoughts with their actions.

Source: Qin et al., ToolLLM, arXiv 2307.16789; design/strategies.md section 2. A branch that gives
up is pruned together with its siblings that were not begun: the search goes on at its grandparent.
One that is too deep only makes room for its sibling. Before another branch grows from a place, the
model is shown what grew there and told to differ; what grows from it does not see that. The search
ends with the first answer.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import permutations

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.options.option import option
from toolplanner_core.prompts.dfsdt import SYSTEM, CompareBranches, differ_text
from toolplanner_core.prompts.finish import GIVE_ANSWER, RESTART, Finished
from toolplanner_core.prompts.functions import Functions
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.acting import Acted, Acting
from toolplanner_core.strategies.branches import ACCEPT, BACK, BRANCH, FOLLOW
from toolplanner_core.strategies.dialogue import Dialogue
from toolplanner_core.strategies.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.search_places import SearchBranch, SearchPlace
from toolplanner_core.strategies.strategy import StrategyPlugin
from toolplanner_core.words.wording import counted, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class DfsdtOptions:
    """Options of the strategy; the defaults are the paper's."""

    width: int = option(2, "Branches that grow from one place at most.", minimum=1)
    depth: int = option(
        12, "Thoughts with their actions on one way at most.", minimum=1, maximum=100
    )
    max_questions: int = option(200, "Questions to the model at most.", minimum=1)
    rank: bool = option(
        False,
        "On = all branches of a place grow first, are compared in pairs, the best goes first.",
    )
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


_CameTo = Answer | SearchPlace | None
"""What following a branch came to: the answer, a place to go on at, or the end of the search."""


async def solve(task: Task, run: RunScope, options: DfsdtOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], (GIVE_ANSWER, RESTART))
    talk = run.dialogue(SYSTEM, functions.functions, name="act", title="Think and act")
    talk.say(query_text(task.query))
    return await search_tree(run, options, Acting(run, functions), talk)


async def search_tree(
    run: RunScope,
    options: DfsdtOptions,
    acting: Acting,
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
        acting: Acting,
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
                child.node.end(state, child.gave_up)
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
                acted = Acted(
                    seq=gave_up.seq, finished=gives_up, error=gave_up.error, said="No usable reply"
                )
            left = self._options.width
            child = SearchBranch(talk=talk, left=left, above=here, node=node, acted=acted)
            here.children.append(child)
            yield child

    async def _follow(self, child: SearchBranch) -> _CameTo:
        """Go on from a branch whose node is open."""
        node, acted, back_to = child.node, child.acted, child.parent
        depth = len(child.upwards()) - 1
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
            self.why = f"{counted(depth, 'thought')} without an answer"
        else:
            came_to = await self.expand(child)
            if isinstance(came_to, Answer):
                node.end(NodeState.OK, acted.told)
            else:
                node.end(NodeState.PRUNED, "nothing came of it")
            return came_to
        node.end(NodeState.PRUNED, self.why)
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


PLUGIN = StrategyPlugin(
    id="dfsdt",
    title="DFSDT",
    description="Searches a tree of thoughts and calls, deep first: gives up ways that lead"
    " nowhere and goes back to try others. Finds what a single way misses, at many more questions.",
    paper="Qin et al., ToolLLM, arXiv 2307.16789",
    options=DfsdtOptions,
    version=2,  # who answers may say that no call is needed
    solve=solve,
    kinds=(BRANCH,),
    points=(FOLLOW, BACK, ACCEPT),
)
