"""How good a ranking is: recall, nDCG, completeness, with bootstrap intervals.

Source: Järvelin, Kekäläinen 2002 (nDCG); COLT (complete@k: all gold APIs in the top k); percentile
bootstrap: Efron 1979.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

DEPTHS = (5, 10)
DEEP = 50
"""Where a re-ranker, or a reader, could still find what a search has put lower."""
RESAMPLES = 1_000
"""Bootstrap samples; intervals are of 95 percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over queries with its interval."""

    mean: float
    low: float
    high: float

    def said(self) -> str:
        """For tables: "0.742 [0.70, 0.78]"."""
        return f"{self.mean:.3f} [{self.low:.2f}, {self.high:.2f}]"


def ranking_figures(ranks: Sequence[Sequence[int]], *, seed: int = 0) -> dict[str, Figure]:
    """The figures of a set of queries, by name, such as "recall@5".

    Args:
        ranks: per query the rank of each of its gold APIs, 1 = best.
    """
    rows = {name: [value(each) for each in ranks] for name, value in _MEASURES.items()}
    if not ranks:
        return {}
    drawn = np.random.default_rng(seed).integers(0, len(ranks), size=(RESAMPLES, len(ranks)))
    found: dict[str, Figure] = {}
    for name, values in rows.items():
        array = np.array(values, dtype=np.float64)
        means = array[drawn].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        found[name] = Figure(mean=float(array.mean()), low=float(low), high=float(high))
    return found


def recall(ranks: Sequence[int], depth: int) -> float:
    """Share of the gold APIs among the first `depth`."""
    return sum(rank <= depth for rank in ranks) / len(ranks)


def ndcg(ranks: Sequence[int], depth: int) -> float:
    """Discounted gain over that of the best order."""
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= depth)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(depth, len(ranks)) + 1))
    return gain / best


def complete(ranks: Sequence[int], depth: int) -> float:
    """1 when all gold APIs are among the first `depth`."""
    return float(max(ranks) <= depth)


_MEASURES: dict[str, Callable[[Sequence[int]], float]] = {
    f"{name}@{depth}": partial(of, depth=depth)
    for name, of in (("recall", recall), ("ndcg", ndcg), ("complete", complete))
    for depth in DEPTHS
} | {f"recall@{DEEP}": partial(recall, depth=DEEP)}
