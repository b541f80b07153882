"""Totals of a run: a fold of its records into what `toolplanner run` prints.

Kept while the run goes on, stored with its row at the end, rebuilt from the log for a run whose
process died. Callers: `engine.py`, `interrupted.py`, the live status of a run.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from toolplanner_core.domain.nodes import NodeKind
from toolplanner_core.runs.events.call import CallFailed, CallSent
from toolplanner_core.runs.events.decision import FallbackChosen
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeOpened
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied


@dataclass(slots=True, kw_only=True)
class Totals:
    """Counts so far.

    Attributes:
        model_calls: requests to models, repeated ones and repairs included.
        api_calls: calls that were sent, repeated ones included.
        failed_calls: sent calls that failed.
        replans: plans after the first.
        cost: US dollars for all replies; None as soon as the cost of one is unknown.
        seconds: since the run began.
    """

    model_calls: int = 0
    api_calls: int = 0
    failed_calls: int = 0
    fallbacks: int = 0
    replans: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    def apply(self, records: Iterable[Record]) -> None:
        """Add records."""
        for record in records:
            self.seconds = max(self.seconds, record.mono_ns / 1e9)
            match record.event:
                case ModelAsked():
                    self.model_calls += 1
                case ModelReplied(input_tokens=sent, output_tokens=got, cost=cost):
                    self.tokens += sent + got
                    self.cost = add_costs(self.cost, cost)
                case CallSent():
                    self.api_calls += 1
                case CallFailed():
                    self.failed_calls += 1
                case FallbackChosen():
                    self.fallbacks += 1
                case NodeOpened(kind=NodeKind.PLAN, data=data):
                    self.replans += int(data.get("number", 1)) > 1
                case _:
                    pass

    def for_summary(self) -> "TotalFields":
        """As the fields of a `RunSummary`."""
        return {
            "model_calls": self.model_calls,
            "api_calls": self.api_calls,
            "failed_calls": self.failed_calls,
            "fallbacks": self.fallbacks,
            "replans": self.replans,
            "tokens": self.tokens,
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> dict[str, Any]:
        """For the row of the run."""
        return {**self.for_summary()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Totals":
        """From the row of the run; a count that is not there is zero, a cost is unknown."""
        known = {field.name for field in dataclasses.fields(cls)}
        found = {name: value for name, value in data.items() if name in known}
        found.setdefault("cost", None)
        return cls(**found)


def add_costs(one: float | None, other: float | None) -> float | None:
    """The sum of two costs; unknown as soon as one is."""
    return None if one is None or other is None else one + other


class TotalFields(TypedDict):
    """The fields of `RunSummary` that are totals."""

    model_calls: int
    api_calls: int
    failed_calls: int
    fallbacks: int
    replans: int
    tokens: int
    cost: float | None
    seconds: float
