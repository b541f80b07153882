"""What a randomised availability does to an outcome: average effects, and pairs that matter.

Each trial has some units (APIs, toolkits) up and others down, drawn by chance and independently of
its query. So a difference between trials with a unit up and with it down is caused by the unit,
where "was used" would be confounded: hard queries use more.

Source: within-group least squares with binary treatment: Angrist, Pischke 2009, section 5.1; pairs:
L1 logit, its penalty by the quantile of the largest gradient under permuted outcomes (Giacobino,
Sardy, Diaz-Rodriguez, Hengartner 2017, "Quantile universal threshold"), frequencies of selection by
bootstrap (Bach 2008, "Bolasso"; Meinshausen, Buehlmann 2010).
"""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.lab.statistics.bootstrap import DRAWS, group_numbers
from toolplanner_core.lab.statistics.estimates import CONFIDENCE, Estimate

LEAST_TRIALS = 30
"""With both of a pair down; a pair that was seen less often is not looked at."""
SELECTED = 0.6
"""Frequency from which a pair counts as found."""
_PERMUTATIONS = 200
_CELLS = 2_000_000


class FoundEffect(NamedTuple):
    """A unit or pair by its columns, its coefficient in the logit, and how often it was selected.

    `both_down` trials had it, or both, down.
    """

    columns: tuple[int, ...]
    coefficient: float
    frequency: float
    both_down: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPairs:
    """What the L1 logit selects.

    Attributes:
        units, pairs: that were selected at least once, most often first.
        looked_at: pairs with enough trials.
        penalty: of the L1 norm.
        by_chance: units and pairs that reach `SELECTED` once outcomes are permuted; none is right.
    """

    units: tuple[FoundEffect, ...]
    pairs: tuple[FoundEffect, ...]
    looked_at: int
    penalty: float
    by_chance: int


