"""Begin and end of a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """The first event of every run: all that is needed to run it again."""

    type: ClassVar[str] = "run.started"
    query: str
    strategy: str
    model: str
    model_label: str
    provider: str
    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    seed: int
    toolkits_version: int
    app_version: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """The last event; `status` is a `domain.plan.Status`."""

    type: ClassVar[str] = "run.finished"
    status: str
    answer: str
    reason: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class RunInterrupted(Event):
    """Written at the next start for a run whose process died; lists calls that may have
    happened."""

    type: ClassVar[str] = "run.interrupted"
    in_doubt: list[int]
