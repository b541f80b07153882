"""What a judge is. It reads the facts of a run, never calls a tool or the acting model, and does
not know the arm."""

from collections.abc import Callable
from dataclasses import dataclass

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlugin:
    """A judge.

    Attributes:
        judge: what it says of a trial that ended, None where it cannot say; pure.
        applies: whether it can judge trials of a query at all; others are not in its figures.
        version: another one means that it may judge the same facts otherwise.
    """

    id: str
    title: str
    description: str
    judge: Callable[[Query, TrialFacts], TrialVerdict | None]
    applies: Callable[[Query], bool] = lambda _: True
    version: int = 1


judges = Registry(JudgePlugin, package="toolplanner_core.lab.judges", kind="judges", what="judge")
