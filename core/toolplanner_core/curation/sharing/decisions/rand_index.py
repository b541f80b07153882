"""How much two groupings of the same APIs agree.

Source: Rand 1971; adjusted for chance, Hubert and Arabie 1985.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb


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


def measure_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> GroupingAgreement:
    """Compare two groupings.

    Args:
        one, other: (n,) the group of each API.
    """
    pairs = comb(len(one), 2)
    both = sum(comb(n, 2) for n in Counter(zip(one, other, strict=True)).values())
    in_one = sum(comb(n, 2) for n in Counter(one).values())
    in_other = sum(comb(n, 2) for n in Counter(other).values())
    if not pairs:
        return GroupingAgreement(apis=len(one), same_pairs=1.0, adjusted_rand=1.0)
    expected = in_one * in_other / pairs
    most = (in_one + in_other) / 2
    return GroupingAgreement(
        apis=len(one),
        same_pairs=(pairs + 2 * both - in_one - in_other) / pairs,
        adjusted_rand=1.0 if most == expected else (both - expected) / (most - expected),
    )
