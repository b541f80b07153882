"""Totals of a run: a fold of its records into what `toolplanner run` prints.

Kept while the run goes on, stored with its row at the end, rebuilt from the log for a run whose
process died. What an event adds stands in the event's own file (`Event.count`).
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.workspace.run_log import LogRow


@dataclass(slots=True, kw_only=True)
class Totals:
    """Counts so far.

    Attributes:
        model_calls: requests to models, repeated ones and repairs included.
        api_calls: calls that were sent, repeated ones included; what never left is none.
        failed_calls: sent calls that failed.
        counts: what node kinds and stop points count, by the name they declare: "fallbacks",
            "replans" ...
        cost: US dollars for all replies; None as soon as the cost of one is unknown.
        seconds: since the run began.
    """

    model_calls: int = 0
    api_calls: int = 0
    failed_calls: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    @property
    def fallbacks(self) -> int:
        """Other APIs of a toolkit that were tried."""
        return self.counts.get("fallbacks", 0)

    @property
    def replans(self) -> int:
        """Plans after the first."""
        return self.counts.get("replans", 0)

    def apply(self, records: Iterable[LogRow[Any]]) -> None:
        """Add records, events typed."""
        for record in records:
            self.seconds = max(self.seconds, record.mono_ns / 1e9)
            record.event.count(self, record)

    def add(self, name: str, number: int) -> None:
        """Count something that a strategy declares."""
        if number:
            self.counts[name] = self.counts.get(name, 0) + number

    def add_usage(self, tokens: int, cost: float | None) -> None:
        """Count the tokens and dollars of a reply."""
        self.tokens += tokens
        self.cost = add_costs(self.cost, cost)

    def to_json(self) -> dict[str, Any]:
        """For the row of the run, and as the fields of a `RunSummary`."""
        named = {"fallbacks": self.fallbacks, "replans": self.replans}
        return {**dataclasses.asdict(self), **named, "seconds": round(self.seconds, 3)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Totals":
        """From the row of the run; a count that is not there is zero, a cost is unknown."""
        known = {field.name for field in dataclasses.fields(cls)}
        found = {name: value for name, value in data.items() if name in known}
        found.setdefault("cost", None)
        # Rows of earlier programs hold these two alone.
        former = {name: data[name] for name in ("fallbacks", "replans") if data.get(name)}
        found["counts"] = {**former, **found.get("counts", {})}
        return cls(**found)


def add_costs(one: float | None, other: float | None) -> float | None:
    """The sum of two costs; unknown as soon as one is."""
    return None if one is None or other is None else one + other
