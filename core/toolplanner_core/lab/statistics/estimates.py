"""A figure with its interval, and Wilson's interval of a share.

Source: Wilson 1927, equation as in Brown, Cai, DasGupta 2001, "Interval estimation for a binomial
proportion".
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolplanner_core.words.formatting import counted

CONFIDENCE = 0.95
"""Of all intervals, unless a caller asks for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        low, high: bounds of the interval; `value` lies between them.
        n: units that it was computed from: queries, pairs, labels.
        clusters: independent groups among them, `n` where each stands alone.
        method: how the interval was made, for the caption.
    """

    value: float
    low: float
    high: float
    n: int
    clusters: int
    method: str
    confidence: float = CONFIDENCE

    def __str__(self) -> str:
        """ "0.742 [0.701, 0.781], n = 120"."""
        grouped = f" in {counted(self.clusters, 'group')}" if self.clusters != self.n else ""
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n:,}{grouped}"


def normal_quantile(confidence: float) -> float:
    """Half-width of a two-sided interval in standard deviations: 1.96 for 0.95.

    Raises:
        ValueError: the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, {confidence} does not")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: float, n: int, *, confidence: float = CONFIDENCE) -> Estimate:
    """Share of successes among independent units, with Wilson's score interval.

    Args:
        successes: may hold halves, such as of verdicts "unsure".

    Raises:
        ValueError: n is not positive, or the successes do not lie in 0 to n.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    z = normal_quantile(confidence)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(
        value=share,
        low=max(0.0, min(share, middle - half)),
        high=min(1.0, max(share, middle + half)),
        n=n,
        clusters=n,
        method="Wilson",
        confidence=confidence,
    )


def as_table(values: ArrayLike) -> NDArray[np.float64]:
    """(queries, seeds) float64 of values by query, or by query and seed.

    Raises:
        ValueError: they have another shape.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(f"values are (queries,) or (queries, seeds), not {table.shape}")
    return table
