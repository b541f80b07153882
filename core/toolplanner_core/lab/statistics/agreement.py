"""Whether judges agree: with each other, and with people.

Source: Cohen 1960; its standard error: Fleiss, Cohen, Everitt 1969, equation 13; Krippendorff 2011,
"Computing Krippendorff's alpha-reliability".
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toolplanner_core.lab.statistics.estimates import (
    CONFIDENCE,
    Estimate,
    normal_quantile,
    wilson,
)

Scale = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How a judge compares with people on the same runs.

    Attributes:
        raw: share of equal verdicts.
        kappa: Cohen's; None where nothing varies, so that chance agrees always.
        sensitivity: share of what people call solved that the judge does, too; None without such.
        specificity: the same of what people do not call solved.
    """

    raw: Estimate
    kappa: Estimate | None
    sensitivity: Estimate | None
    specificity: Estimate | None


def agreement_with_people(
    judge: Sequence[Hashable],
    people: Sequence[Hashable],
    *,
    solved: Hashable = "solved",
    confidence: float = CONFIDENCE,
) -> JudgeAgreement:
    """Compare two lists of verdicts on the same runs.

    Raises:
        ValueError: the lists differ in length, or are empty.
    """
    pairs = [*zip(judge, people, strict=True)]
    if not pairs:
        raise ValueError("there is no verdict to compare")

    def share(among: list[bool]) -> Estimate | None:
        return wilson(sum(among), len(among), confidence=confidence) if among else None

    return JudgeAgreement(
        raw=wilson(sum(a == b for a, b in pairs), len(pairs), confidence=confidence),
        kappa=cohens_kappa(judge, people, confidence=confidence),
        sensitivity=share([a == solved for a, b in pairs if b == solved]),
        specificity=share([a != solved for a, b in pairs if b != solved]),
    )


def cohens_kappa(
    one: Sequence[Hashable], other: Sequence[Hashable], *, confidence: float = CONFIDENCE
) -> Estimate | None:
    """Agreement beyond chance of two lists of verdicts, with its large-sample interval.

    Returns:
        None where both say one and the same word always: chance agrees as well.

    Raises:
        ValueError: the lists differ in length, or are empty.
    """
    pairs = [*zip(one, other, strict=True)]
    if not pairs:
        raise ValueError("there is no verdict to compare")
    words = {word: at for at, word in enumerate(dict.fromkeys(w for pair in pairs for w in pair))}
    table = np.zeros((len(words), len(words)))
    for a, b in pairs:
        table[words[a], words[b]] += 1
    p = table / len(pairs)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    seen, expected = float(np.trace(p)), float(rows @ columns)
    if expected >= 1:
        return None
    kappa = (seen - expected) / (1 - expected)
    diagonal = np.diag(p) * (1 - (rows + columns) * (1 - kappa)) ** 2
    beside = p * (columns[:, None] + rows[None, :]) ** 2 * (1 - kappa) ** 2
    rest = (kappa - expected * (1 - kappa)) ** 2
    variance = float(diagonal.sum() + beside.sum() - np.trace(beside)) - rest
    error = math.sqrt(max(0.0, variance) / len(pairs)) / (1 - expected)
    half = normal_quantile(confidence) * error
    return Estimate(
        value=kappa,
        low=max(-1.0, kappa - half),
        high=min(1.0, kappa + half),
        n=len(pairs),
        clusters=len(pairs),
        method="Fleiss, Cohen, Everitt",
        confidence=confidence,
    )


def krippendorffs_alpha(votes: ArrayLike, *, scale: Scale = "nominal") -> float | None:
    """Agreement beyond chance of any number of votes on the same things.

    Args:
        votes: (things, voters) numbers, NaN = no vote; things with fewer than two do not count.
        scale: whether votes are words (nominal), ranks (ordinal) or amounts (interval).

    Returns:
        1 = they always agree, 0 = as by chance; None where fewer than two different votes are there
        to be compared.
    """
    table = np.asarray(votes, dtype=np.float64)
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    words = np.unique(table[~np.isnan(table)])
    if len(words) < 2:
        return None
    counts = np.stack([(table == word).sum(axis=1) for word in words], axis=1).astype(np.float64)
    size = counts.sum(axis=1)
    together = (counts / (size - 1)[:, None]).T @ counts
    together -= np.diag((counts / (size - 1)[:, None]).sum(axis=0))
    total = together.sum(axis=1)
    n = float(total.sum())
    distance = _distance(words, total, scale)
    expected = float((np.outer(total, total) * distance).sum()) / (n - 1)
    return 1 - float((together * distance).sum()) / expected


def _distance(
    words: NDArray[np.float64], total: NDArray[np.float64], scale: Scale
) -> NDArray[np.float64]:
    """(words, words) squared distances of votes."""
    if scale == "nominal":
        return 1.0 - np.eye(len(words))
    if scale == "interval":
        return (words[:, None] - words[None, :]) ** 2
    # Of ranks: all votes between the two, and half of those on each.
    reached = np.cumsum(total) - total / 2
    return (reached[:, None] - reached[None, :]) ** 2
