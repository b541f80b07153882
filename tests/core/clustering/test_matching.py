"""Old groups and new groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering.matching import match_groups


def labels(text: str) -> np.ndarray:
    return np.array([-1 if c == "." else int(c) for c in text], dtype=np.int32)


def test_match_when_only_numbers_changed_then_all_are_the_same() -> None:
    found = match_groups(labels("0001122."), labels("2220011."))
    assert found.continues.tolist() == [1, 2, 0]
    assert found.same == [1, 2, 0]
    assert not len(found.moved)
    assert (found.merged, found.split, found.new, found.gone) == ({}, {}, [], [])


def test_match_when_a_point_moved_then_it_is_named() -> None:
    found = match_groups(labels("00001111"), labels("00011111"))
    assert found.continues.tolist() == [0, 1]
    assert found.moved.tolist() == [3]
    assert found.same == []


def test_match_when_groups_merged_then_the_larger_goes_on() -> None:
    found = match_groups(labels("0000111222"), labels("0000000111"))
    assert found.continues.tolist() == [0, 2]
    assert found.merged == {0: [0, 1]}
    assert found.gone == []
    assert found.moved.tolist() == [4, 5, 6]


def test_match_when_a_group_was_split_then_its_parts_are_not_new() -> None:
    found = match_groups(labels("0000011"), labels("1112200"))
    assert found.split == {0: [1, 2]}
    assert found.continues.tolist() == [1, 0, -1]
    assert found.new == []


def test_match_when_groups_come_and_go_then_new_and_gone() -> None:
    found = match_groups(labels("000111...."), labels("000...1111"))
    assert found.new == [1]
    assert found.gone == [1]
    assert found.moved.tolist() == [3, 4, 5]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), least=st.sampled_from([0.0, 0.15]))
def test_match_when_any_groups_then_as_good_as_the_dense_assignment(
    seed: int, least: float
) -> None:
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    old, new = (random.integers(-1, 12, 60).astype(np.int32) for _ in range(2))
    found = match_groups(old, new, least_overlap=least)
    table = np.zeros((12, 12))
    for a in range(12):
        for b in range(12):
            both = int(((old == a) & (new == b)).sum())
            either = int(((old == a) | (new == b)).sum())
            table[a, b] = both / either if both and both / either >= least else 0
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    assert found.overlap.sum() == pytest.approx(best, abs=1e-5)
    used = found.continues[found.continues >= 0]
    assert len(np.unique(used)) == len(used)


def test_match_when_there_are_no_groups_then_nothing_is_said() -> None:
    found = match_groups(labels("..."), labels("..."))
    assert (found.new, found.gone, len(found.moved)) == ([], [], 0)
