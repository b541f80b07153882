"""Figures of the statistics: against those of other programs, by hand, and at their edges.

Constants of statsmodels 0.15.0: `proportion_confint(method="wilson")`, `mcnemar(exact=True)`,
`multipletests(method="holm")`, `cohens_kappa`. Krippendorff's are of his own example.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from toolplanner_core.lab.statistics.agreement import (
    agreement_with_people,
    cohens_kappa,
    krippendorffs_alpha,
)
from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean, bootstrap_median
from toolplanner_core.lab.statistics.estimates import wilson
from toolplanner_core.lab.statistics.paired import (
    PairTable,
    holm,
    mcnemar,
    paired_amounts,
    paired_shares,
)
from toolplanner_core.lab.statistics.power import (
    least_difference,
    power_of_mcnemar,
    queries_needed,
)
from toolplanner_core.lab.statistics.repetition import (
    pass_at_k,
    pass_power_k,
    repeated_pass,
    variance_shares,
)
from toolplanner_core.lab.statistics.shares import share_of_plan

NAN = math.nan


@pytest.mark.parametrize(
    ("successes", "n", "confidence", "low", "high"),
    [
        (0, 10, 0.95, 0.0, 0.2775327998628892),
        (3, 20, 0.95, 0.052368745896216595, 0.36041886474075696),
        (148, 248, 0.95, 0.5346952732037336, 0.655900827314311),
        (200, 200, 0.99, 0.9678907255736567, 1.0),
        (7, 154, 0.9, 0.024829626893631905, 0.08177504761802032),
    ],
)
def test_wilson_when_compared_with_statsmodels_then_is_equal(
    successes: int, n: int, confidence: float, low: float, high: float
) -> None:
    made = wilson(successes, n, confidence=confidence)
    assert (made.low, made.high) == pytest.approx((low, high), abs=1e-12)
    assert made.low <= made.value == successes / n <= made.high


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (1, 9, 0.021484375),
        (12, 25, 0.04703102743951604),
        (30, 30, 1.0),
        (121, 59, 4.4344492637551645e-06),
    ],
)
def test_mcnemar_when_compared_with_statsmodels_then_is_equal(
    only_a: int, only_b: int, p: float
) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(p, rel=1e-9)
    assert mcnemar(only_b, only_a) == mcnemar(only_a, only_b)


def test_holm_when_compared_with_statsmodels_then_is_equal() -> None:
    p_of = dict(zip("abcdef", [0.01, 0.04, 0.03, 0.005, 0.2, 0.011], strict=True))
    adjusted = holm(p_of)
    assert [*adjusted] == [*p_of]
    assert [*adjusted.values()] == pytest.approx([0.05, 0.09, 0.09, 0.03, 0.2, 0.05])
    assert holm({}) == {}


def words_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Two lists of verdicts that have this table."""
    pairs = [
        (row, column)
        for row, counts in enumerate(table)
        for column, number in enumerate(counts)
        for _ in range(number)
    ]
    return [one for one, _ in pairs], [other for _, other in pairs]


@pytest.mark.parametrize(
    ("table", "kappa", "low", "high"),
    [
        ([[20, 5], [10, 15]], 0.4, 0.151092290476661, 0.6489077095233389),
        (
            [[45, 6, 3], [4, 30, 8], [1, 7, 20]],
            0.6404719056188761,
            0.5278645673002414,
            0.7530792439375108,
        ),
    ],
)
def test_kappa_when_compared_with_statsmodels_then_is_equal(
    table: list[list[int]], kappa: float, low: float, high: float
) -> None:
    made = cohens_kappa(*words_of(table))
    assert made is not None
    assert (made.value, made.low, made.high) == pytest.approx((kappa, low, high), abs=1e-9)


KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_when_compared_with_krippendorffs_example_then_is_equal(
    scale: str, alpha: float
) -> None:
    made = krippendorffs_alpha(KRIPPENDORFF, scale=scale)  # pyright: ignore[reportArgumentType]
    assert made == pytest.approx(alpha, abs=0.0005)


def test_agreement_when_nothing_varies_then_kappa_and_alpha_are_unknown() -> None:
    found = agreement_with_people(["solved"] * 3, ["solved"] * 3)
    assert found.kappa is None
    assert found.specificity is None
    assert found.raw.value == 1
    assert found.raw.low < 0.5
    assert krippendorffs_alpha([[1, 1], [1, NAN]]) is None


def test_agreement_when_compared_with_people_then_has_both_sides() -> None:
    judge = ["solved", "solved", "unsolved", "unsure", "solved"]
    people = ["solved", "unsolved", "unsolved", "unsure", "unsure"]
    found = agreement_with_people(judge, people)
    assert (found.raw.value, found.raw.n) == (0.6, 5)
    assert found.sensitivity is not None
    assert (found.sensitivity.value, found.sensitivity.n) == (1, 1)
    assert found.specificity is not None
    assert (found.specificity.value, found.specificity.n) == (0.5, 4)


