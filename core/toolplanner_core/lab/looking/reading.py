"""An experiment as it stands at one moment: all that its figures are made of, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from toolplanner_core.domain.experiment import TrialState
from toolplanner_core.lab.looking.lacking import lacking_figures
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore, Standing


class TrialOutcome(StrEnum):
    """How a trial came out, in the eyes of one judge."""

    SOLVED = "solved"
    PARTLY = "partly solved"
    UNSOLVED = "not solved"
    NOT_JUDGED = "not judged"
    BROKEN = "broken"
    NOT_MEASURED = "not measured"
    TO_COME = "to come"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReading:
    """What was read.

    Attributes:
        texts: of the queries, by id.
        last_errors: class of the last error of each trial that had one, by its number.
        lacking: why figures of it would be empty, see `lacking_figures`.
    """

    results: ExperimentResults
    standing: Standing
    texts: Mapping[str, str]
    last_errors: Mapping[int, str]
    lacking: Mapping[str, str]

    @classmethod
    def of(cls, store: LabStore) -> Self:
        """Read an experiment. Blocks.

        Raises:
            NotFound: a judge of it is not here.
        """
        results = ExperimentResults(store)
        return cls(
            results=results,
            standing=store.standing(),
            texts={query.id: query.text for query in results.queries},
            last_errors=store.last_errors(),
            lacking=lacking_figures(results),
        )

    @property
    def so_far(self) -> str:
        """What a person must know before a figure is taken as final; "" where all trials ended."""
        standing = self.standing
        if not standing.left:
            return ""
        return f"So far: {standing.planned - standing.left:,} of {standing.planned:,} trials."


def outcome_of(each: JudgedTrial, judge: str) -> TrialOutcome:
    """How a trial came out."""
    state = each.trial.state
    if state is TrialState.BROKEN:
        return TrialOutcome.BROKEN
    if state is TrialState.NOT_MEASURED:
        return TrialOutcome.NOT_MEASURED
    if state is not TrialState.DONE:
        return TrialOutcome.TO_COME
    solved = each.verdicts.get(judge)
    if solved is None:
        return TrialOutcome.NOT_JUDGED
    return (
        TrialOutcome.SOLVED
        if solved >= 1
        else TrialOutcome.PARTLY
        if solved > 0
        else TrialOutcome.UNSOLVED
    )
