"""Shares of a plan, of which some trials may be missing.

What is missing is seldom missing by chance: so the share is shown with all of it failed, and with
all of it passed. Source: worst-case bounds, Manski 1989.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import CONFIDENCE, Estimate, as_table, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedShare:
    """A share whose denominator is the plan.

    Attributes:
        planned: trials of the plan; finished: those with an outcome.
        if_missing_fail, if_missing_pass: the share with all missing trials failed, and passed.
            Without missing trials they are the same.
        finished_share: of the finished ones alone; None where none is. It is no rate of the plan:
            what is missing is seldom missing by chance.
    """

    planned: int
    finished: int
    if_missing_fail: Estimate
    if_missing_pass: Estimate
    finished_share: Estimate | None

    @property
    def missing(self) -> int:
        """Trials of the plan without an outcome."""
        return self.planned - self.finished


def share_of_plan(
    outcomes: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> PlannedShare:
    """Share of successes of a plan: Wilson for one trial a query, else a cluster bootstrap.

    Args:
        outcomes: (queries,) or (queries, seeds) numbers from 0 (failed) to 1 (passed); NaN = the
            trial is missing.
        clusters: group of each query; near-duplicates share one. None = each stands alone.

    Raises:
        ValueError: there is no query, or an outcome does not lie in 0 to 1.
    """
    table = as_table(outcomes)
    if not table.size or np.any((table < 0) | (table > 1)):
        raise ValueError("outcomes are numbers from 0 to 1, NaN for missing ones, at least one")

    def of(filled: NDArray[np.float64]) -> Estimate:
        return _share(filled, clusters, confidence=confidence, seed=seed)

    is_there = ~np.isnan(table)
    worst, best = np.where(is_there, table, 0.0), np.where(is_there, table, 1.0)
    failing = of(worst)
    is_whole = bool(is_there.all())
    return PlannedShare(
        planned=table.size,
        finished=int(is_there.sum()),
        if_missing_fail=failing,
        if_missing_pass=failing if is_whole else of(best),
        finished_share=failing if is_whole else of(table) if is_there.any() else None,
    )


def _share(
    table: NDArray[np.float64],
    clusters: Sequence[Hashable] | None,
    *,
    confidence: float,
    seed: int,
) -> Estimate:
    found = ~np.isnan(table)
    rows = found.any(axis=1)
    groups = None if clusters is None else [clusters[at] for at in np.flatnonzero(rows).tolist()]
    is_alone = groups is None or len(set(groups)) == len(groups)
    if is_alone and int(found.sum(axis=1).max()) == 1:
        return wilson(float(table[found].sum()), int(found.sum()), confidence=confidence)
    made = bootstrap_mean(table[rows], groups, span=(0, 1), confidence=confidence, seed=seed)
    return replace(made, low=max(0.0, made.low), high=min(1.0, made.high))
