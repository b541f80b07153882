"""What a judge is. It reads the facts of a run, or its events, never calls a tool or the acting
model, and does not know the arm."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.registry import Registry
from toolplanner_core.runs.events.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlugin:
    """A judge.

    Attributes:
        judge: what it says of a trial that ended, None where it cannot say; pure.
        judge_events: the same, of a judge who looks at the run itself and not at its facts.
        applies: whether it can judge trials of a query at all; others are not in its figures.
        version: another one means that it may judge the same facts otherwise.
    """

    id: str
    title: str
    description: str
    judge: Callable[[Query, TrialFacts], TrialVerdict | None] = lambda _, __: None
    judge_events: Callable[[Query, Iterable[Event]], TrialVerdict | None] | None = None
    applies: Callable[[Query], bool] = lambda _: True
    version: int = 1

    def verdict(self, query: Query, facts: TrialFacts, packed: bytes) -> TrialVerdict | None:
        """What it says of a trial that ended, None where it cannot say.

        Args:
            packed: the run, see `TrialResult.packed`.

        Raises:
            BadInput: the run cannot be read.
        """
        if self.judge_events is None:
            return self.judge(query, facts)
        return self.judge_events(query, events_of(packed)) if packed else None


judges = Registry(JudgePlugin, package="toolplanner_core.lab.judges", kind="judges", what="judge")
