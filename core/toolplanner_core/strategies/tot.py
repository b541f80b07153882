"""Tree of thoughts, breadth first: many next calls are thought of, the best few are made.

Source: Yao et al., arXiv 2305.10601, algorithm 1 (ToT-BFS): from each state k thoughts are sampled,
all of a level are evaluated together, by values ("sure", "likely", "impossible", several samples
each) or by votes, and the best b stay. A thought is the next call here, as `toolchain-star` asks
for it; it is made only when its state stays, so what is not chosen costs no call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.functions import (
    GIVE_ANSWER,
    GIVE_UP,
    Finished,
    Functions,
    InvalidCall,
    read_finish,
)
from toolplanner_core.prompts.render import as_json, observation_text
from toolplanner_core.prompts.toolchain_star import ProposedStep, ProposeStep
from toolplanner_core.prompts.tree_of_thoughts import RateThought, ThoughtValue, VoteThoughts
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.tree_search import ACCEPT
from toolplanner_core.words.formatting import counted, one_line

LEVEL = NodeKind(
    id="thought_level", word="level", icon="layers-outline", is_unit=False, is_numbered=True
)
STATE = NodeKind(
    id="thought_state",
    word="thought",
    icon="thought-bubble-outline",
    is_unit=False,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("score", "Value", is_column=True),
        ShownField("thought", "Thought"),
        ShownField("observation", "Observation"),
    ),
)
WORTH = {ThoughtValue.SURE: 20.0, ThoughtValue.LIKELY: 1.0, ThoughtValue.IMPOSSIBLE: 0.001}
"""Source: the released code (src/tot/tasks/game24.py, value_map)."""
_TITLE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TotOptions:
    """Options of the strategy."""

    thoughts: int = option(3, "Next calls thought of from each state.", minimum=1, maximum=20)
    breadth: int = option(2, "States that stay on each level.", minimum=1, maximum=20)
    depth: int = option(8, "Levels at most.", title="Levels", minimum=1, maximum=100)
    evaluation: Literal["value", "vote"] = option(
        "value",
        "How the thoughts of a level are compared.",
        choices={
            "value": "each is rated by itself",
            "vote": "all are shown together, and one is voted for",
        },
    )
    evaluations: int = option(
        1, "How often each thought is rated, or a vote is held.", minimum=1, maximum=20
    )
    max_questions: int = option(200, "Questions to the model at most.", minimum=1)
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


@dataclass(slots=True, kw_only=True, eq=False)
class _State:
    """A way with the thought at its end.

    Attributes:
        told: the calls of the way with what came back, in words.
        worth: what its last thought was rated.
        finished: its thought is an answer.
    """

    node: OpenNode
    title: str
    proposal: ProposedStep
    told: tuple[str, ...] = ()
    worth: float = 0.0
    finished: Finished | None = None


@dataclass(slots=True)
class _Tree:
    """The search of one run."""

    task: Task
    run: RunScope
    options: TotOptions
    functions: Functions
    asked: int = 0
    why: str = "nothing was proposed"
    held: list[_State] = field(default_factory=list[_State])

    async def solve(self) -> Answer:
        ways: list[tuple[str, ...]] = [()]
        for level in range(1, self.options.depth + 1):
            async with self.run.node(LEVEL, level, f"Level {level}") as node:
                states = [*self.held, *await self._think(ways)]
                if not states:
                    node.end(NodeState.FAILED, self.why)
                    return Answer(text="", solved=False, reason=self.why)
                kept = await self._chosen(states)
                node.tell(title=f"Level {level}: {len(kept)} of {counted(len(states), 'thought')}")
                best = kept[0]
                if best.finished is not None and await self._is_accepted(best, best.finished):
                    return best.finished.answer
                # An answer that is not the best waits among the states of the next level.
                self.held = [
                    each for each in kept if each.finished is not None and each is not best
                ]
                ways = [await self._call(each) for each in kept if each.finished is None]
            if not self._has_room():
                break
        return Answer(text="", solved=False, reason=self._ended())

    def _has_room(self) -> bool:
        return self.asked < self.options.max_questions

    def _ended(self) -> str:
        if not self._has_room():
            return f"No answer within {counted(self.options.max_questions, 'question')}"
        return f"No answer within {counted(self.options.depth, 'level')}"

    async def _think(self, ways: Sequence[tuple[str, ...]]) -> list[_State]:
        """The thoughts of a level: different next calls after each way, each a node."""
        states: list[_State] = []
        for told in ways:
            for proposal in await self._proposed(told):
                number = len(states) + 1
                states.append(await self._opened(number, proposal, told))
        return states

    async def _proposed(self, told: tuple[str, ...]) -> list[ProposedStep]:
        samples = min(self.options.thoughts, self.options.max_questions - self.asked)
        if samples < 1:
            return []
        self.asked += samples
        question = ProposeStep(
            query=self.task.query, functions=self.functions.functions, so_far=told
        )
        try:
            found = await self.run.ask(question, samples=samples)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            self.why = f"no usable thought: {gave_up.message}"
            return []
        left: list[ProposedStep] = []
        for proposal in {each.key: each for each in found}.values():
            finished = self._finished(proposal)
            if finished is not None and finished.how != "answer":
                self.why = f"it gave up: {finished.text}"
            else:
                left.append(proposal)
        return left

    def _finished(self, proposal: ProposedStep) -> Finished | None:
        if proposal.call.name not in self.functions.others:
            return None
        finished = read_finish(proposal.call)
        if isinstance(finished, Finished):
            return finished
        return Finished(how="give_up", text=finished.what)

    async def _opened(self, number: int, proposal: ProposedStep, told: tuple[str, ...]) -> _State:
        """A node for a thought."""
        finished = self._finished(proposal)
        data: dict[str, Any] = {"thought": proposal.thought}
        if finished is not None:
            title = f"Gives the answer: {one_line(finished.text, _TITLE)}"
        else:
            wanted = self.functions.read(proposal.call)
            assert not isinstance(wanted, InvalidCall), "proposals name offered functions only"
            data["api"] = wanted.api.id
            title = f"{wanted.api.title} {one_line(as_json(dict(wanted.arguments)), _TITLE)}"
        async with self.run.node(STATE, number, title, data=data) as node:
            node.end(NodeState.WAITING)
        return _State(node=node, title=title, proposal=proposal, told=told, finished=finished)

    async def _chosen(self, states: Sequence[_State]) -> list[_State]:
        """The best states of a level, best first; the others are cut off."""
        if self.options.evaluation == "vote":
            await self._vote(states)
        else:
            for state in states:
                if state not in self.held:
                    await self._rate(state)
        ranked = sorted(states, key=lambda each: -each.worth)
        for state in ranked:
            state.node.tell(score=state.worth)
        for state in ranked[self.options.breadth :]:
            async with self.run.again(state.node) as node:
                node.end(NodeState.PRUNED, "others are rated higher")
        return ranked[: self.options.breadth]

    async def _rate(self, state: _State) -> None:
        question = RateThought(query=self.task.query, way=state.told, thought=_words(state))
        state.worth = sum(WORTH[value] for value in await self._judged(question))

    async def _vote(self, states: Sequence[_State]) -> None:
        for state in states:
            state.worth = 0.0
        if len(states) == 1:
            return
        shown = tuple((state.told, _words(state)) for state in states)
        question = VoteThoughts(query=self.task.query, thoughts=shown)
        for best in await self._judged(question):
            states[best].worth += 1.0

    async def _judged(self, question: Any) -> list[Any]:
        """What the judge says, in each of its samples; [] where it says nothing of use."""
        samples = min(self.options.evaluations, self.options.max_questions - self.asked)
        if samples < 1:
            return []
        self.asked += samples
        try:
            return await self.run.ask(question, samples=samples)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return []

    async def _is_accepted(self, state: _State, finished: Finished) -> bool:
        """Whether the best answer is taken: always, unless a person wants another."""
        text = one_line(finished.text)
        offered = [Alternative(id="answer", title=text, score=state.worth)]
        made = await self.run.decide(ACCEPT, offered, title="Accept the answer")
        async with self.run.again(state.node) as node:
            if made.chosen is None:
                node.end(NodeState.PRUNED, "a person wanted another answer")
            else:
                node.end(NodeState.OK, text)
        return made.chosen is not None

    async def _call(self, state: _State) -> tuple[str, ...]:
        """Make the call of a state that stays; its way with what came back."""
        async with self.run.again(state.node) as node:
            wanted = self.functions.read(state.proposal.call)
            assert not isinstance(wanted, InvalidCall), "proposals name offered functions only"
            seen = await self.run.call(wanted.api, wanted.arguments)
            said = observation_text(seen)
            node.tell(observation=one_line(said))
            if seen.error is not None:
                node.end(NodeState.FAILED, error=seen.error)
            sent = as_json(dict(seen.arguments or wanted.arguments))
            return (*state.told, f"called {state.proposal.call.name} with {sent}: {said}")


def _words(state: _State) -> str:
    """A thought, for whoever judges it."""
    call = state.proposal.call
    return f"{state.proposal.thought} {call.name} {call.arguments}".strip()


async def solve(task: Task, run: RunScope, options: TotOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], (GIVE_ANSWER, GIVE_UP))
    return await _Tree(task, run, options, functions).solve()


PLUGIN = StrategyPlugin(
    id="tot",
    title="Tree of thoughts",
    description="Thinks of several next calls from each state, has them judged and makes the best"
    " ones, level by level. Looks before it calls; asks often.",
    paper="Yao et al., arXiv 2305.10601",
    options=TotOptions,
    solve=solve,
    kinds=(LEVEL, STATE),
    points=(ACCEPT,),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="thoughts",
                says="k = 5 (creative writing)",
                value=5,
                source=PaperSource.MEMORY,
                why="questions grow as the product of all three",
            ),
            PaperSetting(
                option="breadth",
                says="n_select_sample 5",
                value=5,
                source=PaperSource.CODE,
                why="each state that stays costs a call",
            ),
            PaperSetting(
                option="depth",
                says="steps 4 (Game of 24)",
                value=4,
                source=PaperSource.CODE,
                why="tasks over tools take more calls",
            ),
            PaperSetting(
                option="evaluation",
                says="method_evaluate value",
                value="value",
                source=PaperSource.CODE,
            ),
            PaperSetting(
                option="evaluations",
                says="n_evaluate_sample 3",
                value=3,
                source=PaperSource.CODE,
                why="questions grow as the product of all three",
            ),
            PaperSetting(
                option="max_questions",
                says="no limit",
                value=500,
                source=PaperSource.NOBODY,
                why="as many as DFSDT",
            ),
            PaperSetting(
                option="shortlist",
                says="its tasks call nothing",
                value=20,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
        ),
        differences=(
            "The paper's tasks call nothing; a thought is the next call here, and what came back"
            " belongs to the state.",
            "Thoughts are sampled one by one, as in its creative writing; in the Game of 24, whose"
            " numbers these are, one question proposes all.",
            "An answer is taken when no state of its level is rated higher; the paper goes to a"
            " depth that the task gives.",
            "Its depth-first variant (crosswords) is not here: DFSDT and ToolChain* go back.",
        ),
    ),
)
