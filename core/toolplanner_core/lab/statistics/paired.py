"""Two arms over the same queries and seeds: their difference, and whether it may be chance.

Source: McNemar 1947, exact form by the binomial distribution of the discordant pairs; Bonett, Price
2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired
data", for the clusters that the bootstrap adds; Holm 1979.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean, bootstrap_median
from toolplanner_core.lab.statistics.estimates import CONFIDENCE, Estimate, as_table


class PairTable(NamedTuple):
    """Pairs by who solved them."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def discordant(self) -> int:
        """Pairs that only one of the arms solved: all that a comparison lives on."""
        return self.only_a + self.only_b


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedShares:
    """The difference between two shares, A minus B.

    Attributes:
        difference: over the pairs that are complete; None where none is.
        table: of those pairs; above 0.5 counts as solved.
        p: of McNemar's exact test, two-sided; None with several seeds a query or with groups, whose
            pairs are not independent.
        planned, missing: pairs of the plan, and those of which at least one trial is missing.
        worst, best: the difference with all missing trials decided against A, and for it.
    """

    difference: Estimate | None
    table: PairTable
    p: float | None
    planned: int
    missing: int
    worst: float
    best: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAmounts:
    """How much more A takes than B, of what is counted or measured (calls, seconds, dollars).

    Attributes:
        mean, median: of the differences A minus B.
        ratio: geometric mean of A / B; None where a value is not above 0.
        missing: pairs that are left out because a value is missing.
    """

    mean: Estimate
    median: Estimate
    ratio: Estimate | None
    missing: int


def paired_shares(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> PairedShares:
    """Compare two arms that were tried on the same queries with the same seeds.

    Args:
        a, b: outcomes from 0 (failed) to 1 (passed), (queries,) or (queries, seeds), paired by
            place; NaN = missing.
        clusters: group of each query, None = each stands alone.

    Raises:
        ValueError: the shapes differ, nothing is there, or an outcome is not in 0 to 1.
    """
    one, other = _pairs(a, b)
    if any(np.any((each < 0) | (each > 1)) for each in (one, other)):
        raise ValueError("outcomes are numbers from 0 to 1, NaN for missing ones")
    is_whole = ~np.isnan(one) & ~np.isnan(other)
    table = _table(one[is_whole] > 0.5, other[is_whole] > 0.5)
    difference = None
    if is_whole.any():
        made = bootstrap_mean(one - other, clusters, span=(-1, 1), confidence=confidence, seed=seed)
        difference = replace(made, low=max(-1.0, made.low), high=min(1.0, made.high))
    is_alone = clusters is None or len(set(clusters)) == len(clusters)
    is_single = one.shape[1] == 1 and is_alone
    worst = np.where(np.isnan(one), 0, one) - np.where(np.isnan(other), 1, other)
    best = np.where(np.isnan(one), 1, one) - np.where(np.isnan(other), 0, other)
    return PairedShares(
        difference=difference,
        table=table,
        p=mcnemar(table.only_a, table.only_b) if is_single else None,
        planned=one.size,
        missing=int((~is_whole).sum()),
        worst=float(worst.mean()),
        best=float(best.mean()),
    )


def paired_amounts(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> PairedAmounts:
    """Compare what two arms took on the same queries with the same seeds.

    Args:
        a, b: amounts, (queries,) or (queries, seeds), paired by place; NaN = missing.
        clusters: group of each query, None = each stands alone.

    Raises:
        ValueError: the shapes differ, or no pair is complete.
    """
    one, other = _pairs(a, b)
    is_whole = ~np.isnan(one) & ~np.isnan(other)
    ratio = None
    if bool(np.all(one[is_whole] > 0)) and bool(np.all(other[is_whole] > 0)):
        logs = bootstrap_mean(
            np.log(np.where(is_whole, one, 1.0)) - np.log(np.where(is_whole, other, np.nan)),
            clusters,
            confidence=confidence,
            seed=seed,
        )
        value, low, high = (float(np.exp(each)) for each in (logs.value, logs.low, logs.high))
        ratio = replace(logs, value=value, low=low, high=high)
    return PairedAmounts(
        mean=bootstrap_mean(one - other, clusters, confidence=confidence, seed=seed),
        median=bootstrap_median(one - other, clusters, confidence=confidence, seed=seed),
        ratio=ratio,
        missing=int((~is_whole).sum()),
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided p of the discordant pairs by the exact binomial test; 1 where there are none."""
    from scipy.stats import binom

    less = min(only_a, only_b)
    return min(1.0, 2 * float(binom.cdf(less, only_a + only_b, 0.5)))


def holm(p_of: Mapping[str, float]) -> dict[str, float]:
    """p adjusted for all comparisons that were named in advance (Holm's step-down).

    Args:
        p_of: p by the name of the comparison.

    Returns:
        Adjusted p by name, in the order given; at most 1.

    Raises:
        ValueError: a p does not lie in 0 to 1.
    """
    if any(not 0 <= p <= 1 for p in p_of.values()):
        raise ValueError("a p lies between 0 and 1")
    adjusted: dict[str, float] = {}
    above = 0.0
    for rank, name in enumerate(sorted(p_of, key=lambda name: p_of[name])):
        above = max(above, min(1.0, (len(p_of) - rank) * p_of[name]))
        adjusted[name] = above
    return {name: adjusted[name] for name in p_of}


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, other = as_table(a), as_table(b)
    if one.shape != other.shape or not one.size:
        raise ValueError(f"pairs need values of equal shapes: {one.shape}, {other.shape}")
    return one, other


def _table(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> PairTable:
    return PairTable(
        both=int((a & b).sum()),
        only_a=int((a & ~b).sum()),
        only_b=int((~a & b).sum()),
        neither=int((~a & ~b).sum()),
    )