@pytest.mark.parametrize(("k", "passed", "trials"), [(1, 2, 5), (3, 2, 5), (2, 5, 5), (4, 0, 4)])
def test_pass_at_k_when_all_choices_are_counted_then_is_their_share(
    k: int, passed: int, trials: int
) -> None:
    of = [at < passed for at in range(trials)]
    choices = [*itertools.combinations(of, k)]
    assert pass_at_k(passed, trials, k) == pytest.approx(np.mean([any(c) for c in choices]))
    assert pass_power_k(passed, trials, k) == pytest.approx(np.mean([all(c) for c in choices]))


def test_repeated_pass_when_a_trial_is_missing_then_counts_as_failed() -> None:
    outcomes = [[1, 1, NAN], [0, 0, 0], [1, 1, 1]]
    assert repeated_pass(outcomes, 3, is_all=True).value == pytest.approx(1 / 3)
    assert repeated_pass(outcomes, 2, is_all=False).value == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="k = 4"):
        repeated_pass(outcomes, 4, is_all=True)


def test_share_of_plan_when_trials_are_missing_then_shows_both_bounds() -> None:
    found = share_of_plan([1, 1, 0, NAN, NAN])
    assert (found.planned, found.finished, found.missing) == (5, 3, 2)
    assert (found.if_missing_fail.value, found.if_missing_pass.value) == (0.4, 0.8)
    assert found.if_missing_fail == wilson(2, 5)
    assert found.finished_share == wilson(2, 3)
    whole = share_of_plan([1, 0])
    assert whole.if_missing_fail == whole.if_missing_pass == whole.finished_share
    assert share_of_plan([NAN, NAN]).finished_share is None


