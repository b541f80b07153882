"""How much weight a transition has: from trajectories, and from the scores of later runs.

Source: ToolNet, arXiv 2403.00839, equations 5 to 8. The paper prints the score of the tool that is
left in the numerator of equation 7; that of the tool that is gone to is our reading, since else all
successors of a tool would gain alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """The constants of the weights.

    Attributes:
        alpha: how fast scores change weights.
        beta: share of the weight that comes from trajectories; the rest comes from scores.
        window: only so many last scores of an API count; None = all, as in the paper.
    """

    alpha: float = 0.5
    beta: float = 0.5
    window: int | None = None

    def total(self, scores: Sequence[int]) -> int:
        """The accumulated score."""
        return sum(scores if self.window is None else scores[-self.window :])

    def strength(self, score: float) -> float:
        """f(x): a score as a positive number; 1 for nothing known (equation 8)."""
        return self.alpha * score + 1 if score >= 0 else exp(self.alpha * score)

    def weight(self, static: float, dynamic: float) -> float:
        """Both parts together (equation 6)."""
        return self.beta * static + (1 - self.beta) * dynamic
