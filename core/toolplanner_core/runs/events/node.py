"""Nodes of the tree: opened and closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOpened(Event):
    """A plan, step or attempt begins.

    `data` by kind: plan {"number", "keeps", "steps": [...]} with each step as it follows,
    step {"number", "goal", "toolkit", "toolkit_name", "needs"}, attempt {"number", "api", "title"}.
    """

    type: ClassVar[str] = "node.opened"
    actor: ClassVar[Actor] = Actor.STRATEGY
    kind: str
    title: str
    data: Mapping[str, Any]


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClosed(Event):
    """It ended in a `NodeState`, with a reason in words and an error class if it failed."""

    type: ClassVar[str] = "node.closed"
    actor: ClassVar[Actor] = Actor.STRATEGY
    state: str
    reason: str
    error: str | None
