"""What an executor is, and the desk at which it gets trials and hands results in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from toolplanner_core.domain.experiment import TrialResult
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.trial_runs import TrialTask
from toolplanner_core.registry import Registry


class TrialDesk(Protocol):
    """The coordinator, as an executor sees it; any thread."""

    def lease(self, worker: int, *, may_wait: bool = True) -> TrialTask | None:
        """The next trial for a worker; None where there is none, or none shall begin.

        Args:
            may_wait: until trials that run have made room in the budget; else None is said.
        """
        ...

    def unsettled(self, first_worker: int) -> list[TrialTask]:
        """Trials that an earlier start had sent to workers from this number on."""
        ...

    def base(self) -> bytes:
        """The workspace as it was when the experiment was begun, the file as it is."""
        ...

    def begin_no_more(self) -> None:
        """Lease nothing any more: a worker could not go on."""
        ...

    def lease_again(self, task: TrialTask) -> bool:
        """Whether a trial whose worker died may be sent once more."""
        ...

    def collect(self, result: TrialResult) -> None:
        """Store a result and wait until it is on disk."""
        ...

    def give_up(self, task: TrialTask, why: str) -> None:
        """Store that a trial broke."""
        ...

    def journal(self, worker: int) -> Path:
        """A worker's own file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorPlugin:
    """An executor.

    Attributes:
        run: runs trials until the desk has none left. Blocks; when `progress` is cancelled it stops
            runs that are under way, which go on when the experiment is resumed. Gets the number of
            workers of this machine, and the address of those of others, "" = there are none.
    """

    id: str
    title: str
    description: str
    run: Callable[[TrialDesk, int, Progress, str], None]


executors = Registry(
    ExecutorPlugin, package="toolplanner_core.lab.executors", kind="executors", what="executor"
)
