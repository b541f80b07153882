"""ToolChain*: A* in a tree of API calls; what is cheapest in all of the tree goes on first.

Source: Zhuang et al., arXiv 2310.13227; design/strategies.md section 2. The model proposes the next
call several times; equal proposals are one candidate. f = g + h: g is cheap for what many samples
propose and what resembles solved runs, h for what lies near the end. A candidate is called when it
is chosen, so that what came back is known to what follows; a call that failed costs a whole step
(our reading: the paper leaves it open). Solved runs are remembered.

In the costs a plan is the APIs of a solved run in their order (section 3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
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
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.interface.views import Memory
from toolplanner_core.words.formatting import counted, one_line

ChainPlan = Sequence[str]


def plans_in(remembered: Any) -> list[ChainPlan]:
    """The plans of a memory's value; what a person wrote into it otherwise is passed over."""
    if not isinstance(remembered, dict):
        return []
    listed: Any = cast("dict[str, Any]", remembered).get("plans")
    plans = cast("list[Any]", listed) if isinstance(listed, list) else []
    return [
        [str(api) for api in cast("list[Any]", plan)] for plan in plans if isinstance(plan, list)
    ]


def memory_with(plans: Sequence[ChainPlan], more: Iterable[ChainPlan]) -> dict[str, Any]:
    """The value of a memory of these plans and of more, each once; the last `_REMEMBERED` stay."""
    kept = dict.fromkeys(tuple(plan) for plan in (*plans, *more) if plan)
    return {"plans": [list(plan) for plan in kept][-_REMEMBERED:]}


def step_cost(way: ChainPlan, plans: Sequence[ChainPlan], share: float, alpha: float) -> float:
    """What the last step of a way costs.

    Args:
        share: of the samples that propose it.
        alpha: how much the memory counts beside the samples, 0 to 1.
    """
    known = max((_likeness(way, plan) for plan in plans), default=0.0)
    return (1 - known) ** alpha * (1 - share) ** (1 - alpha)


def future_cost(
    api: str, plans: Sequence[ChainPlan], *, done: int, imagined: int, beta: float
) -> float:
    """What is to be expected after a call of `api`.

    Args:
        beta: how much the memory counts beside what the model imagines, 0 to 1.
        done: steps on the way up to it.
        imagined: steps of the whole way as the model imagines it.
    """
    places = [
        (place + 1) / len(plan)
        for plan in plans
        for place, other in enumerate(plan)
        if other == api
    ]
    progress = sum(places) / len(places) if places else 0.0
    return (1 - progress) ** beta * (1 - done / max(done, imagined)) ** (1 - beta)


def _likeness(way: ChainPlan, plan: ChainPlan) -> float:
    """Longest common subsequence, as a share of the shorter one."""
    shorter = min(len(way), len(plan))
    return _common(way, plan) / shorter if shorter else 0.0


def _common(one: ChainPlan, other: ChainPlan) -> int:
    lengths = [0] * (len(other) + 1)
    for item in one:
        before = 0
        for place, each in enumerate(other, start=1):
            here = lengths[place]
            lengths[place] = before + 1 if item == each else max(here, lengths[place - 1])
            before = here
    return lengths[-1]


CANDIDATE = NodeKind(
    id="candidate",
    word="candidate",
    icon="star-four-points-outline",
    is_unit=False,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("f", "f", is_column=True),
        ShownField("g", "g", is_column=True),
        ShownField("h", "h", is_column=True),
        ShownField("share", "Share of samples"),
        ShownField("thought", "Thought"),
        ShownField("observation", "Observation"),
    ),
)
EXPAND = StopPoint(
    id="before_expansion",
    kind="expansion",
    word="Before an expansion:",
    event="the cheapest candidate of the frontier is about to be followed",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Follow it",
    take_hint="Choose the candidate of the frontier that is followed next.",
    skip="End the search",
    skip_hint="The run ends without an answer.",
    chosen_word="Candidate followed",
    counted="expansions",
)
MEMORY = "toolchain-star plans"
_REMEMBERED = 200
"""Solved plans kept, the last ones."""
_STAYS_REFUSED = frozenset(
    {
        ErrorClass.BLOCKED_BY_POLICY,
        ErrorClass.MISSING_PARAMETER,
        ErrorClass.INVALID_PARAMETER,
        ErrorClass.WRONG_FORMAT,
    }
)
"""Failures that the same call with the same arguments meets again."""
_SHOWN_FRONTIER = 20
_TITLE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChainStarOptions:
    """Options of the strategy; the defaults are the paper's where it names one."""

    samples: int = option(
        5, "How often the next step is asked for at each place.", minimum=1, maximum=20
    )
    max_expansions: int = option(
        30, "Candidates followed at most.", title="Expansions", minimum=1, maximum=500
    )
    alpha: float = option(
        0.5, "How much the memory counts beside the samples, in g.", minimum=0, maximum=1
    )
    beta: float = option(
        0.5,
        "How much the memory counts beside the plan that the model imagines, in h.",
        minimum=0,
        maximum=1,
    )
    remember: bool = option(
        True, "Plans of solved runs are remembered and make what resembles them cheap."
    )
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


