"""Who knows what is right: the expectation of a saved case, or a simulator.

A strategy asks it only when a person said so in its options; what it says is written down, so that
a replay hears the same.
"""

from collections.abc import Callable, Mapping
from typing import Any

from toolplanner_core.domain.plan import Judgement
from toolplanner_core.runs.catalogue.recorded_catalogue import TapedLookups

Oracle = Callable[[str], Judgement]
"""What it says of an answer."""


class RecordedOracle:
    """Asks an oracle, or the tape; None = nobody knows."""

    def __init__(self, oracle: Oracle | None, lookups: TapedLookups) -> None:
        self._oracle, self._lookups = oracle, lookups

    async def verdict(self, answer: str) -> Judgement | None:
        """What it says of an answer, None when there is no oracle."""

        async def ask() -> list[Judgement]:
            return [] if self._oracle is None else [self._oracle(answer)]

        found = await self._lookups.answer("oracle", {"answer": answer}, ask, _row, _from_row)
        return found[0] if found else None


def _row(verdict: Judgement) -> Mapping[str, Any]:
    return {"solved": verdict.solved, "reason": verdict.reason}


def _from_row(row: Mapping[str, Any]) -> Judgement:
    return Judgement(solved=row["solved"], reason=row["reason"])
