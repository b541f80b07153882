"""What a strategy can do to the world: the protocol that `runs/` implements.

A strategy is an ordinary coroutine `solve(task, run, options) -> Answer`. It never sees a
workspace, a provider
or a model. All it does passes one gate (budget, approval, stepping, faults, tape, log), so that
stepping,
recording, replay and forks work for every strategy without its help. To stay replayable a strategy
uses
`run.random` and `run.now()` only, and numbers the nodes it opens by their position.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from random import Random
from typing import Any, Protocol, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.plan import Plan, ResultRef, Step, Task
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.prompts.question import Question

T = TypeVar("T")


class ModelGaveUp(Exception):
    """No usable answer to a question after retries and repairs.

    Raised by `RunScope.ask`; the strategy decides what that means (a failed attempt, an unsolved
    run).

    Attributes:
        error: its class.
        seq: the log event that holds the last failure; a cause for what follows.
    """

    def __init__(self, error: ErrorClass, message: str, *, seq: int) -> None:
        self.error = error
        self.message = message
        self.seq = seq
        super().__init__(f"{error}: {message}")


class OpenNode(Protocol):
    """A node of the tree while its work goes on."""

    @property
    def path(self) -> NodePath:
        """Its place in the tree."""
        ...

    @property
    def seq(self) -> int:
        """The event that opened it; a cause for what follows."""
        ...

    def end(self, state: NodeState, reason: str = "", *, error: ErrorClass | None = None) -> None:
        """Say how it ends; the event is written when its `async with` is left. Without this: ok."""
        ...


class ToolkitView(Protocol):
    """The curated toolkits, read-only. Every answer is recorded, so that a replay sees the same."""

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best (or all, if fewer), best first."""
        ...

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit, by similarity to `near` and health, best first."""
        ...

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        ...


class RunScope(Protocol):
    """A run, as its strategy sees it."""

    @property
    def task(self) -> Task:
        """What is asked."""
        ...

    @property
    def toolkits(self) -> ToolkitView:
        """The curated toolkits."""
        ...

    @property
    def random(self) -> Random:
        """The only randomness; seeded by the run's seed."""
        ...

    async def now(self) -> datetime:
        """The only clock; recorded."""
        ...

    async def ask(self, question: Question[T]) -> T:
        """Put a question to the run's model and return the validated answer.

        Raises:
            ModelGaveUp: no usable answer after retries and repairs.
        """
        ...

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        *,
        bindings: Mapping[str, ResultRef] | None = None,
    ) -> Observation:
        """Call an API. A failure is an `Observation` with a class, never an exception.

        Arguments are checked against the schema first; a misfit fails without a call. `bindings`
        say which
        arguments were taken from earlier results (shown in the inspector; the values are in
        `arguments`).
        """
        ...

    async def retrieve(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs of the whole catalogue that fit a text best (hybrid search), best first."""
        ...

    def plan(
        self,
        number: int,
        plan: Plan,
        *,
        keeps: int = 0,
        also_kept: Sequence[int] = (),
        cause: int | None = None,
    ) -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of plan `number` (1, 2, ...).

        The first `keeps` steps are taken over as done from the plan before, and so are those
        whose numbers are in `also_kept` (finished independent steps behind the common prefix).
        """
        ...

    def step(self, step: Step, *, title: str = "") -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of a step of the open plan; steps may be opened by parallel branches."""
        ...

    def attempt(
        self, number: int, api: Api, *, cause: int | None = None
    ) -> AbstractAsyncContextManager[OpenNode]:
        """Open the node of attempt `number` (1, 2, ...) of the open step."""
        ...

    async def choose_fallback(
        self, failed: int, candidates: Sequence[ScoredApi]
    ) -> ScoredApi | None:
        """Take the next API after the failure in event `failed`; stop point "before a fallback".

        The first candidate, unless a person chooses another. None when there is none left.
        """
        ...

    async def toolkit_exhausted(self, toolkit: ToolkitId, failures: Sequence[int]) -> int:
        """Record that no API of a toolkit could do the step; returns the event, a replan's
        cause."""
        ...

    async def decide_replan(self, exhausted: int, *, number: int) -> int:
        """Record that plan `number` is about to be made; stop point "before a replan"; returns the
        event."""
        ...

    async def gather(self, *branches: Callable[[], Awaitable[T]]) -> list[T | Exception]:
        """Run branches in parallel; one that fails never discards its siblings. Results in order.

        Each branch must open a numbered node (`step`) before anything else, so that paths stay
        stable.
        """
        ...

    async def note(self, text: str) -> None:
        """Write a remark for the reader of the log."""
        ...