@dataclass(slots=True, kw_only=True, eq=False)
class _Candidate:
    """A call that was proposed; `told` and `way` are known once it was made.

    Attributes:
        way: APIs called on the way to it, its own included.
        told: the way in words.
        refused: calls that were refused on the way: the same ones are no candidates below it.
        g, h: its costs.
    """

    node: OpenNode
    title: str
    proposal: ProposedStep
    way: tuple[str, ...]
    told: tuple[str, ...]
    refused: frozenset[str]
    g: float
    h: float
    above_g: float
    finished: Finished | None = None

    @property
    def f(self) -> float:
        """What the whole way over it is expected to cost."""
        return self.g + self.h

    @property
    def alternative(self) -> Alternative:
        """As a person chooses among them: the cheaper, the higher."""
        parts = {"g": self.g, "h": self.h}
        return Alternative(id=self.node.path, title=self.title, score=-self.f, parts=parts)


async def solve(task: Task, run: RunScope, options: ToolChainStarOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], (GIVE_ANSWER, GIVE_UP))
    memory = await run.memory(MEMORY) if options.remember else None
    return await _Search(run, options, functions, memory).solve()


class _Search:
    """The search of one run.

    Attributes:
        why: why it ended without an answer.
    """

    def __init__(
        self,
        run: RunScope,
        options: ToolChainStarOptions,
        functions: Functions,
        memory: Memory | None,
    ) -> None:
        self._run, self._options, self._functions = run, options, functions
        self._memory = memory
        self._plans = plans_in(memory.value) if memory is not None else []
        self._frontier: list[_Candidate] = []
        self.why = ""

    async def solve(self) -> Answer:
        gave_up = await self._propose((), (), 0.0, frozenset())
        if gave_up:
            return Answer(text="", solved=False, reason=gave_up)
        for _ in range(self._options.max_expansions):
            if not self._frontier:
                why = f"No candidate is left; the last one: {self.why}"
                return Answer(text="", solved=False, reason=why)
            chosen = await self._choose()
            if chosen is None:
                return Answer(text="", solved=False, reason="A person ended the search")
            if chosen.finished is not None:
                return await self._accept(chosen)
            await self._follow(chosen)
        expansions = counted(self._options.max_expansions, "expansion")
        return Answer(text="", solved=False, reason=f"No answer within {expansions}")

    async def _choose(self) -> _Candidate | None:
        """Take the cheapest candidate out of the frontier, unless a person takes another."""
        self._frontier.sort(key=lambda each: (each.f, -len(each.way)))
        shown = self._frontier[:_SHOWN_FRONTIER]
        offered = [each.alternative for each in shown]
        made = await self._run.decide(EXPAND, offered, title=f"Follow {offered[0].title}")
        if made.chosen is None:
            return None
        return self._frontier.pop(offered.index(made.chosen))

    async def _accept(self, chosen: _Candidate) -> Answer:
        """The answer of a candidate that is one; its way joins the memory."""
        assert chosen.finished is not None
        async with self._run.again(chosen.node) as node:
            node.end(NodeState.OK, one_line(chosen.finished.text))
        way = list(chosen.way)
        if self._memory is not None and way and way not in self._plans:
            self._memory.write(memory_with(self._plans, [way]))
        return chosen.finished.answer

    async def _follow(self, chosen: _Candidate) -> None:
        """Make the call of a candidate, then propose what comes after it."""
        async with self._run.again(chosen.node) as node:
            wanted = self._functions.read(chosen.proposal.call)
            assert not isinstance(wanted, InvalidCall), "proposals name offered functions only"
            observation = await self._run.call(wanted.api, wanted.arguments)
            api = observation.api or wanted.api
            said = observation_text(observation)
            sent = as_json(dict(observation.arguments or wanted.arguments))
            told = (*chosen.told, f"called {chosen.proposal.call.name} with {sent}: {said}")
            way, g, refused = chosen.way, chosen.g, chosen.refused
            node.tell(observation=one_line(said))
            if observation.error is None:
                way = (*way[:-1], api.id)
            else:
                way, g = way[:-1], chosen.above_g + 1.0
                node.tell(g=g, f=g + chosen.h)
                if observation.error in _STAYS_REFUSED:
                    refused |= {chosen.proposal.key}
            self.why = await self._propose(way, told, g, refused)
            if self.why:
                node.end(NodeState.PRUNED, self.why, error=observation.error)
            elif observation.error is not None:
                node.end(NodeState.FAILED, error=observation.error)

    async def _propose(
        self, way: tuple[str, ...], told: tuple[str, ...], g: float, refused: frozenset[str]
    ) -> str:
        """Put what the model proposes after a way into the frontier; below the open node.

        Returns:
            Why nothing was put there, "" if something was.
        """
        question = ProposeStep(
            query=self._run.task.query, functions=self._functions.functions, so_far=told
        )
        try:
            proposals = await self._run.ask(question, samples=self._options.samples)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return f"no usable proposal: {gave_up.message}"
        merged: dict[str, list[ProposedStep]] = {}
        why = "nothing was proposed"
        for proposal in proposals:
            finished = self._finished(proposal)
            if finished is not None and finished.how != "answer":
                why = f"it gave up: {finished.text}"
                continue
            if proposal.key in refused:
                why = "only what was refused on this way was proposed again"
                continue
            # Answers in other words are the same step: the end.
            merged.setdefault("answer" if finished else proposal.key, []).append(proposal)
        most_first = sorted(merged.values(), key=lambda equal: -len(equal))
        for number, equal in enumerate(most_first, start=1):
            share = len(equal) / len(proposals)
            await self._add(number, equal, share, way=way, told=told, g=g, refused=refused)
        return "" if merged else why

    def _finished(self, proposal: ProposedStep) -> Finished | None:
        if proposal.call.name not in self._functions.others:
            return None
        finished = read_finish(proposal.call)
        if isinstance(finished, Finished):
            return finished
        return Finished(how="give_up", text=finished.what)

    async def _add(
        self,
        number: int,
        equal: Sequence[ProposedStep],
        share: float,
        *,
        way: tuple[str, ...],
        told: tuple[str, ...],
        g: float,
        refused: frozenset[str],
    ) -> None:
        """Open a node for proposals that are the same, and put it into the frontier."""
        proposal, finished = equal[0], self._finished(equal[0])
        data: dict[str, Any] = {"share": share, "thought": proposal.thought}
        if finished is not None:
            own, h = step_cost(way, self._plans, share, self._options.alpha), 0.0
            title = "Gives the answer"
        else:
            wanted = self._functions.read(proposal.call)
            assert not isinstance(wanted, InvalidCall), "proposals name offered functions only"
            way = (*way, wanted.api.id)
            own = step_cost(way, self._plans, share, self._options.alpha)
            rest = sum(len(each.then) for each in equal) / len(equal)
            imagined = len(told) + 1 + round(rest)
            h = future_cost(
                wanted.api.id,
                self._plans,
                done=len(told) + 1,
                imagined=imagined,
                beta=self._options.beta,
            )
            data["api"] = wanted.api.id
            title = f"{wanted.api.title} {one_line(as_json(dict(wanted.arguments)), _TITLE)}"
        data |= {"g": g + own, "h": h, "f": g + own + h}
        async with self._run.node(CANDIDATE, number, title, data=data) as node:
            node.end(NodeState.WAITING)
        candidate = _Candidate(
            node=node,
            title=title,
            proposal=proposal,
            way=way,
            told=told,
            refused=refused,
            g=g + own,
            h=h,
            above_g=g,
            finished=finished,
        )
        self._frontier.append(candidate)


