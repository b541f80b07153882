"""What repetitions say: pass@k, pass^k, and which kind of repetition is worth buying.

Source: pass@k: Chen et al. 2021, arXiv 2107.03374, equation 1; pass^k: Yao et al. 2024, tau-bench,
arXiv 2406.12045; variance components: Searle, Casella, McCulloch 1992, section 5.3 (nested, not
balanced, by mean squares).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean, group_numbers
from toolplanner_core.lab.statistics.estimates import CONFIDENCE, Estimate, as_table


def pass_at_k(passed: int, trials: int, k: int) -> float:
    """Unbiased chance that at least one of k trials passes.

    Raises:
        ValueError: fewer trials than k, or no number of passes among them.
    """
    _check(passed, trials, k)
    return 1 - comb(trials - passed, k) / comb(trials, k)


def pass_power_k(passed: int, trials: int, k: int) -> float:
    """Unbiased chance that all of k trials pass (pass^k).

    Raises:
        ValueError: fewer trials than k, or no number of passes among them.
    """
    _check(passed, trials, k)
    return comb(passed, k) / comb(trials, k)


def repeated_pass(
    outcomes: ArrayLike,
    k: int,
    clusters: Sequence[Hashable] | None = None,
    *,
    is_all: bool,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> Estimate:
    """Mean of pass@k (or pass^k) over queries, with a cluster bootstrap.

    Args:
        outcomes: (queries, seeds); above 0.5 is a pass, NaN = missing, and counts as failed: the
            denominator is the plan.
        clusters: group of each query, None = each stands alone.
        is_all: pass^k in the place of pass@k.

    Raises:
        ValueError: there are fewer seeds than k.
    """
    table = as_table(outcomes)
    of = pass_power_k if is_all else pass_at_k
    passed = (np.where(np.isnan(table), 0.0, table) > 0.5).sum(axis=1)
    shares = [of(int(each), table.shape[1], k) for each in passed]
    return bootstrap_mean(shares, clusters, span=(0, 1), confidence=confidence, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """Where the variance of single verdicts comes from; shares of `total`, which sum to 1.

    Attributes:
        queries: between queries; seeds: between trials of one query; votes: between verdicts on one
            trial. All 0 where nothing varies. A component that comes out below 0 counts as 0.
        of_mean: shares of the variance of the overall mean: what more queries, more seeds and more
            votes could take away. Where seeds hold little of it, more seeds buy nothing.
    """

    total: float
    queries: float
    seeds: float
    votes: float
    of_mean: tuple[float, float, float]


def variance_shares(
    values: ArrayLike, queries: Sequence[Hashable], trials: Sequence[Hashable]
) -> VarianceShares:
    """Split the variance of verdicts between queries, seeds and votes.

    Args:
        values: (verdicts,) numbers, such as 1, 0.5 and 0.
        queries: the query of each verdict; trials: its trial (a query and a seed).

    Raises:
        ValueError: fewer than two queries, or the lengths differ.
    """
    data = np.asarray(values, dtype=np.float64)
    query = group_numbers(queries, len(data))
    trial = group_numbers([*zip(queries, trials, strict=True)], len(data))
    n, a, b = len(data), int(query.max(initial=-1)) + 1, int(trial.max(initial=-1)) + 1
    if a < 2:
        raise ValueError("a variance between queries needs two of them")
    query_of = np.zeros(b, dtype=np.int64)
    query_of[trial] = query
    per_trial = np.bincount(trial).astype(np.float64)
    per_query = np.bincount(query).astype(np.float64)
    mean_trial = np.bincount(trial, data) / per_trial
    mean_query = np.bincount(query, data) / per_query
    squares = float((per_trial**2 / per_query[query_of]).sum())
    ms_votes = _mean_square(((data - mean_trial[trial]) ** 2).sum(), n - b)
    ms_trials = _mean_square((per_trial * (mean_trial - mean_query[query_of]) ** 2).sum(), b - a)
    ms_queries = _mean_square((per_query * (mean_query - data.mean()) ** 2).sum(), a - 1)
    votes = ms_votes
    seeds = max(0.0, ms_trials - votes) / ((n - squares) / (b - a)) if b > a else 0.0
    k2 = (squares - float((per_trial**2).sum()) / n) / (a - 1)
    k3 = (n - float((per_query**2).sum()) / n) / (a - 1)
    between = max(0.0, ms_queries - votes - k2 * seeds) / k3
    parts = np.array([between, seeds, votes])
    weights = np.array([(per_query**2).sum(), (per_trial**2).sum(), float(n)]) / n**2
    shares, of_mean = _normalised(parts), _normalised(parts * weights)
    return VarianceShares(
        total=float(parts.sum()),
        queries=float(shares[0]),
        seeds=float(shares[1]),
        votes=float(shares[2]),
        of_mean=(float(of_mean[0]), float(of_mean[1]), float(of_mean[2])),
    )


def _check(passed: int, trials: int, k: int) -> None:
    if not 0 < k <= trials or not 0 <= passed <= trials:
        raise ValueError(f"k = {k} of {trials} trials, {passed} passed")


def _mean_square(squares: float, degrees: int) -> float:
    return float(squares) / degrees if degrees > 0 else 0.0


def _normalised(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    total = float(parts.sum())
    return parts / total if total > 0 else parts