def test_share_of_plan_when_trials_are_copies_then_its_interval_is_that_of_the_queries() -> None:
    once = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0] * 5, dtype=float)
    ten_times = share_of_plan(np.repeat(once[:, None], 10, axis=1)).if_missing_fail
    grouped = share_of_plan(np.repeat(once, 10), [at // 10 for at in range(500)]).if_missing_fail
    alone = share_of_plan(once).if_missing_fail
    for made in (ten_times, grouped):
        assert made.clusters == 50
        assert made.high - made.low == pytest.approx(alone.high - alone.low, rel=0.1)
    naive = wilson(ten_times.value * 500, 500)
    assert naive.high - naive.low < 0.5 * (ten_times.high - ten_times.low)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_share_of_plan_when_all_agree_then_the_interval_is_no_point(value: float) -> None:
    made = share_of_plan(np.full((20, 3), value)).if_missing_fail
    assert made.value == value
    assert 0.03 < made.high - made.low < 0.25


@pytest.mark.parametrize("values", [[], [1.5], [-0.1], [[[1.0]]]])
def test_share_of_plan_when_values_are_no_outcomes_then_refuses(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"outcomes|values"):
        share_of_plan(values)


def test_paired_shares_when_trials_are_missing_then_only_whole_pairs_are_compared() -> None:
    found = paired_shares([1, 1, 0, 0, 1, NAN], [1, 0, 1, 0, NAN, NAN])
    assert found.table == PairTable(both=1, only_a=1, only_b=1, neither=1)
    assert (found.planned, found.missing, found.p) == (6, 2, 1.0)
    assert found.difference is not None
    assert (found.difference.value, found.difference.n) == (0, 4)
    assert (found.worst, found.best) == (-1 / 6, pytest.approx(2 / 6))


def test_paired_shares_when_pairs_are_not_independent_then_there_is_no_p() -> None:
    one, other = np.ones((4, 2)), np.zeros((4, 2))
    assert paired_shares(one, other).p is None
    assert paired_shares(one[:, 0], other[:, 0], ["x", "x", "y", "z"]).p is None
    assert paired_shares(one[:, 0], other[:, 0]).p == mcnemar(4, 0)
    nothing = paired_shares([NAN], [1])
    assert (nothing.difference, nothing.worst, nothing.best) == (None, -1, 0)


def test_paired_amounts_when_one_arm_takes_twice_as_much_then_the_ratio_is_two() -> None:
    b = np.random.default_rng(0).lognormal(size=60)
    found = paired_amounts(2 * b, b)
    assert found.ratio is not None
    assert (found.ratio.value, found.ratio.low, found.ratio.high) == pytest.approx((2, 2, 2))
    assert found.mean.value == pytest.approx(b.mean())
    assert found.median.value == pytest.approx(np.median(b))
    assert found.median.low < found.median.value < found.median.high
    some = paired_amounts([*(2 * b), NAN], [*b, 1.0])
    assert (some.missing, some.mean) == (1, found.mean)
    assert paired_amounts([0.0, 1.0], [1.0, 1.0]).ratio is None


def test_bootstrap_median_when_each_cluster_is_drawn_plainly_then_is_the_same() -> None:
    values, groups = np.array([1.0, 5.0, 2.0, 9.0, 4.0, 4.5, 8.0]), [0, 0, 1, 2, 3, 3, 4]
    made = bootstrap_median(values, groups, draws=4_000)
    random = np.random.default_rng(1)
    drawn = [
        np.median(np.concatenate([values[np.array(groups) == g] for g in random.integers(0, 5, 5)]))
        for _ in range(4_000)
    ]
    assert (made.n, made.clusters, made.value) == (7, 5, 4.5)
    assert (made.low, made.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.51)


def test_bootstrap_of_many_when_their_sorts_are_drawn_then_is_as_if_clusters_were() -> None:
    random = np.random.default_rng(3)
    few = random.choice([-1.0, 0.0, 1.0], size=(2_500, 1), p=[0.1, 0.7, 0.2])
    many = few + random.uniform(-1e-9, 1e-9, size=few.shape)  # each of a sort of its own
    by_sort, by_cluster = (bootstrap_mean(each, span=(-1, 1)) for each in (few, many))
    assert by_sort.value == pytest.approx(by_cluster.value, abs=1e-6)
    for side in ("low", "high"):
        assert getattr(by_sort, side) == pytest.approx(getattr(by_cluster, side), abs=1e-3)
    assert (by_sort.n, by_sort.clusters, by_sort.method) == (
        by_cluster.n, by_cluster.clusters, by_cluster.method,
    )  # fmt: skip
    assert bootstrap_mean(few, span=(-1, 1)) == by_sort


@pytest.mark.parametrize("of", [bootstrap_mean, bootstrap_median])
def test_bootstrap_when_seeded_then_is_the_same_again(of: Callable[..., object]) -> None:
    values = np.random.default_rng(2).normal(size=(30, 2))
    assert of(values, draws=500) == of(values, draws=500) != of(values, draws=500, seed=3)
    with pytest.raises(ValueError, match="no value"):
        of([NAN])
    with pytest.raises(ValueError, match="not one group for each query"):
        of([1.0, 2.0], ["x"])


@pytest.mark.parametrize(
    ("difference", "needed", "published"),
    [(0.1, 155, 154), (0.05, 626, 625), (0.02, 3_923, 3_918)],
)
def test_queries_needed_when_a_fifth_is_discordant_then_are_as_published(
    difference: float, needed: int, published: int
) -> None:
    # The published ones take 1.96 and 0.84 for the quantiles, and round down.
    assert queries_needed(difference, 0.2) == needed == pytest.approx(published, rel=0.01)
    shown = least_difference(needed, 0.2)
    assert shown == pytest.approx(difference, rel=0.005)
    assert 0.76 < power_of_mcnemar(needed, difference, 0.2) <= 0.8  # exact tests are careful


def test_power_when_tried_by_simulation_then_is_as_computed() -> None:
    random, n = np.random.default_rng(4), 150
    drawn = random.multinomial(n, [0.15, 0.05, 0.8], size=2_000)
    found = np.mean([mcnemar(int(a), int(b)) <= 0.05 for a, b, _ in drawn])
    assert found == pytest.approx(power_of_mcnemar(n, 0.1, 0.2), abs=0.03)
    assert least_difference(10, 0.2) is None
    with pytest.raises(ValueError, match="cannot be looked for"):
        queries_needed(0.3, 0.2)


def test_variance_shares_when_parts_are_known_then_finds_them() -> None:
    random = np.random.default_rng(5)
    queries, seeds, votes = 400, 4, 3
    effects = random.normal(scale=2, size=(queries, 1, 1))
    effects = effects + random.normal(scale=1, size=(queries, seeds, 1))
    data = effects + random.normal(scale=0.5, size=(queries, seeds, votes))
    at = np.indices(data.shape).reshape(3, -1)
    keep = random.random(data.size) < 0.8  # not balanced
    query, seed = at[0][keep].tolist(), at[1][keep].tolist()
    found = variance_shares(data.ravel()[keep], query, seed)
    assert found.total == pytest.approx(4 + 1 + 0.25, rel=0.1)
    assert (found.queries, found.seeds, found.votes) == pytest.approx(
        (4 / 5.25, 1 / 5.25, 0.25 / 5.25), abs=0.03
    )
    assert found.queries + found.seeds + found.votes == pytest.approx(1)
    assert found.of_mean[0] > 0.9 > found.queries


def test_variance_shares_when_nothing_repeats_then_all_lies_between_queries() -> None:
    same = variance_shares([1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1])
    assert (same.queries, same.seeds, same.votes) == (1, 0, 0)
    flat = variance_shares([1, 1], ["a", "b"], [0, 0])
    assert (flat.total, flat.queries) == (0, 0)
    with pytest.raises(ValueError, match="two of them"):
        variance_shares([1, 0], ["a", "a"], [0, 1])