def average_effect(
    outcomes: NDArray[np.float64],
    is_up: NDArray[np.bool_],
    groups: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> Estimate | None:
    """Outcome with a unit up minus with it down, within groups of trials.

    Args:
        outcomes: (trials,) 0 to 1.
        is_up: (trials,) as it was drawn.
        groups: query of each trial.

    Returns:
        For these queries, with an interval by drawing trials, which are what chance was drawn for;
        None where no query has trials of both kinds.
    """
    group = group_numbers(groups, len(outcomes))
    number = int(group.max(initial=-1)) + 1
    up = is_up.astype(np.float64)
    size = np.bincount(group, minlength=number)
    middle_up = np.bincount(group, up, minlength=number)[group] / size[group]
    middle = np.bincount(group, outcomes, minlength=number)[group] / size[group]
    of = up - middle_up
    scatter = of * of
    if not scatter.sum():
        return None
    shift = of * (outcomes - middle)
    value = float(shift.sum() / scatter.sum())
    # One solved and one failed trial of each kind join those that are drawn from: without them an
    # effect of 1 in thirty trials would have no width. Source: Agresti, Caffo 2000.
    scatter = np.append(scatter, [0.25] * 4)
    shift = np.append(shift, [0.25, -0.25, 0.25, -0.25])
    random = np.random.default_rng(seed)
    found: list[NDArray[np.float64]] = []
    number_drawn = len(scatter)
    at_once = max(1, _CELLS // number_drawn)
    for begin in range(0, draws, at_once):
        picked = random.integers(0, number_drawn, (min(at_once, draws - begin), number_drawn))
        below = scatter[picked].sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append(np.where(below > 0, shift[picked].sum(axis=1) / below, value))
    outside = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(found), [outside, 1 - outside])
    return Estimate(
        value=value,
        low=max(-1.0, min(value, float(low))),
        high=min(1.0, max(value, float(high))),
        n=len(outcomes),
        clusters=number,
        method=f"within queries, {draws:,} draws of trials",
        confidence=confidence,
    )


def select_pairs(
    outcomes: NDArray[np.float64],
    is_down: NDArray[np.bool_],
    groups: Sequence[Hashable],
    *,
    least: int = LEAST_TRIALS,
    draws: int = 200,
    seed: int = 0,
) -> FoundPairs | None:
    """Units and pairs of units whose being down goes with failure.

    Args:
        outcomes: (trials,) 0 or 1.
        is_down: (trials, units); False where a query has nothing to do with a unit.
        groups: query of each trial; only differences between trials of one query count.

    Returns:
        None where all trials have one outcome, or nothing was ever down.
    """
    solved = outcomes > 0.5
    if solved.all() or not solved.any() or not is_down.any():
        return None
    group = group_numbers(groups, len(outcomes))
    units = is_down.shape[1]
    pairs = [
        (one, other)
        for one, other in itertools.combinations(range(units), 2)
        if int((is_down[:, one] & is_down[:, other]).sum()) >= least
    ]
    columns: list[tuple[int, ...]] = [*((one,) for one in range(units)), *pairs]
    columns = [of for of in columns if is_down[:, list(of)].all(axis=1).any()]
    down = np.column_stack([is_down[:, list(of)].all(axis=1) for of in columns])
    held = np.column_stack([_centred(column, group) for column in down.T])
    random = np.random.default_rng(seed)
    penalty = _penalty(held, solved, group, random)
    coefficients, frequency = _selected(held, solved, penalty, draws, random)
    shuffled = solved[_shuffled(group, random)]
    _, by_chance = _selected(held, shuffled, penalty, draws, random)
    found = [
        FoundEffect(of, float(coefficients[at]), float(frequency[at]), int(down[:, at].sum()))
        for at, of in enumerate(columns)
        if frequency[at] > 0
    ]
    found.sort(key=lambda each: (-each.frequency, each.columns))
    return FoundPairs(
        units=tuple(each for each in found if len(each.columns) == 1),
        pairs=tuple(each for each in found if len(each.columns) == 2),
        looked_at=len(pairs),
        penalty=penalty,
        by_chance=int((by_chance >= SELECTED).sum()),
    )


def _centred(values: NDArray[np.generic], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values minus the mean of their group."""
    of = values.astype(np.float64)
    return of - (np.bincount(group, of) / np.bincount(group))[group]


def _shuffled(group: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Positions in another order, each within its group."""
    order = np.lexsort((np.arange(len(group)), group))
    mixed = np.lexsort((random.random(len(group)), group))
    places = np.empty_like(order)
    places[order] = mixed
    return places


def _penalty(
    held: NDArray[np.float64],
    solved: NDArray[np.bool_],
    group: NDArray[np.int64],
    random: np.random.Generator,
) -> float:
    """The least penalty under which 95 % of outcomes permuted within groups select nothing."""
    residual = _centred(solved, group)
    largest = [
        float(np.abs(held.T @ residual[_shuffled(group, random)]).max())
        for _ in range(_PERMUTATIONS)
    ]
    return max(float(np.quantile(largest, 0.95)), 1e-9)


def _selected(
    held: NDArray[np.float64],
    solved: NDArray[np.bool_],
    penalty: float,
    draws: int,
    random: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients over all trials, and how often each is not 0 over drawn ones."""
    times = np.zeros(held.shape[1])
    for _ in range(draws):
        picked = random.integers(0, len(held), len(held))
        if not 0 < solved[picked].sum() < len(held):
            continue
        times += _coefficients(held[picked], solved[picked], penalty) != 0
    return _coefficients(held, solved, penalty), times / draws


def _coefficients(
    held: NDArray[np.float64], solved: NDArray[np.bool_], penalty: float
) -> NDArray[np.float64]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        l1_ratio=1.0, C=1 / penalty, solver="liblinear", intercept_scaling=100, max_iter=1000
    )
    return np.asarray(model.fit(held, solved).coef_[0], dtype=np.float64)
