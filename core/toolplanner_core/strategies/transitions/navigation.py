"""Walking the graph: a thought, then the successors of the last API with their weights, then one
call.

Source: ToolNet, arXiv 2403.00839, section 3 and equation 4. Weights are shown as whole numbers from
0 to 100, which models read better than decimals (table 5).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, Shown
from toolplanner_core.domain.plan import Answer
from toolplanner_core.errors import NotFound
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.finish import GIVE_ANSWER, GIVE_UP
from toolplanner_core.prompts.functions import Functions, WantedCall
from toolplanner_core.prompts.toolnet import ACT, FIND_TOOLS, THINK, scores_text
from toolplanner_core.strategies.acting import Acting, joined
from toolplanner_core.strategies.dialogue import Dialogue, Turn
from toolplanner_core.strategies.scope import OpenNode, RunScope
from toolplanner_core.strategies.transitions.formula import Formula
from toolplanner_core.strategies.transitions.graph import END, START, ToolGraph, Transition
from toolplanner_core.words.wording import counted, one_line

GRAPH_STEP = NodeKind(
    id="graph_step",
    word="step",
    icon="graph-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        Shown("thought", "Thought"),
        Shown("offered", "Offered"),
        Shown("weight", "Weight", is_column=True, is_share=True),
        Shown("observation", "Observation"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkLimits:
    """What one way may take.

    Attributes:
        start: APIs offered first, by similarity to the query.
        successors: APIs offered at one step; mixed: how many of these are found by similarity.
    """

    steps: int
    start: int
    successors: int
    mixed: int
    history: int
    may_search: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """What may come next: APIs, the greatest weight first, with their edges."""

    apis: list[Api]
    edges: dict[ApiId, Transition]
    functions: Functions

    def scores(self) -> list[tuple[str, int]]:
        """Names of functions with their weights; the end is one of them."""
        names = [function.name for function in self.functions.functions]
        found = [
            (name, round(100 * self.edges[api.id].weight) if api.id in self.edges else 0)
            for name, api in zip(names, self.apis, strict=False)
        ]
        if END in self.edges:
            found.append((GIVE_ANSWER.name, round(100 * self.edges[END].weight)))
        return sorted(found, key=lambda each: -each[1])


class Navigation:
    """The walks of one run.

    Attributes:
        used: APIs that were called, by the names of their functions.
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
        self.way, self._found = [], []
        begins = len(talk.messages)
        lengths: list[int] = []
        for number in range(1, self._limits.steps + 1):
            before = len(talk.messages)
            async with self._run.node(GRAPH_STEP, number, "Thinking", cause=cause) as node:
                offer = await self._offer(at)
                node.tell(offered=", ".join(f"{name} {score}" for name, score in offer.scores()))
                talk.say(THINK, is_hidden=True)
                talk.offer(())
                thought = (await talk.reply(name="think", title="Think")).text
                turn = await self._choose(talk, offer)
                search = next((c for c in turn.calls if c.name == FIND_TOOLS.name), None)
                if search is not None and self._limits.may_search:
                    await self._look(search, turn, talk, node)
                    cause = None
                else:
                    acted = await Acting(self._run, offer.functions).on(turn, talk, node)
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
        talk.say(scores_text(offer.scores()), is_hidden=True)
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
