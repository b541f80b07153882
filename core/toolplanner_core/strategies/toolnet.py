"""ToolNet: only what may come after the last tool is offered, with weights that runs have earned.

Source: Liu et al., arXiv 2403.00839; design/strategies.md section 3. The graph is a memory of the
workspace: counts from successful trajectories (`toolplanner graph build`), scores that an evaluator
gives after each run, and weights that people set. The thought of a step is made before the tools
are shown.

A step is a thought, then the successors of the last API with their weights, then one call. Weights
are shown as whole numbers from 0 to 100, which models read better than decimals (table 5); how they
are shown is an option."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.errors import NotFound
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.functions import GIVE_ANSWER, GIVE_UP, Functions, WantedCall
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.reflexion import Reflect, trial_text
from toolplanner_core.prompts.render import query_text
from toolplanner_core.prompts.toolnet import (
    ACT,
    FIND_TOOLS,
    THINK,
    ScoreTools,
    WeightScale,
    scores_text,
    system_text,
)
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.reflexion import TRIAL
from toolplanner_core.strategies.techniques.react_loop import TurnExecutor, joined
from toolplanner_core.strategies.techniques.tool_graph import (
    DECIDED_MEMORY,
    END,
    GRAPH_MEMORY,
    START,
    Formula,
    ToolGraph,
    Transition,
)
from toolplanner_core.words.formatting import counted, one_line

GRAPH_STEP = NodeKind(
    id="graph_step",
    word="step",
    icon="graph-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("thought", "Thought"),
        ShownField("offered", "Offered"),
        ShownField("weight", "Weight", is_column=True, is_share=True),
        ShownField("observation", "Observation"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkLimits:
    """What one way may take.

    Attributes:
        start: APIs offered first, by similarity to the query.
        successors: APIs offered at one step; mixed: how many of these are found by similarity.
        scale: as what a model sees weights.
    """

    steps: int
    start: int
    successors: int
    mixed: int
    history: int
    may_search: bool
    scale: WeightScale


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """What may come next: APIs, the greatest weight first, with their edges."""

    apis: list[Api]
    edges: dict[ApiId, Transition]
    functions: Functions

    def weights(self) -> list[tuple[str, float]]:
        """Names of functions with their weights, the greatest first; the end is one of them."""
        names = [function.name for function in self.functions.functions]
        found = [
            (name, self.edges[api.id].weight if api.id in self.edges else 0.0)
            for name, api in zip(names, self.apis, strict=False)
        ]
        if END in self.edges:
            found.append((GIVE_ANSWER.name, self.edges[END].weight))
        return sorted(found, key=lambda each: -each[1])


class Navigation:
    """The walks of one run.

    Attributes:
        used: APIs that were called in the last walk, by the names of their functions.
        way: all that was said in the last walk.
    """

    def __init__(
        self, run: RunScope, graph: ToolGraph, formula: Formula, limits: WalkLimits
    ) -> None:
        self._run, self._graph, self._formula, self._limits = run, graph, formula, limits
        self.used: dict[str, Api] = {}
        self.way: list[Message] = []
        self._found: list[Api] = []
        self._size: int | None = None

    async def go(self, talk: Dialogue) -> Answer:
        """Walk from the start to the end, or until there are no steps left."""
        at, cause = START, None
        self.way, self._found, self.used = [], [], {}
        begins = len(talk.messages)
        lengths: list[int] = []
        for number in range(1, self._limits.steps + 1):
            before = len(talk.messages)
            async with self._run.node(GRAPH_STEP, number, "Thinking", cause=cause) as node:
                offer = await self._offer(at)
                shown = (f"{name} {100 * weight:.0f}" for name, weight in offer.weights())
                node.tell(offered=", ".join(shown))
                talk.say(THINK, is_hidden=True)
                talk.offer(())
                thought = (await talk.reply(name="think", title="Think")).text
                turn = await self._choose(talk, offer)
                search = next((c for c in turn.calls if c.name == FIND_TOOLS.name), None)
                if search is not None and self._limits.may_search:
                    await self._look(search, turn, talk, node)
                    cause = None
                else:
                    acted = await TurnExecutor(self._run, offer.functions).on(turn, talk, node)
                    said, short = acted.said, one_line(thought, 100)
                    is_again = said.startswith(short)  # many models repeat it as they act
                    title = said if is_again else joined(short, said)
                    node.tell(title=title, thought=thought)
                    self._note(turn, offer)
                    if acted.api is not None:
                        at = acted.api.id
                        edge = offer.edges.get(at)
                        node.tell(weight=edge.weight if edge else 0.0)
                    finished = acted.finished
                    if finished is not None:
                        self.way += talk.messages[before:]
                        is_answer = finished.how == "answer"
                        node.end(NodeState.OK if is_answer else NodeState.FAILED, finished.text)
                        reason = "" if is_answer else f"It gave up: {finished.text}"
                        if is_answer:
                            return finished.answer
                        return Answer(text="", solved=False, reason=reason)
                    state = NodeState.OK if acted.error is None else NodeState.FAILED
                    node.end(state, acted.told, error=acted.error)
                    cause = None if acted.error is None else acted.seq
            self.way += talk.messages[before:]
            lengths.append(len(talk.messages) - before)
            if len(lengths) > self._limits.history:
                talk.forget(begins, lengths.pop(0))
        steps = counted(self._limits.steps, "step")
        return Answer(text="", solved=False, reason=f"No answer within {steps}")

    async def _choose(self, talk: Dialogue, offer: _Offer) -> Turn:
        """The turn that acts, with the tools in sight."""
        talk.say(ACT)
        if told := scores_text(offer.weights(), self._limits.scale):
            talk.say(told, is_hidden=True)
        more = (FIND_TOOLS,) if self._limits.may_search else ()
        talk.offer((*offer.functions.functions, *more))
        return await talk.reply()

    def _note(self, turn: Turn, offer: _Offer) -> None:
        """Remember which APIs were called."""
        for call in turn.calls:
            wanted = offer.functions.read(call) if call.name not in offer.functions.others else None
            if isinstance(wanted, WantedCall):
                self.used[call.name] = wanted.api

    async def _look(self, search: FunctionCall, turn: Turn, talk: Dialogue, node: OpenNode) -> None:
        """Search the catalogue, since no successor fits; found APIs are offered next."""
        what = str((search.values() or {}).get("what", "")).strip()
        found = await self._run.catalogue.search(what, self._limits.start) if what else []
        self._found = [each.api for each in found]
        told = f"Found: {', '.join(api.title for api in self._found) or 'nothing'}."
        for call in turn.calls:
            talk.result(call, told if call is search else "Not called: a search was made.")
        node.tell(title=f"Looks for other tools: {one_line(what, 100)}", thought=turn.text)
        node.end(NodeState.OK, told)

    async def _offer(self, at: ApiId) -> _Offer:
        """What may come after an API."""
        run, limits = self._run, self._limits
        near: list[Api] = []
        is_near = at == START or self._graph.is_complete
        if is_near or limits.mixed:
            wanted = limits.start if is_near else limits.mixed
            near = [each.api for each in await run.catalogue.search(run.task.query, wanted)]
        if self._graph.is_complete and self._size is None:
            self._size = (await run.catalogue.browse("api", size=1)).total
        among = [api.id for api in near] if is_near else []
        edges = self._graph.successors(at, self._formula, among=among, apis=self._size or 0)
        edges = [edge for edge in edges if edge.api in (END, at) or self._may(edge, at, among)]
        known = {api.id: api for api in (*near, *self._found)}
        apis = await self._apis([edge.api for edge in edges if edge.api != END], known)
        apis = _mixed(apis, [] if is_near else near, limits)
        apis += [api for api in self._found if api not in apis]
        functions = Functions.of(apis, (GIVE_ANSWER, GIVE_UP))
        return _Offer(apis=apis, edges={edge.api: edge for edge in edges}, functions=functions)

    def _may(self, edge: Transition, at: ApiId, near: list[ApiId]) -> bool:
        """Whether an edge is offered: where all is connected, what is near or known to be good."""
        if not self._graph.is_complete or at == START:
            return True
        return edge.api in near or self._graph.score(edge.api, self._formula) > 0

    async def _apis(self, ids: Iterable[ApiId], known: dict[ApiId, Api]) -> list[Api]:
        """The APIs of ids; those that the catalogue does not have any more are left out."""
        found: list[Api] = []
        for each in ids:
            try:
                found.append(known.get(each) or await self._run.catalogue.api(each))
            except (NotFound, KeyError):
                continue
        return found


def _mixed(successors: list[Api], near: list[Api], limits: WalkLimits) -> list[Api]:
    """The best successors, then what is found by similarity, then successors again."""
    first = successors[: max(limits.successors - len(near), 0)]
    return list({api.id: api for api in (*first, *near, *successors)}.values())[: limits.successors]


LEARNING = NodeKind(
    id="graph_learning",
    word="scores",
    icon="chart-line-variant",
    shown=(ShownField("scores", "Scores"),),
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
    weights: WeightScale = option(
        "100",
        "As what weights are shown to the model (the paper's table 5).",
        choices={
            "none": "not at all, only their order",
            "1": "decimals from 0 to 1 (/100)",
            "10": "decimals from 0 to 10 (/10)",
            "100": "whole numbers from 0 to 100",
            "1000": "whole numbers from 0 to 1,000 (×10)",
        },
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

    @property
    def formula(self) -> Formula:
        """By which edges are weighed."""
        return Formula(alpha=self.alpha, beta=self.beta, window=self.window)


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
        limits = WalkLimits(
            steps=options.max_steps,
            start=options.start,
            successors=options.successors,
            mixed=options.mixed,
            history=options.history,
            may_search=options.find_tools,
            scale=options.weights,
        )
        self._navigation = Navigation(run, graph, options.formula, limits)
        self._reflections: list[str] = []

    async def solve(self) -> Answer:
        """Go, and learn from where it led."""
        answer = await (self._in_trials() if self._options.reflexion else self._go())
        if self._options.learn and self._navigation.used:
            await self._learn(answer)
        return answer

    async def _go(self) -> Answer:
        talk = self._run.dialogue(system_text(self._options.weights), (), name="act", title="Act")
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
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="start",
                says="only the most recommended tool: 1",
                value=1,
                why="one wrong start ends a run",
            ),
            PaperSetting(
                option="mixed",
                says="successors alone: 0 others",
                value=0,
                why="APIs that are new to the graph are found, too",
            ),
            PaperSetting(
                option="find_tools",
                says="no search",
                value=False,
                why="a graph begins without edges",
            ),
            PaperSetting(option="max_steps", says="“maximum iteration of 8”", value=8),
            PaperSetting(
                option="successors",
                says="all out-neighbours",
                value=120,
                source=PaperSource.NOBODY,
                why="a model chooses better of 20",
            ),
            PaperSetting(
                option="window",
                says="scores are accumulated",
                value=None,
                source=PaperSource.NOBODY,
            ),
            PaperSetting(
                option="alpha",
                says="a hyper-parameter, not given",
                value=0.5,
                source=PaperSource.NOBODY,
                why="a value of ours, where the paper gives none",
            ),
            PaperSetting(
                option="beta",
                says="a hyper-parameter, not given",
                value=0.5,
                source=PaperSource.NOBODY,
                why="a value of ours, where the paper gives none",
            ),
            PaperSetting(
                option="weights", says="“Integer”; ×10 is no better (table 5)", value="100"
            ),
            PaperSetting(option="learn", says="dynamic construction", value=True),
            PaperSetting(option="reflexion", says="a baseline of its own", value=False),
        ),
        differences=(
            "The paper offers every successor; here at most 120, since endpoints take 128"
            " functions.",
            "The paper gives no values of alpha and beta; they are 0.5.",
            "The starting API comes from this workspace's search, not from a retriever that"
            " was fine-tuned on ToolBench.",
            "The formula takes the score of the successor, where the paper prints that of the"
            " API before it.",
            "How many last steps the model remembers is not given; it is 8.",
        ),
    ),
)
