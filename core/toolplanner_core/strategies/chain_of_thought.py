"""Chain of thought: one piece of reasoning, then the answer; or all calls, then the answer.

Source: Wei et al., arXiv 2201.11903. The reasoning comes in one go: no result is seen before all
calls are made, nothing is tried again, and no argument can be taken from a reply. What AnyTool's
tables call CoT (arXiv 2402.04253, section 5.3: DFSDT that cannot go back) sees each result before
it goes on: that is the strategy `plain-agent`, straight on.
"""

from dataclasses import dataclass, replace
from typing import Literal

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, QueryNeed, Step, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.chain_of_thought import ReasonAnswer, ReasonCalls
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.functions import Functions, InvalidCall, WantedCall
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT
from toolplanner_core.strategies.toolkits.plan_nodes import STEP
from toolplanner_core.strategies.toolkits.steps import step_data
from toolplanner_core.words.formatting import counted, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOfThoughtOptions:
    """Options of the strategy."""

    calls: Literal["planned", "none"] = option(
        "planned",
        "Whether APIs are called.",
        choices={
            "planned": "all calls are named with the reasoning, then made in order",
            "none": "none is called: the model answers from what it knows",
        },
    )
    most_calls: int = option(8, "Calls at most.", title="Calls", minimum=1)
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


async def solve(task: Task, run: RunScope, options: ChainOfThoughtOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    if options.calls == "none":
        async with run.node(THOUGHT, 1, "Reason and answer") as node:
            reasoned = await run.ask(ReasonAnswer(query=task.query))
            node.tell(thought=reasoned.reasoning)
            node.end(NodeState.OK, one_line(reasoned.answer))
        return Answer(text=reasoned.answer, solved=True, needs_no_call=True)
    found = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    if not found:
        return Answer(text="", solved=False, reason="There is nothing that could be called")
    return await _PlannedCalls(task, run, options, Functions.of(found)).solve()


class _PlannedCalls:
    """The calls of one run, and what came of them."""

    def __init__(
        self, task: Task, run: RunScope, options: ChainOfThoughtOptions, functions: Functions
    ) -> None:
        self._task, self._run, self._options, self._functions = task, run, options, functions
        self._results: list[StepResult] = []
        self._failures: list[FailureCard] = []

    async def solve(self) -> Answer:
        query = self._task.query
        question = ReasonCalls(
            query=query, functions=self._functions.functions, most=self._options.most_calls
        )
        async with self._run.node(THOUGHT, 1, "Reason and name the calls") as node:
            planned = await self._run.ask(question)
            node.tell(thought=planned.reasoning)
            node.end(NodeState.OK, counted(len(planned.calls), "call"))
        for number, call in enumerate(planned.calls, start=1):
            wanted = self._functions.read(call)
            assert not isinstance(wanted, InvalidCall), "the question takes offered functions only"
            if await self._call(number, wanted) is ErrorClass.OVER_BUDGET:
                break
        answer = await self._run.ask(
            FinalAnswer(
                query=query,
                results=tuple(self._results),
                failures=tuple(self._failures),
                unmet=planned.unmet,
            )
        )
        open_ = (QueryNeed(text=need) for need in planned.unmet)
        return replace(answer, needs=(*(result.need for result in self._results), *open_))

    async def _call(self, number: int, wanted: WantedCall) -> ErrorClass | None:
        """Make one call, in a node of its own; the class of its failure."""
        title = wanted.api.title
        data = step_data(self._run, Step(number=number, goal=title, api=wanted.api.id))
        async with self._run.node(STEP, number, title, data=data) as node:
            seen = await self._run.call(wanted.api, wanted.arguments)
            api = seen.api or wanted.api
            arguments = seen.arguments or wanted.arguments
            if seen.error is None:
                self._results.append(
                    StepResult(
                        step=number,
                        goal=title,
                        toolkit=None,
                        api_title=api.title,
                        arguments=arguments,
                        value=seen.value,
                        seq=seen.seq,
                    )
                )
                return None
            node.end(NodeState.FAILED, error=seen.error)
            self._failures.append(
                FailureCard(
                    step=number,
                    goal=title,
                    toolkit=None,
                    api_title=api.title,
                    arguments=arguments,
                    error=seen.error,
                    message=seen.message,
                    origin=seen.origin,
                )
            )
            return seen.error


PLUGIN = StrategyPlugin(
    id="chain-of-thought",
    title="Chain of thought",
    description="Reasons once, step by step, names all calls with it and answers from what they"
    " gave back, or answers without any call. A baseline: two questions, nothing is looked at in"
    " between or tried again.",
    paper="Wei et al., arXiv 2201.11903",
    options=ChainOfThoughtOptions,
    solve=solve,
    kinds=(THOUGHT, STEP),
    example=None,  # that of the others takes a value from one reply into the next call
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="calls",
                says="reasoning alone",
                value="none",
                source=PaperSource.MEMORY,
                why="tasks over tools need calls",
            ),
            PaperSetting(
                option="most_calls",
                says="none",
                value=8,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(
                option="shortlist",
                says="none",
                value=20,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
        ),
        differences=(
            "The paper calls nothing; the default here names calls with the reasoning.",
            "The paper's prompt shows eight worked examples; here none is shown, and the"
            " reasoning is asked for in words.",
            "It is asked at temperature 0.3, as the others here; the paper decodes greedily.",
            "Called CoT in AnyTool's tables is a chain that sees each result: plain-agent,"
            " straight on.",
        ),
    ),
)
