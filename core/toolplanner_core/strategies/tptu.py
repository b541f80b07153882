"""TPTU-v2: retrieved APIs and demonstrations -> sub-tasks with their APIs, one by one -> answer.

Source: Kong et al., arXiv 2311.11315, sections 2.1 to 2.3; design/strategies.md section 5. Each of
the three parts can be switched off: without the retriever the first APIs of the catalogue are
offered, without demonstrations none are shown, and without the planner the model calls the APIs
turn by turn. A sub-task that no API fits is left open, and the answer says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import (
    ChosenDemonstration,
    Demonstration,
    DemonstrationRequest,
)
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Plan, QueryNeed, Step, Task
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PublishedSettings
from toolplanner_core.prompts.demonstrations import shown_demonstrations
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.functions import GIVE_ANSWER, GIVE_UP, Functions
from toolplanner_core.prompts.render import FailureCard, StepResult, query_text
from toolplanner_core.prompts.tptu import UNPLANNED, Decompose
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import TurnExecutor
from toolplanner_core.strategies.toolkits.attempts import EarlierResults, try_api
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT, STEP, steps_ahead
from toolplanner_core.words.formatting import counted

SUBTASKS = NodeKind(
    id="subtasks",
    word="sub-tasks",
    icon="format-list-numbered",
    is_route=True,
    shown=(ShownField("offered", "APIs offered"), ShownField("demonstrations", "Demonstrations")),
    ahead=steps_ahead,
)
TURN = NodeKind(
    id="unplanned",
    word="turn",
    icon="thought-bubble-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(ShownField("thought", "Thought"), ShownField("observation", "Observation")),
)
BEFORE_SUBTASK = StopPoint(
    id="before_subtask",
    kind="subtask",
    word="Before a sub-task:",
    event="a sub-task is about to be executed",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Execute with it",
    take_hint="Choose the API that does this sub-task.",
    skip="Leave it open",
    skip_hint="The sub-task is not done, and the answer says so.",
    takes_any_api=True,
    chosen_word="API of the sub-task",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TptuOptions:
    """Options of the strategy; the defaults are the paper's where it names one."""

    retriever: bool = option(
        True, "Off = the first APIs of the catalogue are offered, whatever is asked."
    )
    demonstrations: bool = option(
        True, "Off = no demonstrations are shown, neither for sub-tasks nor for arguments."
    )
    planner: bool = option(
        True, "Off = no sub-tasks: the model calls the APIs turn by turn.", title="Planner"
    )
    retrieved: int = option(5, "APIs offered at most.", title="APIs", minimum=1, maximum=60)
    shown: int = option(
        5, "Demonstrations shown at most; free places get examples of single APIs.", minimum=0
    )
    similarity: float = option(
        0.8, "Cosine above which a demonstration is like the query.", minimum=0, maximum=1
    )
    call_examples: int = option(
        2,
        "Calls of an API that worked, shown at most where its arguments are filled: of"
        " demonstrations, else recorded ones.",
        title="Example calls",
        minimum=0,
        maximum=9,
    )
    leave_own_out: bool = option(
        False,
        "Show no demonstration of the query itself, by its words or its meaning: for experiments,"
        " which do this unless told otherwise.",
        title="Leave the own query out",
    )
    max_subtasks: int = option(8, "Sub-tasks at most.", title="Sub-tasks", minimum=1)
    tries: int = option(2, "Calls for one sub-task at most.", minimum=1, maximum=9)
    max_turns: int = option(
        12, "Turns at most where there is no planner.", title="Turns", minimum=1
    )


