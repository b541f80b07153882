"""Old groups and new groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering.matching import continued_groups


def labels(text: str) -> np.ndarray:
    return np.array([-1 if c == "." else int(c) for c in text], dtype=np.int32)


@pytest.mark.parametrize(
    ("old", "new", "continues"),
    [
        ("0001122.", "2220011.", [1, 2, 0]),  # only the numbers changed
        ("00001111", "00011111", [0, 1]),  # a point moved
        ("0000111222", "0000000111", [0, 2]),  # of merged groups the larger goes on
        ("0000011", "1112200", [1, 0, -1]),  # of a split group the larger part
        ("000111....", "000...1111", [0, -1]),  # groups come and go
        ("...", "...", []),
    ],
)
def test_continued_groups_when_compared_then_as_a_person_would_say(
    old: str, new: str, continues: list[int]
) -> None:
    assert continued_groups(labels(old), labels(new)).tolist() == continues


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), least=st.sampled_from([0.0, 0.15]))
def test_match_when_any_groups_then_as_good_as_the_dense_assignment(
    seed: int, least: float
) -> None:
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    old, new = (random.integers(-1, 12, 60).astype(np.int32) for _ in range(2))
    continues = continued_groups(old, new, least_overlap=least)
    table = np.zeros((12, 12))
    for a in range(12):
        for b in range(12):
            both = int(((old == a) & (new == b)).sum())
            either = int(((old == a) | (new == b)).sum())
            table[a, b] = both / either if both and both / either >= least else 0
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    found = sum(table[a, b] for b, a in enumerate(continues.tolist()) if a >= 0)
    assert found == pytest.approx(best, abs=1e-5)
    used = continues[continues >= 0]
    assert len(np.unique(used)) == len(used)
