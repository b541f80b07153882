"""What each factor of an experiment does: its values compared over all others, and interactions.

Arms that differ in one setting alone are paired by query, seed and all their other settings. First
the plain difference; beside it the odds ratio of a logistic model with a constant for each query,
seed and setting of the rest, which for pairs depends on the discordant ones alone.

Source: conditional logistic regression for matched pairs: Breslow, Day 1980, section 5.2; its
interval by that of a share (Wilson 1927), as odds are p / (1 - p).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.lab.statistics.paired import PairedShares, paired_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class MainEffect:
    """One value of a factor minus another, over all settings of the rest.

    Attributes:
        shares: the difference.
        odds_ratio: by conditional logit, with pairs as if each stood alone: of several seeds its
            interval is too narrow. None without discordant pairs, or where all fall on one side.
    """

    shares: PairedShares
    odds_ratio: Estimate | None


def main_effect(
    a: NDArray[np.float64], b: NDArray[np.float64], clusters: Sequence[Hashable], *, seed: int = 0
) -> MainEffect:
    """The effect of a value of a factor against another one.

    Args:
        a, b: (queries, seeds x settings of the rest), paired by place; NaN = missing.
        clusters: group of each query.

    Raises:
        ValueError: as of `paired_shares`.
    """
    shares = paired_shares(a, b, clusters, seed=seed)
    only_a, only_b = shares.table.only_a, shares.table.only_b
    ratio = None
    if only_a and only_b:
        share = wilson(only_a, only_a + only_b)
        ratio = Estimate(
            value=only_a / only_b,
            low=share.low / (1 - share.low),
            high=share.high / (1 - share.high),
            n=only_a + only_b,
            clusters=only_a + only_b,
            method="conditional logit of discordant pairs",
        )
    return MainEffect(shares=shares, odds_ratio=ratio)


def interaction(
    cells: Sequence[Sequence[NDArray[np.float64]]],
    clusters: Sequence[Hashable],
    *,
    seed: int = 0,
) -> Estimate | None:
    """How much more the first factor does with the second one's first value than with its other.

    Args:
        cells: two by two tables (queries, seeds x settings of the rest), [first][second].
        clusters: group of each query.

    Returns:
        (a1 - b1) - (a2 - b2) with an interval by drawing clusters; None where no cell is complete.
    """
    found = (cells[0][0] - cells[1][0]) - (cells[0][1] - cells[1][1])
    if np.isnan(found).all():
        return None
    return bootstrap_mean(found, clusters, span=(-2, 2), seed=seed)
