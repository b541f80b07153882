"""Totals of a run: a fold of its records into what `toolplanner run` prints.

Kept while the run goes on, stored with its row at the end, rebuilt from the log for a run whose
process died. What an event adds stands in the event's own file (`Event.count`).
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import FailureOrigin
from toolplanner_core.workspace.run_log import LogRow


@dataclass(slots=True, kw_only=True)
class Totals:
    """Counts so far.

    Attributes:
        model_calls: requests to models, repeated ones and repairs included; `repeated_model_calls`
            of them asked a question again that had got no reply.
        api_calls: calls that were sent, repeated ones included; what never left is none.
        failed_calls: calls that failed in the end, as `domain.observation.failed_by` says; one
            that is tried again and served is none.
        failed_by_you, failed_by_fault: those of them that a person, or an injected fault, made
            fail. One whose reply a person replaced is one of them all the same.
        counts: what node kinds and stop points count, by the name they declare: "fallbacks",
            "replans" ...
        estimated_tokens: those of `tokens` that no endpoint has counted.
        cost: US dollars for all replies; None as soon as the cost of one is unknown.
        seconds: since the run began.
    """

    model_calls: int = 0
    repeated_model_calls: int = 0
    api_calls: int = 0
    failed_calls: int = 0
    failed_by_you: int = 0
    failed_by_fault: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0
    estimated_tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    _failed: dict[NodePath, FailureOrigin] = field(
        default_factory=dict[NodePath, FailureOrigin], init=False, repr=False, compare=False
    )

    _sent: set[NodePath] = field(
        default_factory=set[NodePath], init=False, repr=False, compare=False
    )

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

    def note_sent(self, path: NodePath) -> None:
        """A call leaves, for the first time or again."""
        self.api_calls += 1
        self._sent.add(path)

    def was_sent(self, path: NodePath) -> bool:
        """Whether a call ever left."""
        return path in self._sent

    def has_failed(self, path: NodePath) -> bool:
        """Whether the newest outcome of a call is a failure."""
        return path in self._failed

    def note_outcome(self, path: NodePath, failed: FailureOrigin | None) -> None:
        """The newest outcome of a call counts: None = it goes on, or did not fail."""
        before = self._failed.pop(path, None)
        if failed is not None:
            self._failed[path] = failed
        for who, number in ((before, -1), (failed, 1)):
            if who is not None:
                self.failed_calls += number
                self.failed_by_you += number * (who is FailureOrigin.YOU)
                self.failed_by_fault += number * (who is FailureOrigin.FAULT)

    def add_usage(self, tokens: int, cost: float | None, *, estimated: int = 0) -> None:
        """Count the tokens and dollars of a reply."""
        self.tokens += tokens
        self.estimated_tokens += estimated
        self.cost = add_costs(self.cost, cost)

    def to_json(self) -> dict[str, Any]:
        """For the row of the run, and as the fields of a `RunSummary`."""
        named = {"fallbacks": self.fallbacks, "replans": self.replans}
        found = {**dataclasses.asdict(self), **named, "seconds": round(self.seconds, 3)}
        del found["_failed"], found["_sent"]
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Totals":
        """From the row of the run; a count that is not there is zero, a cost is unknown."""
        known = {field.name for field in dataclasses.fields(cls) if field.init}
        found = {name: value for name, value in data.items() if name in known}
        found.setdefault("cost", None)
        # Rows of earlier programs hold these two alone.
        former = {name: data[name] for name in ("fallbacks", "replans") if data.get(name)}
        found["counts"] = {**former, **found.get("counts", {})}
        return cls(**found)


def add_costs(one: float | None, other: float | None) -> float | None:
    """The sum of two costs; unknown as soon as one is."""
    return None if one is None or other is None else one + other