PLUGIN = StrategyPlugin(
    id="toolchain-star",
    title="ToolChain*",
    description="A* search over calls: what many samples propose and what resembles solved runs"
    " goes first, anywhere in the tree. Learns from solved runs; asks often for each step.",
    paper="Zhuang et al., arXiv 2310.13227",
    options=ToolChainStarOptions,
    version=3,  # what was refused is no candidate again
    solve=solve,
    kinds=(CANDIDATE,),
    points=(EXPAND,),
    example={"samples": 3},  # they differ, so that there is a choice
    published=PublishedSettings(
        settings=(
            PaperSetting(option="samples", says="k samples", value=5, source=PaperSource.NOBODY),
            PaperSetting(
                option="max_expansions", says="a step limit", value=30, source=PaperSource.NOBODY
            ),
            PaperSetting(
                option="alpha",
                says="weight of both terms of g",
                value=0.5,
                source=PaperSource.NOBODY,
            ),
            PaperSetting(
                option="beta",
                says="weight of both terms of h",
                value=0.5,
                source=PaperSource.NOBODY,
            ),
            PaperSetting(
                option="remember", says="long-term memory", value=True, source=PaperSource.MEMORY
            ),
            PaperSetting(
                option="shortlist",
                says="given with the task",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "The memory begins empty and grows by solved runs; the paper's begins with the"
            " plans of its training tasks, which can be given to this one, too.",
        ),
    ),
)
