"""How many queries a comparison needs, and what a data set can show.

Source: Connor 1987, "Sample size for testing differences in proportions for the paired-sample
design", equation 2; Schlesselman 1982. The power of the exact test is summed, not approximated.
"""

import math
from statistics import NormalDist

from toolplanner_core.lab.statistics.estimates import CONFIDENCE, normal_quantile

POWER = 0.8
"""Chance to find a difference that is there, as plans usually ask for it."""


def queries_needed(
    difference: float,
    discordant: float,
    *,
    power: float = POWER,
    confidence: float = CONFIDENCE,
) -> int:
    """Queries of a paired comparison, by Connor's approximation.

    Args:
        difference: of the two shares that shall be found, such as 0.05.
        discordant: share of the pairs that only one arm solves, such as 0.2.

    Raises:
        ValueError: the difference is 0 or exceeds what is discordant, or a share lies outside 0
            to 1.
    """
    delta = _checked(difference, discordant, power)
    z, beta = normal_quantile(confidence), NormalDist().inv_cdf(power)
    root = z * math.sqrt(discordant) + beta * math.sqrt(discordant - delta**2)
    return math.ceil((root / delta) ** 2)


def least_difference(
    queries: int,
    discordant: float,
    *,
    power: float = POWER,
    confidence: float = CONFIDENCE,
) -> float | None:
    """The least difference that so many queries can be expected to show, by the same approximation.

    Returns:
        A difference of shares; None where even the greatest possible one needs more queries.
    """
    if queries < queries_needed(discordant, discordant, power=power, confidence=confidence):
        return None
    low, high = 0.0, discordant
    for _ in range(60):  # halving: 2**-60 of the range
        middle = (low + high) / 2
        needed = queries_needed(middle, discordant, power=power, confidence=confidence)
        low, high = (low, middle) if needed <= queries else (middle, high)
    return high


def power_of_mcnemar(
    queries: int, difference: float, discordant: float, *, confidence: float = CONFIDENCE
) -> float:
    """Chance that McNemar's exact test finds a difference with so many queries.

    It is a little less than the approximation promises: the exact test is careful with few
    discordant pairs.

    Raises:
        ValueError: as `queries_needed`.
    """
    import numpy as np
    from scipy.stats import binom

    delta = _checked(difference, discordant, POWER)
    share = (discordant + delta) / 2 / discordant
    pairs = np.arange(queries + 1)
    weight = binom.pmf(pairs, queries, discordant)
    # Greatest count of the rarer side at which the two-sided test rejects; -1 = it never does.
    edge = binom.ppf((1 - confidence) / 2, pairs, 0.5)
    edge = np.where(2 * binom.cdf(edge, pairs, 0.5) <= 1 - confidence, edge, edge - 1)
    found = binom.cdf(edge, pairs, share) + binom.cdf(edge, pairs, 1 - share)
    return float((weight * np.where(edge < 0, 0.0, found)).sum())


def _checked(difference: float, discordant: float, power: float) -> float:
    """The difference without its sign."""
    delta = abs(difference)
    if not 0 < delta <= discordant <= 1 or not 0 < power < 1:
        raise ValueError(
            f"a difference of {difference} cannot be looked for where {discordant} is discordant"
        )
    return delta
