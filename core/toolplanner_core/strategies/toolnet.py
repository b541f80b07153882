"""ToolNet: only what may come after the last tool is offered, with weights that runs have earned.

Source: Liu et al., arXiv 2403.00839; design/strategies.md section 3. The graph is a memory of the
workspace: counts from successful trajectories (`toolplanner graph build`), scores that an evaluator
gives after each run, and weights that people set. The thought of a step is made before the tools
are shown.
"""

from dataclasses import dataclass, replace

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, Shown
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.reflexion import Reflect, trial_text
from toolplanner_core.prompts.render import query_text
from toolplanner_core.prompts.toolnet import SYSTEM, ScoreTools
from toolplanner_core.strategies.reflexion import TRIAL
from toolplanner_core.strategies.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.strategy import StrategyPlugin
from toolplanner_core.strategies.transitions.formula import Formula
from toolplanner_core.strategies.transitions.graph import DECIDED_MEMORY, GRAPH_MEMORY, ToolGraph
from toolplanner_core.strategies.transitions.navigation import GRAPH_STEP, Navigation, WalkLimits
from toolplanner_core.words.wording import counted, one_line

LEARNING = NodeKind(
    id="graph_learning",
    word="scores",
    icon="chart-line-variant",
    shown=(Shown("scores", "Scores"),),
)
_TRIALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNetOptions:
    """Options of the strategy."""

    max_steps: int = option(8, "Thoughts with their actions at most.", title="Steps", minimum=1)
    start: int = option(
        5, "APIs offered at the start, by similarity to the query (the paper: 1).", minimum=1
    )
    successors: int = option(20, "APIs offered at one step at most, by weight.", minimum=1)
    mixed: int = option(
        2,
        "Of these so many by similarity to the query, successors or not; an addition of ours"
        " (the paper: 0).",
        minimum=0,
    )
    history: int = option(8, "Last steps that the model remembers.", minimum=1)
    alpha: float = option(0.5, "How fast scores change weights.", minimum=0)
    beta: float = option(
        0.5, "Share of the weights that comes from trajectories.", minimum=0, maximum=1
    )
    window: int | None = option(
        None,
        "Last scores of an API that count; an addition of ours.",
        minimum=1,
        none_means="all, as in the paper",
    )
    find_tools: bool = option(True, "On = the model may search, if no successor fits.")
    learn: bool = option(True, "On = the APIs are scored after the run, and the graph learns it.")
    reflexion: bool = option(
        False, "On = up to 3 trials, each with what was learned from those that failed."
    )


async def solve(task: Task, run: RunScope, options: ToolNetOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    memory = await run.memory(GRAPH_MEMORY)
    decided = await run.memory(DECIDED_MEMORY)
    graph = ToolGraph.from_json(memory.value, decided.value)
    return await _ToolNet(task, run, options, graph).solve()


class _ToolNet:
    """One run: navigation, trials if wanted, learning."""

    def __init__(
        self, task: Task, run: RunScope, options: ToolNetOptions, graph: ToolGraph
    ) -> None:
        self._task, self._run, self._options, self._graph = task, run, options, graph
        formula = Formula(alpha=options.alpha, beta=options.beta, window=options.window)
        limits = WalkLimits(
            steps=options.max_steps,
            start=options.start,
            successors=options.successors,
            mixed=options.mixed,
            history=options.history,
            may_search=options.find_tools,
        )
        self._navigation = Navigation(run, graph, formula, limits)
        self._reflections: list[str] = []

    async def solve(self) -> Answer:
        """Go, and learn from where it led."""
        answer = await (self._in_trials() if self._options.reflexion else self._go())
        if self._options.learn and self._navigation.used:
            await self._learn(answer)
        return answer

    async def _go(self) -> Answer:
        talk = self._run.dialogue(SYSTEM, (), name="act", title="Act")
        talk.say(trial_text(query_text(self._task.query), self._reflections))
        return await self._navigation.go(talk)

    async def _in_trials(self) -> Answer:
        """Reflexion around it: an answer is judged, and one that is wrong is reflected on."""
        answer, cause = Answer(text="", solved=False), None
        for number in range(1, _TRIALS + 1):
            async with self._run.node(TRIAL, number, f"Trial {number}", cause=cause) as node:
                answer = await self._trial(node, is_last=number == _TRIALS)
                if answer.solved:
                    return answer
                cause = node.seq
        reason = f"No success in {counted(_TRIALS, 'trial')}: {answer.reason}"
        return Answer(text=answer.text, solved=False, reason=reason)

    async def _trial(self, node: OpenNode, *, is_last: bool) -> Answer:
        answer = await self._go()
        way = tuple(self._navigation.way)
        if answer.solved:
            answer = await self._judged(answer, way)
            node.tell(verdict=answer.reason or "Right by the judge")
        if not answer.solved:
            node.end(NodeState.FAILED, answer.reason)
            if not is_last:
                self._reflections.append(await self._reflect(way, answer.reason))
                node.tell(reflection=self._reflections[-1])
        return answer

    async def _judged(self, answer: Answer, way: tuple[Message, ...]) -> Answer:
        question = JudgeAnswer(query=self._task.query, way=way, answer=answer.text)
        try:
            verdict = await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return answer
        reason = "" if verdict.solved else f"Wrong by the judge: {verdict.reason}"
        return replace(answer, solved=verdict.solved, reason=reason)

    async def _reflect(self, way: tuple[Message, ...], why: str) -> str:
        question = Reflect(
            query=self._task.query, way=way, why=why, earlier=tuple(self._reflections)
        )
        try:
            return await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return why

    async def _learn(self, answer: Answer) -> None:
        """Have each API scored that was used, and keep that for later runs."""
        used: dict[str, Api] = self._navigation.used
        question = ScoreTools(
            query=self._task.query,
            way=tuple(self._navigation.way),
            answer=answer.text if answer.solved else "",
            tools=tuple(used),
        )
        async with self._run.node(LEARNING, 1, "Score the APIs that were used") as node:
            try:
                scores = await self._run.ask(question)
            except ModelGaveUp as gave_up:  # the answer stands, whatever is learned
                node.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
                return
            by_api: dict[ApiId, tuple[int, str]] = {
                used[name].id: (score, one_line(reason)) for name, (score, reason) in scores.items()
            }
            said = [f"{used[n].title} {score:+d}: {why}" for n, (score, why) in scores.items()]
            node.tell(scores="; ".join(said))
            (await self._run.memory(GRAPH_MEMORY)).write(self._graph.with_scores(by_api).to_json())


PLUGIN = StrategyPlugin(
    id="toolnet",
    title="ToolNet",
    description="Walks a graph of which API comes after which: only the successors of the last call"
    " are offered, weighted by what earlier runs were worth. Few tokens in large catalogues, and"
    " broken APIs lose their weight.",
    paper="Liu et al., ToolNet, arXiv 2403.00839",
    options=ToolNetOptions,
    solve=solve,
    kinds=(GRAPH_STEP, LEARNING, TRIAL),
    version=3,
)
