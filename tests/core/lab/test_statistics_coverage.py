"""Intervals of a nominal 95 % hold the truth that often: 4,000 simulated experiments each.

Shares have few possible values, so no interval covers exactly: Wilson's own coverage, summed over
all outcomes, is 93.5 % at 50 queries and p = .5, and 96.7 % at 200 and .05. Simulation has to find
that figure. For the bootstraps the least is 93.5 % everywhere: too narrow is wrong, too wide is
not.
"""

import numpy as np
import pytest
from scipy.stats import binom

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import wilson
from toolplanner_core.lab.statistics.paired import paired_shares
from toolplanner_core.lab.statistics.shares import share_of_plan

EXPERIMENTS = 4_000
CASES = [(n, p) for n in (50, 200) for p in (0.05, 0.5, 0.95)]
LEAST, MOST = 0.935, 0.97


def solved(n: int, p: float, *, seeds: int, experiments: int, seed: int) -> np.ndarray:
    """(experiments, n, seeds) outcomes; queries differ in how hard they are (beta, correlation .3
    between seeds)."""
    random = np.random.default_rng(seed)
    hard = random.beta(p * 0.7 / 0.3, (1 - p) * 0.7 / 0.3, size=(experiments, n, 1))
    return (random.random((experiments, n, seeds)) < hard).astype(float)


@pytest.mark.parametrize(("n", "p"), CASES)
def test_wilson_when_simulated_then_covers_as_it_must(n: int, p: float) -> None:
    holds = np.array([(made := wilson(k, n)).low <= p <= made.high for k in range(n + 1)])
    exact = float(binom.pmf(np.arange(n + 1), n, p)[holds].sum())
    drawn = np.random.default_rng(n).binomial(n, p, size=EXPERIMENTS)
    assert holds[drawn].mean() == pytest.approx(exact, abs=0.011)  # three standard errors
    assert LEAST <= exact <= MOST


@pytest.mark.parametrize(("n", "p"), CASES)
def test_share_when_several_seeds_are_simulated_then_covers_as_it_must(n: int, p: float) -> None:
    drawn = solved(n, p, seeds=3, experiments=EXPERIMENTS, seed=n)
    held = 0
    for at, outcomes in enumerate(drawn):
        made = bootstrap_mean(outcomes, span=(0, 1), draws=500, seed=at)
        held += made.low <= p <= made.high
    assert LEAST <= held / EXPERIMENTS <= MOST


@pytest.mark.parametrize(("n", "p"), CASES)
def test_difference_when_simulated_then_covers_as_it_must(n: int, p: float) -> None:
    """Two arms that share the hardness of each query; the second slips on a tenth more."""
    one = solved(n, p, seeds=1, experiments=EXPERIMENTS, seed=n + 1)
    slips = np.random.default_rng(n).random(one.shape) < 0.1
    other, truth = np.where(slips, 0.0, one), p * 0.1
    held = 0
    for at in range(EXPERIMENTS):
        made = bootstrap_mean(one[at] - other[at], span=(-1, 1), draws=500, seed=at)
        held += made.low <= truth <= made.high
    assert held / EXPERIMENTS >= LEAST


@pytest.mark.parametrize("seeds", [5, 15])
def test_difference_when_an_arm_meets_itself_then_zero_is_held_as_often_as_it_must(
    seeds: int,
) -> None:
    """A/A: the same queries each time, other seeds; a model that slips by chance in each trial."""
    random, experiments = np.random.default_rng(seeds), 1_000
    hard = random.beta(2, 1, size=(25, 1))
    held = 0
    for at in range(experiments):
        one, other = ((random.random((25, seeds)) < hard).astype(float) for _ in range(2))
        made = bootstrap_mean(one - other, span=(-1, 1), draws=500, seed=at)
        held += made.low <= 0 <= made.high
    assert 0.925 <= held / experiments <= 0.98


def test_functions_when_called_by_default_then_are_what_was_simulated() -> None:
    outcomes = solved(50, 0.5, seeds=3, experiments=2, seed=0)
    assert share_of_plan(outcomes[0]).if_missing_fail == bootstrap_mean(outcomes[0], span=(0, 1))
    difference = bootstrap_mean(outcomes[0] - outcomes[1], span=(-1, 1))
    assert paired_shares(outcomes[0], outcomes[1]).difference == difference


@pytest.mark.parametrize("n", [50, 200])
def test_ratio_when_simulated_then_covers(n: int) -> None:
    random, experiments = np.random.default_rng(n), 1_000
    held = 0
    for _ in range(experiments):
        logs = random.normal(loc=0.2, scale=0.4, size=n)
        made = bootstrap_mean(logs, draws=500)
        held += made.low <= 0.2 <= made.high
    assert held / experiments >= 0.92  # normal: 94 % at 50, less three standard errors
