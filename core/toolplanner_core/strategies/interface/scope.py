"""What a strategy can do to the world: the protocol that `runs/` implements.

A strategy is an ordinary coroutine `solve(task, run, options) -> Answer`. It never sees a
workspace, a provider or a model. All it does passes one gate (budget, approval, stepping, faults,
tape, log), so that stepping, recording, replay and forks work for every strategy without its help.
To stay replayable a strategy uses `run.random` and `run.now()` only, and numbers the nodes it opens
by their position.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Literal, Protocol, TypeVar, overload

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import OUT_OF_REACH, ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.plan import Judgement, ResultRef, Task
from toolplanner_core.domain.program import HostFunction, ProgramEnd
from toolplanner_core.domain.stop_points import Alternative, StopPoint
from toolplanner_core.prompts.conversation import Function
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.strategies.interface.dialogue import Dialogue
from toolplanner_core.strategies.interface.views import (
    CatalogueView,
    Memory,
    SharedBoard,
    ToolkitView,
)

T = TypeVar("T")


class ModelGaveUp(Exception):
    """No usable answer to a question after retries and repairs.

    Raised by `RunScope.ask`; the strategy decides what that means (a failed attempt, an unsolved
    run).

    Attributes:
        error: its class.
        seq: the log event that holds the last failure; a cause for what follows.
        todo: what a person can do, where the fault says more than its class.
    """

    def __init__(self, error: ErrorClass, message: str, *, seq: int, todo: str = "") -> None:
        self.error = error
        self.message = message
        self.seq = seq
        self.todo = todo
        super().__init__(f"{error}: {message}")

    @property
    def ends_run(self) -> bool:
        """Whether asking anything else would end in the same way: the model cannot be reached or
        paid."""
        return self.error in OUT_OF_REACH


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

    def end(
        self,
        state: NodeState,
        reason: str = "",
        *,
        error: ErrorClass | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Say how it ends, and what it came to; written when its `async with` is left. Without
        this: ok."""
        ...

    def tell(self, **data: Any) -> None:
        """Add to what people see of it, such as a score; at once, also after its end. A `title`
        takes the place of its own."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade:
    """A choice that was made.

    Attributes:
        chosen: None when a person wanted none of them, or there were none.
        seq: its event; a cause for what follows.
    """

    chosen: Alternative | None
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """A program that ran; `seq` is the event of its end, a cause for what follows."""

    end: ProgramEnd
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSpent:
    """What a run has used of its budget so far; `cost` in US dollars, None = unknown."""

    model_calls: int
    api_calls: int
    tokens: int
    cost: float | None
    seconds: float


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
    def catalogue(self) -> CatalogueView:
        """All APIs, to be looked through from the top down, or searched."""
        ...

    @property
    def board(self) -> SharedBoard:
        """The state that concurrent branches share."""
        ...

    @property
    def random(self) -> Random:
        """The only randomness; seeded by the run's seed, of its own in each node."""
        ...

    async def now(self) -> datetime:
        """The only clock; recorded."""
        ...

    def spent(self) -> BudgetSpent:
        """What the run has used of its budget; recorded."""
        ...

    async def memory(self, name: str) -> Memory:
        """What the strategy kept of earlier runs under a name; recorded."""
        ...

    async def verdict(self, answer: str) -> Judgement | None:
        """What an oracle says of an answer, None when there is none; recorded.

        Only for strategies that a person told to ask it: it knows what is right.
        """
        ...

    def node(
        self,
        kind: NodeKind,
        number: int,
        title: str,
        *,
        data: Mapping[str, Any] | None = None,
        cause: int | None = None,
    ) -> AbstractAsyncContextManager[OpenNode]:
        """Open a node of the tree below the one that is open.

        Args:
            number: 1, 2, ... among the nodes of its kind below the same parent.
            data: what its kind declares; people see it.
            cause: the event that made it necessary.
        """
        ...

    def again(self, node: OpenNode, title: str = "") -> AbstractAsyncContextManager[OpenNode]:
        """Go on below a node that was left: a search comes back to it."""
        ...

    async def decide(
        self,
        point: StopPoint,
        alternatives: Sequence[Alternative],
        *,
        title: str,
        cause: int | None = None,
        because: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> DecisionMade:
        """Make a choice that a person may make instead: the first alternative, unless one does.

        It is an event when something was chosen, or when nothing was left to choose from; that a
        person wanted none is an event of theirs.

        Args:
            title: what is about to be done, such as "Fall back to PumpWatch · price".
            because: why, for those whose cause this is; "" = its own cause says it.
        """
        ...

    @overload
    async def ask(self, question: Question[T], *, temperature: float | None = None) -> T: ...
    @overload
    async def ask(
        self, question: Question[T], *, temperature: float | None = None, samples: int
    ) -> list[T]: ...
    async def ask(
        self, question: Question[T], *, temperature: float | None = None, samples: int | None = None
    ) -> T | list[T]:
        """Put a question to the model of its role and return the validated answer.

        Args:
            temperature: instead of the question's own.
            samples: ask so often, at the same time; the usable answers in order.

        Raises:
            ModelGaveUp: no usable answer after retries and repairs; of samples: not one.
        """
        ...

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
        """Begin a conversation with tools.

        Args:
            name, title: of its turns in the tree.
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
        say which arguments were taken from earlier results (shown in the inspector; the values are
        in `arguments`). The observation names the API and the arguments that were really sent: a
        person may have changed them.
        """
        ...

    async def program(
        self, text: str, functions: Collection[str], answer: HostFunction
    ) -> ProgramRun:
        """Run a program in the sandbox, in a node of its own: it can do nothing but call functions.

        Args:
            functions: names that it may call; it waits until `answer` has done one, by
                `run.call` below a numbered node.
        """
        ...

    async def gather(
        self,
        *branches: Callable[[], Awaitable[T]],
        until: Literal["all", "first"] = "all",
        is_success: Callable[[T], bool] | None = None,
    ) -> list[T | Exception]:
        """Run branches in parallel. Results in order.

        Each branch must open a numbered node before anything else, so that paths stay stable.

        Args:
            until: "all": one that fails never discards its siblings. "first": the first that
                succeeds stops the others, whose result is then a `BranchStopped`.
            is_success: of a result, with "first"; None = any result that is no exception.
        """
        ...

    async def note(self, text: str) -> None:
        """Write a remark for the reader of the log."""
        ...

    def forget(self, node: OpenNode) -> None:
        """Drop what is kept of a node that was left, and of all below it: nothing goes on there,
        and no answer rests on it. For runs that go on for long; the log has it all."""
        ...

    async def commit(self) -> None:
        """Wait until all that happened so far is on disk, for whoever tells it to somebody outside.

        Raises:
            WorkspaceError: the file cannot be written.
        """
        ...


class BranchStopped(Exception):
    """A branch was stopped because another one was first."""
