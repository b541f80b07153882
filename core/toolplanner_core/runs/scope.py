"""The run as its strategy sees it: implements `strategies/scope.py` over gate, log and catalogue.

The open node is a context variable, so parallel branches each have their own place in the tree.
Paths are made of the numbers the strategy gives and of counters per node, never of time, so that
the same decisions give the same paths in every run (forks, tape and diff stand on that). Each node
has its own seeded randomness for the same reason. Caller: `engine.py`.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from datetime import datetime
from random import Random
from typing import Any, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.plan import Plan, ResultRef, Step, Task
from toolplanner_core.prompts.question import Question
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.decision import (
    ClockRead,
    FallbackChosen,
    Noted,
    ReplanDecided,
    ToolkitExhausted,
)
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.frame import Frame, ends_of, join, parent_of
from toolplanner_core.runs.gate import Gate
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf, RecordedToolkits, api_from_row, api_row
from toolplanner_core.runs.scope_stops import ScopeStops
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.taped_lookups import TapedLookups
from toolplanner_core.strategies.scope import OpenNode, ToolkitView

T = TypeVar("T")
ROOT = NodePath("")


class RunScopeImpl:
    """A run's scope.

    Args:
        seed: of all randomness in this run.
    """

    def __init__(
        self,
        task: Task,
        *,
        log: RunLog,
        clock: Clock,
        catalogue: Catalogue,
        api_of: ApiOf,
        seed: int,
    ) -> None:
        self._task = task
        self._log = log
        self._clock = clock
        self._catalogue = catalogue
        self._seed = seed
        self._root = Frame(ROOT, seq=1, seed=seed)
        self._open: ContextVar[Frame] = ContextVar("open node")
        self._api_of = api_of
        self._lookups = TapedLookups(log, lambda: self._frame.path)
        self._toolkits = RecordedToolkits(catalogue, lookups=self._lookups, api_of=api_of)
        self._toolkit_names: dict[NodePath, str] = {}
        self._gate: Gate | None = None
        self._stops: ScopeStops | None = None

    def attach(self, gate: Gate, deciding: Deciding | None = None) -> None:
        """Connect the gate, which in turn draws its jitter from this scope's randomness."""
        self._gate = gate
        if deciding is not None:
            self._stops = ScopeStops(
                deciding, self._log, api_of=self._api_of, toolkit_at=self.toolkit_at
            )

    def random_at(self, path: NodePath) -> Random:
        """Seeded randomness of a place in the tree."""
        return Random(f"{self._seed}:{path}:waits")

    def toolkit_at(self, path: NodePath) -> str:
        """Name of the toolkit of the step that a place belongs to, "" outside of steps."""
        place: NodePath | None = path
        while place and place not in self._toolkit_names:
            place = parent_of(place)
        return self._toolkit_names.get(place or ROOT, "")

    @property
    def _frame(self) -> Frame:
        return self._open.get(self._root)

    @property
    def _through(self) -> Gate:
        assert self._gate is not None, "the engine attaches the gate before the strategy starts"
        return self._gate

    @property
    def task(self) -> Task:
        """What is asked."""
        return self._task

    @property
    def toolkits(self) -> ToolkitView:
        """The curated toolkits; every answer is recorded."""
        return self._toolkits

    @property
    def random(self) -> Random:
        """Randomness of the open node: parallel branches never take numbers from one another."""
        return self._frame.random

    async def now(self) -> datetime:
        """The run's clock; recorded."""
        taped = self._log.tape.take(self._frame.path, ClockRead)
        if taped is not None and isinstance(taped.event, ClockRead):
            return datetime.fromisoformat(taped.event.iso)
        now = self._clock.local_time()
        self._write(ClockRead(iso=now.isoformat()))
        return now

    async def ask(self, question: Question[T]) -> T:
        """Put a question to the run's model.

        Raises:
            ModelGaveUp: no usable answer after retries and repairs.
        """
        frame = self._frame
        return await self._through.ask(
            question, path=frame.next_child(question.id), parent=frame.path
        )

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        *,
        bindings: Mapping[str, ResultRef] | None = None,
    ) -> Observation:
        """Call an API; a failure is an observation with its class."""
        frame = self._frame
        return await self._through.call(
            api,
            arguments,
            bindings or {},
            path=frame.next_child(NodeKind.CALL),
            parent=frame.path,
        )

    async def retrieve(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs of the whole catalogue that fit a text best; recorded."""
        request = {"text": text, "k": k}
        rows = self._lookups.recall("retrieve", request)
        if rows is not None:
            return [api_from_row(row, self._api_of) for row in rows]
        found = await self._catalogue.retrieve(text, k)
        self._lookups.record("retrieve", request, [api_row(item) for item in found])
        return found

    def plan(
        self,
        number: int,
        plan: Plan,
        *,
        keeps: int = 0,
        also_kept: Sequence[int] = (),
        cause: int | None = None,
    ) -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of a plan."""
        count = len(plan.steps)
        data = {
            "number": number,
            "keeps": keeps,
            "also_kept": list(also_kept),
            "steps": [self._step_data(step) for step in plan.steps],
        }
        title = f"Plan {number} · {count} step{'' if count == 1 else 's'}"
        return self._node(NodeKind.PLAN, number, title, data, cause=cause)

    def step(self, step: Step, *, title: str = "") -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of a step."""
        data = self._step_data(step)
        return self._node(NodeKind.STEP, step.number, title or step.goal, data)

    def _step_data(self, step: Step) -> dict[str, Any]:
        return {
            "number": step.number,
            "goal": step.goal,
            "toolkit": step.toolkit,
            "toolkit_name": self._toolkits.name_of(step.toolkit),
            "needs": list(step.needs),
            "api": step.api,
        }

    def attempt(
        self, number: int, api: Api, *, cause: int | None = None
    ) -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of an attempt."""
        data = {"number": number, "api": api.id, "title": api.title}
        return self._node(NodeKind.ATTEMPT, number, api.title, data, cause=cause)

    @asynccontextmanager
    async def _node(
        self,
        kind: NodeKind,
        number: int,
        title: str,
        data: Mapping[str, Any],
        *,
        cause: int | None = None,
    ) -> AsyncGenerator[Frame]:
        parent = self._frame
        path = join(parent.path, kind, number)
        opened = self._log.append(
            NodeOpened(kind=kind, title=title, data=data),
            path=path,
            parent=parent.path,
            cause=cause,
        )
        if kind is NodeKind.STEP:
            self._toolkit_names[path] = str(data.get("toolkit_name", ""))
        frame = Frame(path, seq=opened.seq, seed=self._seed)
        token = self._open.set(frame)
        try:
            with ends_of(frame):
                yield frame
                is_given_up = kind is NodeKind.PLAN and frame.state is NodeState.FAILED
                if is_given_up and self._stops is not None:
                    await self._stops.plan_failed(path, title, frame.seq)
        finally:
            self._open.reset(token)
            self._log.append(
                NodeClosed(state=frame.state, reason=frame.reason, error=frame.error),
                path=path,
                parent=parent.path,
            )

    async def choose_fallback(
        self, failed: int, candidates: Sequence[ScoredApi]
    ) -> ScoredApi | None:
        """Take the next API after a failure."""
        chosen = candidates[0] if candidates else None
        if self._stops is not None:
            chosen = await self._stops.before_fallback(self._frame.path, failed, candidates)
        if chosen is None:
            return None
        self._write(
            FallbackChosen(
                api=chosen.api.id,
                title=chosen.api.title,
                candidates=[api_row(item) for item in candidates],
            ),
            cause=failed,
        )
        return chosen

    async def toolkit_exhausted(self, toolkit: ToolkitId, failures: Sequence[int]) -> int:
        """Record that no API of a toolkit could do the step."""
        record = self._write(
            ToolkitExhausted(
                toolkit=toolkit,
                toolkit_name=self._toolkits.name_of(toolkit),
                failures=list(failures),
            ),
            cause=failures[-1] if failures else None,
        )
        return record.seq

    async def decide_replan(self, exhausted: int, *, number: int) -> int:
        """Record that another plan is about to be made."""
        if self._stops is not None:
            await self._stops.before_replan(self._frame.path, number, exhausted)
        return self._write(ReplanDecided(number=number), cause=exhausted).seq

    async def gather(self, *branches: Callable[[], Awaitable[T]]) -> list[T | Exception]:
        """Run branches in parallel; all end before this returns, also when the run is stopped."""
        tasks = [asyncio.ensure_future(_start(branch)) for branch in branches]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        found: list[T | Exception] = []
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, Exception):
                raise result
            found.append(result)
        return found

    async def note(self, text: str) -> None:
        """Write a remark."""
        self._write(Noted(text=text))

    def _write(self, event: Event, *, cause: int | None = None) -> Record:
        frame = self._frame
        return self._log.append(event, path=frame.path, parent=parent_of(frame.path), cause=cause)


async def _start(branch: Callable[[], Awaitable[T]]) -> T:
    return await branch()
