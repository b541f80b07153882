"""What a strategy plug-in is, and the registry of strategies."""

from dataclasses import dataclass
from typing import Any, Protocol

from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.registry import Registry
from toolplanner_core.strategies.scope import RunScope


class Solve(Protocol):
    """The coroutine that solves a task through its `RunScope`."""

    async def __call__(self, task: Task, run: RunScope, options: Any) -> Answer:
        """Solve `task`; `options` is an instance of the plug-in's `options` class."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyPlugin:
    """A strategy. `options` is a frozen dataclass with defaults: the CLI makes flags and the GUI a
    form of it."""

    id: str
    title: str
    description: str
    options: type
    solve: Solve


strategies: Registry[StrategyPlugin] = Registry("toolplanner_core.strategies", "strategy")
