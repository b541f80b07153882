"""The run as its strategy sees it: implements `RunScope` over gate, log and catalogue.

The open node is a context variable, so parallel branches each have their own place in the tree.
Paths are made of the numbers the strategy gives and of counters per node, never of time, so that
the same decisions give the same paths in every run (forks, tape and diff stand on that). Each node
has its own seeded randomness for the same reason.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from random import Random
from typing import Any, Literal, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, NodePath, join
from toolplanner_core.domain.nodes import CALL, NodeKind, NodeState
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.plan import Judgement, ResultRef, Task
from toolplanner_core.domain.program import HostFunction
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.prompts.texts import default_prompt
from toolplanner_core.runs.catalogue.recorded_catalogue import RecordedCatalogue, TapedLookups
from toolplanner_core.runs.catalogue.workspace_catalogue import Catalogue
from toolplanner_core.runs.engine.choice_points import ChoicePoints
from toolplanner_core.runs.engine.gate import Gate
from toolplanner_core.runs.engine.parallel_branches import RunBoard, gather_all, gather_first
from toolplanner_core.runs.engine.programs import Programs
from toolplanner_core.runs.engine.run_memories import RunMemories, RunMemory
from toolplanner_core.runs.events.decision import ClockRead, Noted, SpentRead
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened, NodeResumed
from toolplanner_core.runs.events.question import ModelReplied
from toolplanner_core.runs.events.shared import BoardWritten
from toolplanner_core.runs.judging.evidence import RunEvidence
from toolplanner_core.runs.judging.oracle import Oracle, RecordedOracle
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.node_frames import NodeFrame, ends_of
from toolplanner_core.runs.stages.prompt_texts import Texts
from toolplanner_core.runs.stages.sample_batch import SampleBatch
from toolplanner_core.runs.stages.stage import CallRequest
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn, TurnRequest
from toolplanner_core.strategies.interface.scope import (
    BudgetSpent,
    ModelGaveUp,
    OpenNode,
    ProgramRun,
)

T = TypeVar("T")


class RunScopeImpl:
    """A run's scope.

    Attributes:
        evidence: what came back, to stand for the answer.

    Args:
        memories: what is kept between runs.
        candidates: the only APIs that there are; () = all.
        oracle: who knows what is right, if anybody does.
        prompts: edited texts of questions, by name.
    """

    def __init__(
        self,
        task: Task,
        tools: StageContext,
        *,
        gate: Gate,
        catalogue: Catalogue | None,
        memories: RunMemories,
        candidates: Collection[ApiId] = (),
        oracle: Oracle | None = None,
        prompts: Texts = dict,
    ) -> None:
        self._log, self._clock, self._places = tools.log, tools.clock, tools.places
        self._task, self._budget, self._gate, self._memories = task, tools.budget, gate, memories
        self._prompts = prompts
        self.evidence = RunEvidence(task.query, tools.places, tools.log.redactor)
        self._choosing = ChoicePoints(tools)
        self.decide = self._choosing.decide
        self._programs = Programs(tools, self._choosing)
        tape = tools.log.tape
        lookups = TapedLookups(tools.log, lambda: self._frame.path)
        self.catalogue = RecordedCatalogue(
            catalogue, lookups=lookups, api_of=tools.api_of, candidates=candidates
        )
        self.toolkits = self.catalogue
        self._oracle = RecordedOracle(oracle, lookups)
        self.board = RunBoard(
            self._write, lambda: tape.is_live(self._frame.path), tape.all_of(BoardWritten)
        )

    @property
    def _frame(self) -> NodeFrame:
        return self._places.here

    @property
    def task(self) -> Task:
        """What is asked."""
        return self._task

    @property
    def random(self) -> Random:
        """Randomness of the open node: parallel branches never take numbers from one another."""
        return self._frame.random

    async def now(self) -> datetime:
        """The run's clock; recorded."""
        event = self._write(ClockRead(iso=self._clock.local_time().isoformat())).event
        assert isinstance(event, ClockRead)
        return datetime.fromisoformat(event.iso)

    def spent(self) -> BudgetSpent:
        """What the run has used of its budget; recorded."""
        event = self._write(self._budget.spent()).event
        assert isinstance(event, SpentRead)
        return BudgetSpent(**event.to_body())

    async def verdict(self, answer: str) -> Judgement | None:
        """What an oracle says of an answer, None when there is none; recorded."""
        found = await self._oracle.verdict(answer)
        if found is not None:
            self.evidence.expected(answer, found)
        return found

    async def memory(self, name: str) -> RunMemory:
        """What the strategy kept of earlier runs under a name; recorded."""
        return await self._memories.read(name, self._write)

    async def ask(
        self,
        question: Question[Any],
        *,
        temperature: float | None = None,
        samples: int | None = None,
    ) -> Any:
        """Put a question to the model of its role.

        Raises:
            ModelGaveUp: no usable answer after retries and repairs; of samples: not one.
        """
        frame, ask = self._frame, partial(self._gate.ask, question, temperature)
        if samples is None:
            answer = await ask(path=frame.next_child(question.id))
            if isinstance(question, JudgeAnswer):
                text = self._prompts().get(question.id) or default_prompt(question.id).text
                self.evidence.judged(question, answer, text=text)
            return answer
        paths = [frame.next_child(question.id) for _ in range(samples)]
        tape = self._log.tape
        batch = SampleBatch(path for path in paths if not tape.has_any(path, ModelReplied))

        async def sample(path: NodePath) -> Any:
            try:
                return await ask(path=path, batch=batch)
            finally:
                batch.end(path)

        answers = await gather_all([partial(sample, path) for path in paths])
        failed = [answer for answer in answers if isinstance(answer, Exception)]
        broken = [error for error in failed if not isinstance(error, ModelGaveUp)]
        usable = [answer for answer in answers if not isinstance(answer, Exception)]
        if broken or (failed and not usable):
            raise (broken or failed[::-1])[0]
        return usable

    def dialogue(
        self,
        system: str,
        functions: Sequence[Function] = (),
        *,
        name: str = "turn",
        title: str = "Next turn",
        role: Role = Role.ACTING,
        temperature: float | None = None,
    ) -> Dialogue:
        """Begin a conversation with tools."""
        begun = TurnRequest(
            name=name,
            title=title,
            role=role,
            messages=(Message("system", system),),
            functions=tuple(functions),
            temperature=temperature,
        )
        return Dialogue(self._turn, begun)

    async def _turn(self, request: TurnRequest) -> Turn:
        return await self._gate.turn(request, path=self._frame.next_child(request.name))

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        *,
        bindings: Mapping[str, ResultRef] | None = None,
    ) -> Observation:
        """Call an API; a failure is an observation with its class."""
        path = self._frame.next_child(CALL.id)
        observation = await self._gate.call(
            CallRequest(path=path, api=api, arguments=arguments, bindings=bindings or {})
        )
        self.evidence.observe(path, observation, api)
        return observation

    @asynccontextmanager
    async def node(
        self,
        kind: NodeKind,
        number: int,
        title: str,
        *,
        data: Mapping[str, Any] | None = None,
        cause: int | None = None,
    ) -> AsyncGenerator[OpenNode]:
        """Open a node below the one that is open."""
        parent, said = self._frame, dict(data or {})
        path = join(parent.path, kind.id, number)
        event = NodeOpened(kind=kind.id, title=title, data=said)
        opened = self._log.append(event, path=path, cause=cause)
        toolkit = str(said.get("toolkit_name", parent.toolkit))
        goal = str(said.get("goal") or parent.goal)
        frame = self._places.make(
            path, seq=opened.seq, kind=kind, title=title, toolkit=toolkit, goal=goal
        )
        async with self._inside(frame):
            yield frame

    @asynccontextmanager
    async def again(self, node: OpenNode, title: str = "") -> AsyncGenerator[OpenNode]:
        """Go on below a node that was left."""
        frame = self._places.of(node.path)
        frame.end(NodeState.OK)
        self._log.append(NodeResumed(title=title or frame.title), path=frame.path)
        async with self._inside(frame):
            yield frame

    @asynccontextmanager
    async def _inside(self, frame: NodeFrame) -> AsyncGenerator[None]:
        try:
            with self._places.inside(frame), ends_of(frame):
                yield
                point = frame.kind.failed_at
                if point is not None and frame.state is NodeState.FAILED:
                    title = f"{frame.title} is given up"
                    await self._choosing.hold(point, frame, title, cause=frame.seq)
        finally:
            self._log.append(
                NodeClosed(
                    state=frame.state, reason=frame.reason, error=frame.error, data=frame.came_to
                ),
                path=frame.path,
            )

    async def program(
        self, text: str, functions: Collection[str], answer: HostFunction
    ) -> ProgramRun:
        """Run a program in the sandbox.

        Raises:
            SandboxMissing: there is none on this machine.
        """
        now, frame = await self.now(), self._frame
        return await self._programs.run(text, functions, answer, frame=frame, now=now)

    async def gather(
        self,
        *branches: Callable[[], Awaitable[T]],
        until: Literal["all", "first"] = "all",
        is_success: Callable[[T], bool] | None = None,
    ) -> list[T | Exception]:
        """Run branches in parallel; all end before this returns, also when the run is stopped."""
        if until == "all":
            return await gather_all(branches)
        return await gather_first(branches, is_success, tape=self._log.tape, write=self._write)

    async def note(self, text: str) -> None:
        """Write a remark."""
        self._write(Noted(text=text))

    def forget(self, node: OpenNode) -> None:
        """Drop what is kept of a node that was left, and of all below it."""
        self._places.forget(node.path)
        self.evidence.forget(node.path)

    async def commit(self) -> None:
        """Wait until all that happened so far is on disk."""
        await self._log.commit()

    def _write(self, event: Event) -> Record:
        return self._log.append(event, path=self._frame.path)
