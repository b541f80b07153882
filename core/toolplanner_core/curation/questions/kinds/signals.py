"""Figures that several kinds of candidates share, and scales for signals."""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.candidate import Signal
from toolplanner_core.curation.questions.kinds.documents import name_stems
from toolplanner_core.curation.questions.kinds.evidence import Evidence


def ramp(value: float, *, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high`, straight between."""
    return min(1.0, max(0.0, (float(value) - low) / (high - low)))


def asked_groups(evidence: Evidence, groups: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The groups that have members, of those asked for (None: all), ascending."""
    filled = np.flatnonzero(evidence.cohesion.sizes > 0)
    return filled if groups is None else np.intersect1d(filled, groups)


def name_likeness(first: str, second: str) -> Signal | None:
    """How many words two names share; None if one of them has none that means something."""
    left, right = name_stems(first), name_stems(second)
    if not left or not right:
        return None
    both = sorted(left[one] for one in left.keys() & right.keys())
    said = f"both say “{', '.join(both[:3])}”" if both else "they share no word"
    return Signal(len(both) / min(len(left), len(right)), f"Names: {said}")


def percent(value: float) -> str:
    """A share for people, such as "34 %"."""
    return f"{100 * float(value):.0f} %"
