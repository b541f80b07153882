"""How much two groupings of the same APIs agree.

Source: Rand 1971; adjusted for chance, Hubert and Arabie 1985.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingAgreement:
    """Figures of two groupings.

    Attributes:
        apis: how many APIs they are about.
        same_pairs: share of the pairs that both put together or both put apart; 1 for fewer than
            two APIs.
        adjusted_rand: 1 for equal groupings, about 0 for chance.
    """

    apis: int
    same_pairs: float
    adjusted_rand: float


def measure_agreement(one: Sequence[int], other: Sequence[int]) -> GroupingAgreement:
    """Compare two groupings.

    Args:
        one, other: (n,) the group of each API.
    """
    from sklearn.metrics import adjusted_rand_score, rand_score

    if len(one) < 2:
        return GroupingAgreement(apis=len(one), same_pairs=1.0, adjusted_rand=1.0)
    return GroupingAgreement(
        apis=len(one),
        same_pairs=float(rand_score(one, other)),
        adjusted_rand=float(adjusted_rand_score(one, other)),
    )