async def solve(task: Task, run: RunScope, options: TptuOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    apis = await _retrieve(task, run, options)
    chosen: Sequence[ChosenDemonstration] = ()
    if options.demonstrations and options.shown:
        chosen = await run.catalogue.demonstrations(
            DemonstrationRequest(
                text=task.query,
                k=options.shown,
                above=options.similarity,
                apis=tuple(api.id for api in apis),
                tested=task.query if options.leave_own_out else "",
            )
        )
    if not options.planner:
        return await _unplanned(task, run, options, apis, chosen)
    return await _Tptu(run, options, apis, await run.now()).solve(chosen)


async def _retrieve(task: Task, run: RunScope, options: TptuOptions) -> list[Api]:
    if options.retriever:
        found = await run.catalogue.search(task.query, options.retrieved)
        return [each.api for each in found]
    page = await run.catalogue.browse("api", size=options.retrieved)
    return [await run.catalogue.api(ApiId(entry.id)) for entry in page.entries]


class _Tptu:
    """What is known while sub-tasks are executed."""

    def __init__(
        self, run: RunScope, options: TptuOptions, apis: Sequence[Api], now: datetime
    ) -> None:
        self._run, self._options, self._now = run, options, now
        self._apis: dict[str, Api] = {api.id: api for api in apis}
        self._results: list[StepResult] = []
        self._failures: list[FailureCard] = []
        self._unmet: list[str] = []
        self._stopped_by: ErrorClass | None = None

    async def solve(self, chosen: Sequence[ChosenDemonstration]) -> Answer:
        plan = await self._run.ask(
            Decompose(
                query=self._run.task.query,
                apis=tuple(self._apis.values()),
                demonstrations=tuple(each.shown for each in chosen),
                max_subtasks=self._options.max_subtasks,
            )
        )
        await self._execute(plan, chosen)
        return await self._answer()

    async def _execute(self, plan: Plan, chosen: Sequence[ChosenDemonstration]) -> None:
        data = {
            "offered": [api.title for api in self._apis.values()],
            "demonstrations": [demonstration_words(each) for each in chosen],
            "steps": [self._data(step) for step in plan.steps],
        }
        title = counted(len(plan.steps), "sub-task")
        async with self._run.node(SUBTASKS, 1, title, data=data) as node:
            for step in plan.steps:
                if self._stopped_by is None:
                    await self._do(step)
                else:
                    self._unmet.append(step.goal)
            if self._unmet:
                reason = f"{counted(len(self._unmet), 'sub-task')} left open"
                node.end(NodeState.FAILED, reason, error=self._stopped_by)

    async def _do(self, step: Step) -> None:
        """Execute a sub-task with its API, once more with what failed."""
        async with self._run.node(STEP, step.number, step.goal, data=self._data(step)) as node:
            api, cause = await self._choose(step)
            if api is None:
                self._unmet.append(step.goal)
                node.end(NodeState.FAILED, "no API fits")
                return
            examples = await self._examples(step, api)
            for number in range(1, self._options.tries + 1):
                known = EarlierResults(
                    results=tuple(self._results),
                    failures=tuple(self._failures),
                    now=self._now,
                    examples=examples,
                )
                done = await try_api(
                    self._run, step, api, known, number=number, cause=cause, is_analysed=False
                )
                if isinstance(done, StepResult):
                    self._results.append(done)
                    return
                self._failures.append(done.card)
                cause = done.seq
                if done.ends_run:
                    self._stopped_by = done.card.error
                    break
            self._unmet.append(step.goal)
            error = self._failures[-1].error
            node.end(NodeState.FAILED, f"no call of {api.title} worked", error=error)

    async def _choose(self, step: Step) -> tuple[Api | None, int | None]:
        """The API of a sub-task, unless a person takes another; none where none fits."""
        if step.api is None:
            return None, None
        first = self._apis[step.api]
        others = [api for api in self._apis.values() if api.id != first.id]
        offered = [Alternative(id=api.id, title=api.title) for api in (first, *others)]
        title = f"Execute with {first.title}"
        made = await self._run.decide(BEFORE_SUBTASK, offered, title=title)
        if made.chosen is None:
            return None, None
        if made.chosen.id == first.id:
            return first, None
        known = self._apis.get(made.chosen.id)
        return known or await self._run.catalogue.api(ApiId(made.chosen.id)), made.seq

    async def _examples(self, step: Step, api: Api) -> tuple[Demonstration, ...]:
        """Calls of an API that worked, those for goals like this one first."""
        count = self._options.call_examples
        if not self._options.demonstrations or not count:
            return ()
        own = self._run.task.query if self._options.leave_own_out else ""
        wanted = DemonstrationRequest(
            text=step.goal, k=count, above=None, apis=(api.id,), per_api=count, tested=own
        )
        return tuple(each.shown for each in await self._run.catalogue.demonstrations(wanted))

    def _data(self, step: Step) -> dict[str, Any]:
        api = None if step.api is None else self._apis[step.api]
        named: Mapping[str, Any] = {"api": api.id, "api_title": api.title} if api else {}
        return {"number": step.number, "goal": step.goal, **named}

    async def _answer(self) -> Answer:
        try:
            answer = await self._run.ask(
                FinalAnswer(
                    query=self._run.task.query,
                    results=tuple(self._results),
                    failures=tuple(self._failures),
                    unmet=tuple(self._unmet),
                )
            )
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return Answer(text="", solved=False, reason=gave_up.message)
        open_ = [QueryNeed(text=goal) for goal in self._unmet]
        return replace(answer, needs=(*(result.need for result in self._results), *open_))


async def _unplanned(
    task: Task,
    run: RunScope,
    options: TptuOptions,
    apis: Sequence[Api],
    chosen: Sequence[ChosenDemonstration],
) -> Answer:
    """Without the planner: the model calls what was retrieved, turn by turn."""
    functions = Functions.of(apis, (GIVE_ANSWER, GIVE_UP))
    acting = TurnExecutor(run, functions)
    talk = run.dialogue(UNPLANNED, functions.functions, name="act", title="Call an API")
    shown = shown_demonstrations([each.shown for each in chosen])
    talk.say(f"{shown}\n\n{query_text(task.query)}" if shown else query_text(task.query))
    cause: int | None = None
    for number in range(1, options.max_turns + 1):
        async with run.node(TURN, number, "Thinking", cause=cause) as node:
            acted = await acting.on(await talk.reply(), talk, node)
            if acted.finished is not None and acted.finished.how == "answer":
                node.end(NodeState.OK, acted.told)
                return acted.finished.answer
            if acted.finished is not None:
                node.end(NodeState.FAILED, acted.finished.text)
                reason = f"It gave up: {acted.finished.text}"
                return Answer(text="", solved=False, reason=reason)
            state = NodeState.OK if acted.error is None else NodeState.FAILED
            node.end(state, acted.told, error=acted.error)
            cause = None if acted.error is None else acted.seq
    turns = counted(options.max_turns, "turn")
    return Answer(text="", solved=False, reason=f"No answer within {turns}")


def demonstration_words(chosen: ChosenDemonstration) -> str:
    """A demonstration in a line of the inspector."""
    why = f"{chosen.score:.2f} like the query" if chosen.level == "task" else "example of an API"
    return f"{chosen.shown.query} ({why})"


PLUGIN = StrategyPlugin(
    id="tptu",
    title="TPTU-v2",
    description="Takes a task apart into sub-tasks, each with one of the APIs that were retrieved"
    " for it, shown how similar tasks were solved before. Gains most from a trained retriever and"
    " from demonstrations of your own.",
    paper="Kong et al., arXiv 2311.11315",
    version=2,  # shows example calls where arguments are filled
    options=TptuOptions,
    solve=solve,
    kinds=(SUBTASKS, STEP, ATTEMPT, TURN),
    points=(BEFORE_SUBTASK,),
    example={"retrieved": 12},  # an API for each need is among them
    published=PublishedSettings(
        settings=(
            PaperSetting(option="retriever", says="API Retriever", value=True),
            PaperSetting(option="demonstrations", says="Demo Selector", value=True),
            PaperSetting(option="planner", says="sub-tasks", value=True),
            PaperSetting(option="retrieved", says="top-5 APIs", value=5),
            PaperSetting(option="shown", says="top-5 demonstrations", value=5),
            PaperSetting(option="similarity", says="threshold 0.8", value=0.8),
        ),
        differences=(
            "The retriever and the demonstrations are those of this workspace; train them on"
            " your own pairs.",
            "The model that acts is not fine-tuned, unless you name one that is.",
        ),
    ),
)
