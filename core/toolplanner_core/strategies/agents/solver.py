"""The solver of AnyTool: DFSDT or ReAct over the pool, with a way to give up and to say which APIs
were of no use.

What earlier solutions found out is told to later ones, without what APIs said that were of no use.
Source: AnyTool, arXiv 2402.04253, sections 4.2 and 4.3.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer
from toolplanner_core.prompts.anytool import SOLVER, done_text
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.functions import GIVE_ANSWER, GIVE_UP, RESTART, Functions, WantedCall
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.agents.agent_search import SOLVING, AgentSearch
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.techniques.react_loop import (
    TurnExecutor,
    TurnOutcome,
    joined,
    run_react_loop,
)
from toolplanner_core.strategies.techniques.tree_search import DfsdtOptions, search_tree
from toolplanner_core.words.formatting import counted

_NO_CALL_LEFT = "No call is left: give the answer, or give up."


class SolverLimits(NamedTuple):
    """What one solution may take."""

    calls: int
    questions: int


class _Done(NamedTuple):
    """A call of a solution, and what the model was told of it."""

    api: Api
    words: str


class PoolTurnExecutor(TurnExecutor):
    """Acts like others, but counts calls and remembers what came of them and how it ended.

    Attributes:
        useless: APIs that the model named when it gave up.
        way: the conversation that led to its last turn.
    """

    def __init__(self, run: RunScope, functions: Functions, most: int) -> None:
        super().__init__(run, functions)
        self._left = most
        self.done: list[_Done] = []
        self.useless: list[Api] = []
        self.way: tuple[Message, ...] = ()

    async def on(self, turn: Turn, talk: Dialogue, node: OpenNode) -> TurnOutcome:
        """Do what a turn wants."""
        acted = await super().on(turn, talk, node)
        self.way = talk.messages
        for name in acted.finished.failed if acted.finished else ():
            named = self._functions.read(FunctionCall("", name, ""))
            if isinstance(named, WantedCall) and named.api not in self.useless:
                self.useless.append(named.api)
        return acted

    async def _call(self, call: FunctionCall, talk: Dialogue, before: TurnOutcome) -> TurnOutcome:
        if self._left <= 0:
            talk.result(call, _NO_CALL_LEFT)
            said = joined(before.said, call.name)
            error = ErrorClass.OVER_BUDGET
            return TurnOutcome(seq=before.seq, error=error, said=said, told="no call is left")
        acted = await super()._call(call, talk, before)
        if acted.api is not None:
            self._left -= 1
            told = talk.messages[-1].content
            self.done.append(_Done(acted.api, f"{acted.api.title}({call.arguments}):\n{told}"))
        return acted


class PoolSolver:
    """Solves with the pool of a search, round after round.

    Attributes:
        seq: event that opened the last solution, a cause for what follows; 0 before the first.
    """

    def __init__(
        self, hunt: AgentSearch, limits: SolverLimits, *, how: Literal["dfsdt", "react"]
    ) -> None:
        self._hunt, self._limits, self._how = hunt, limits, how
        self._done: list[_Done] = []
        self._useless: list[Api] = []
        self.seq = 0

    @property
    def done_text(self) -> str:
        """All calls so far with their results, without those of no use."""
        return "\n".join(done.words for done in self._done)

    async def drop_useless(self) -> list[str]:
        """Take the APIs of no use out of the pool, and what they said out of the history; their
        titles."""
        gone, self._useless = self._useless, []
        for api in gone:
            self._hunt.remove(api.id)
        self._done = [done for done in self._done if done.api not in gone]
        return [api.title for api in gone]

    async def solve(self, pool: Sequence[Api]) -> Answer:
        """Try to answer the query with these APIs."""
        run = self._hunt.run
        is_tree = self._how == "dfsdt"
        finishes = (GIVE_ANSWER, RESTART, GIVE_UP) if is_tree else (GIVE_ANSWER, GIVE_UP)
        functions = Functions.of(pool, finishes)
        acting = PoolTurnExecutor(run, functions, self._limits.calls)
        title = f"Solve with {counted(len(pool), 'API')}"
        async with run.node(SOLVING, 1, title) as node:
            talk = run.dialogue(SOLVER, functions.functions, name="act", title="Think and act")
            talk.say(query_text(run.task.query))
            if self._done:
                talk.say(done_text(self.done_text))
            try:
                answer = await self._run(acting, talk, is_tree=is_tree)
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
                answer = Answer(text="", solved=False, reason=f"No usable turn: {gave_up.message}")
            # What was done in earlier rounds may be what the answer stands on.
            before = [Message("tool", each.words, name=each.api.title) for each in self._done]
            self._done += acting.done
            self._useless = acting.useless
            if answer.solved:
                answer = await self._judged(answer, (*before, *acting.way))
            if not answer.solved:
                node.end(NodeState.FAILED, answer.reason)
            self.seq = node.seq
        return answer

    async def _judged(self, answer: Answer, way: tuple[Message, ...]) -> Answer:
        """The answer, unsolved if it is judged to be so."""
        query = self._hunt.run.task.query
        question = JudgeAnswer(query=query, way=way, answer=answer.text)
        try:
            judged = await self._hunt.run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return answer
        if judged.solved:
            return answer
        reason = judged.reason or "the answer leaves something open"
        return Answer(text=answer.text, solved=False, reason=f"judged unsolved: {reason}")

    async def _run(self, acting: PoolTurnExecutor, talk: Dialogue, *, is_tree: bool) -> Answer:
        run, questions = self._hunt.run, self._limits.questions
        if not is_tree:
            return await run_react_loop(
                run, acting, talk, max_steps=questions, enough=self._hunt.spent
            )
        options = DfsdtOptions(max_questions=questions)
        return await search_tree(
            run, options, acting, talk, enough=self._hunt.spent, may_give_up=True
        )


async def solve_once(
    run: RunScope,
    apis: Sequence[Api],
    system: str,
    *,
    how: Literal["dfsdt", "react"],
    limits: SolverLimits,
) -> Answer:
    """Try to answer the query with these APIs, once; giving up ends it."""
    is_tree = how == "dfsdt"
    finishes = (GIVE_ANSWER, RESTART, GIVE_UP) if is_tree else (GIVE_ANSWER, GIVE_UP)
    functions = Functions.of(apis, finishes)
    acting = PoolTurnExecutor(run, functions, limits.calls)
    talk = run.dialogue(system, functions.functions, name="act", title="Think and act")
    talk.say(query_text(run.task.query))
    if not is_tree:
        return await run_react_loop(run, acting, talk, max_steps=limits.questions)
    options = DfsdtOptions(max_questions=limits.questions)
    return await search_tree(run, options, acting, talk, may_give_up=True)
