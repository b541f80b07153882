"""The experiments of a folder: those that were begun, and those that are only described."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.domain.experiment import TrialState
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.process_identity import is_alive
from toolplanner_core.lab.experiment_file import SUFFIX
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.lab_store import LabStore, Standing

STORE_SUFFIX = ".lab"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedExperiment:
    """An experiment beside a workspace.

    Attributes:
        store: its results, which may not be there yet; file: what describes it, likewise.
        standing: None = it was not begun, or cannot be read.
        is_running: a process runs it at the moment.
        problem: why it cannot be read, for people; "" = it can.
    """

    name: str
    store: Path
    file: Path
    standing: Standing | None = None
    is_running: bool = False
    problem: str = ""

    @property
    def done(self) -> int:
        """Trials that are not left to be run."""
        return 0 if self.standing is None else self.standing.planned - self.standing.left

    @property
    def word(self) -> str:
        """How it stands."""
        if self.problem:
            return "cannot be read"
        if self.standing is None:
            return "not started"
        if self.is_running:
            return "running"
        return "stopped" if self.standing.left else "finished"


def list_experiments(folder: Path) -> list[ListedExperiment]:
    """All experiments of a folder, by name. Blocks."""
    names = {path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")}
    names |= {path.name.removesuffix(STORE_SUFFIX) for path in _files(folder)}
    return [look_at(folder / f"{name}{STORE_SUFFIX}") for name in sorted(names)]


def look_at(store: Path) -> ListedExperiment:
    """How one experiment stands. Blocks."""
    name = store.name.removesuffix(STORE_SUFFIX)
    listed = ListedExperiment(name=name, store=store, file=store.with_name(f"{name}{SUFFIX}"))
    if not store.exists():
        return listed
    try:
        with LabStore.open(store, is_trusted=True) as opened:
            standing, who = opened.standing(), opened.coordinator()
    except UserError as error:
        return ListedExperiment(name=name, store=store, file=listed.file, problem=error.sentence)
    return ListedExperiment(
        name=name,
        store=store,
        file=listed.file,
        standing=standing,
        is_running=bool(who) and is_alive(who),
    )


def standing_words(standing: Standing) -> str:
    """How the trials stand: "300 trials: 280 done, 20 planned"."""
    states = ", ".join(
        f"{standing.by_state[state]:,} {state}"
        for state in TrialState
        if state in standing.by_state
    )
    stopped = f" {standing.stopped}." if standing.stopped else ""
    return f"{counted(standing.planned, 'trial')}: {states}.{stopped}"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(f"*{STORE_SUFFIX}") if path.is_file())
