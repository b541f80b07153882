"""What a strategy plug-in is, and the registry of strategies.

It knows node kinds and stop points by their ids: those of the engine and of every strategy. A log
can hold kinds of a strategy that is not installed here; they are shown by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import ENGINE_KINDS, NodeKind
from toolplanner_core.domain.stop_points import ENGINE_POINTS, StopPoint
from toolplanner_core.errors import BadInput
from toolplanner_core.options.published import PublishedSettings
from toolplanner_core.registry import Registry

if TYPE_CHECKING:
    from toolplanner_core.domain.nodes import NodeKind
    from toolplanner_core.domain.plan import Answer, Task
    from toolplanner_core.domain.stop_points import StopPoint
    from toolplanner_core.strategies.interface.scope import RunScope


DEFAULT_STRATEGY = "tool-planner"
"""The one that is taken where nobody chooses."""


class Solve(Protocol):
    """The coroutine that solves a task through its `RunScope`."""

    async def __call__(self, task: Task, run: RunScope, options: Any) -> Answer:
        """Solve `task`; `options` is an instance of the plug-in's `options` class."""
        ...


class OutlinedStep(NamedTuple):
    """What a plan would begin a step with: names for people, "" = none.

    Attributes:
        tried: ids of the APIs that may be tried, in their order: the first, then its fallbacks.
    """

    toolkit: str
    api: str
    tried: tuple[ApiId, ...] = ()


class Outline(Protocol):
    """The coroutine that makes the first plan alone, without a call of an API."""

    async def __call__(self, task: Task, run: RunScope, options: Any) -> Sequence[OutlinedStep]:
        """What each step of the first plan would begin with."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyPlugin:
    """A strategy.

    Attributes:
        description: two sentences for people: what it does, and what it is good for.
        paper: where it comes from, "" if from nowhere.
        options: a frozen dataclass with defaults: the CLI makes flags and the window a form of it.
        outline: its first plan without a call, to say what an edit would change; None = it plans as
            it goes. It asks questions and looks up toolkits, nothing else.
        kinds: the kinds of nodes that it opens; points: the stop points that it passes.
        version: grows with each change after which it does or asks other things than before.
        needs_model: it asks more than the offline planner can answer.
        needs_sandbox: it runs programs (`RunScope.program`).
        answers: it answers queries, so that its solved runs are ways to an answer. False: it looks
            at APIs one by one, in no order that means anything.
        example: the options with which its example run in the demo shows what it is about, None =
            there is none: it answers no query, or cannot answer that of the examples.
        is_offered: people choose it. False: requests from outside drive it, so that the program
            alone starts it, with its requests.
        published: the settings of its paper, None = it has none.
    """

    id: str
    title: str
    description: str
    options: type
    solve: Solve
    paper: str = ""
    outline: Outline | None = None
    kinds: tuple[NodeKind, ...] = ()
    points: tuple[StopPoint, ...] = ()
    version: int = 1
    needs_model: bool = True
    needs_sandbox: bool = False
    answers: bool = True
    example: Mapping[str, Any] | None = field(default_factory=dict[str, Any])
    is_offered: bool = True
    published: PublishedSettings | None = None

    @property
    def explanation(self) -> str:
        """The description, what it needs, and its paper, for whoever chooses."""
        needs = "a language model" if self.needs_model else "no language model: rules can plan, too"
        sandbox = "; its programs run in the sandbox" if self.needs_sandbox else ""
        paper = f" {self.paper}." if self.paper else ""
        return f"{self.description} Needs {needs}{sandbox}.{paper}"


strategies = Registry(
    StrategyPlugin,
    package="toolplanner_core.strategies",
    kind="strategies",
    what="strategy",
    is_offered=lambda plugin: plugin.is_offered,
)


def offered_strategy(strategy: str) -> StrategyPlugin:
    """The strategy with this id, for whoever starts a run by its name.

    Raises:
        NotFound: there is none.
        BadInput: requests from outside drive it.
    """
    plugin = strategies.get(strategy)
    if not plugin.is_offered:
        raise BadInput(
            f"A run of {plugin.title} cannot be started, repeated or forked by hand",
            why="Its calls came from outside, one by one",
            todo="Look at it, compare it, or run a query with another strategy",
        )
    return plugin


@cache
def node_kinds() -> dict[str, NodeKind]:
    """All kinds that are declared, by id."""
    found = {kind.id: kind for plugin in strategies.plugins.values() for kind in plugin.kinds}
    return found | {kind.id: kind for kind in ENGINE_KINDS}


@cache
def stop_points() -> dict[str, StopPoint]:
    """All points that are declared, by id: the engine's first."""
    found = {point.id: point for point in ENGINE_POINTS}
    return found | {
        point.id: point for plugin in strategies.plugins.values() for point in plugin.points
    }


def node_kind(kind_id: str) -> NodeKind:
    """The kind with this id; one that nobody declares is known by its id alone."""
    known = node_kinds().get(kind_id)
    return known if known is not None else NodeKind(id=kind_id, word=_words(kind_id))


def stop_point(point_id: str) -> StopPoint:
    """The point with this id; one that nobody declares is known by its id alone."""
    known = stop_points().get(point_id)
    if known is not None:
        return known
    words = _words(point_id)
    return StopPoint(id=point_id, kind=point_id, word=f"{words.capitalize()}:", event=words)


def _words(name: str) -> str:
    return name.replace("_", " ")
