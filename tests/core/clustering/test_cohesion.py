"""Figures of groups and points, in full and after an edit."""

import numpy as np
import pytest
from fixtures.silent import silent
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering.cohesion import Cohesion, measure_cohesion, update_cohesion
from toolplanner_core.clustering.misfits import find_misfits, neighbour_mixing
from toolplanner_core.clustering.neighbours import nearest_neighbours


def random_vectors(n: int, seed: int, dim: int = 8) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def measured(vectors: np.ndarray, labels: np.ndarray, count: int) -> Cohesion:
    near = nearest_neighbours(vectors, 8, report=silent).indices
    return measure_cohesion(vectors, labels, count, neighbours=near, report=silent)


def test_cohesion_when_computed_by_hand_then_the_same() -> None:
    vectors = random_vectors(60, 0)
    labels = (np.arange(60) % 5).astype(np.int32)
    found = measured(vectors, labels, 5)
    for group in range(5):
        members = vectors[labels == group]
        centre = members.mean(axis=0)
        centre /= np.linalg.norm(centre)
        assert found.cohesion[group] == pytest.approx((members @ centre).mean(), abs=1e-5)
    rest = vectors[(labels == 0) & (np.arange(60) != 0)].mean(axis=0)
    assert found.own[0] == pytest.approx(vectors[0] @ rest / np.linalg.norm(rest), abs=1e-5)


def test_silhouette_when_groups_lie_apart_then_it_is_scikit_learns() -> None:
    from sklearn.metrics import silhouette_samples

    random = np.random.default_rng(1)
    vectors = np.repeat(np.eye(4, 8), 15, axis=0) + random.normal(0, 0.1, (60, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    labels = np.repeat(np.arange(4), 15).astype(np.int32)
    found = measured(vectors, labels, 4)
    theirs = silhouette_samples(vectors, labels, metric="cosine")
    assert np.corrcoef(found.silhouette, theirs)[0, 1] > 0.99
    assert np.abs(found.silhouette - theirs).max() < 0.05


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), groups=st.integers(1, 8), more=st.integers(0, 2))
def test_update_when_groups_change_then_equal_to_measuring_again(
    seed: int, groups: int, more: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = random_vectors(50, seed)
    vectors[3] = 0
    before = random.integers(-1, groups, 50).astype(np.int32)
    after = before.copy()
    moved = random.choice(50, random.integers(1, 12), replace=False)
    after[moved] = random.integers(-1, groups + more, len(moved))
    if seed % 3 == 0:
        after[after == 0] = -1
    changed = before != after
    touched = np.union1d(before[changed], after[changed])
    touched = touched[touched >= 0].astype(np.int64)
    first = measured(vectors, before, groups)
    again = measured(vectors, after, groups + more)
    found = update_cohesion(first, vectors, after, groups + more, touched)
    assert np.array_equal(found.sizes, again.sizes)
    for name in ("sums", "cohesion", "own", "other_cosine", "silhouette"):
        assert np.allclose(getattr(found, name), getattr(again, name), atol=1e-5), name


def test_cohesion_when_nothing_is_grouped_then_zeros() -> None:
    found = measured(random_vectors(4, 0), np.full(4, -1, dtype=np.int32), 0)
    assert found.other.tolist() == [-1] * 4
    assert found.silhouette.tolist() == [0.0] * 4


@pytest.mark.parametrize("compared", [0, 10**9])
def test_cohesion_when_not_all_groups_are_compared_then_the_nearest_other_is_found(
    monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    random = np.random.default_rng(4)
    heaps = random.normal(size=(90, 16)).repeat(20, axis=0) + random.normal(0, 0.4, (1_800, 16))
    vectors = (heaps / np.linalg.norm(heaps, axis=1, keepdims=True)).astype(np.float32)
    labels = (np.arange(1_800) // 10).astype(np.int32)
    labels[labels == 7] = 8  # An empty group is nobody's nearest.
    labels[::100] = -1
    whole = measured(vectors, labels, 180)
    monkeypatch.setattr("toolplanner_core.clustering.cohesion._COMPARED", compared)
    found = measured(vectors, labels, 180)
    assert (found.other == whole.other).mean() > 0.99
    assert not np.isin(found.other, (7, -1)).any()
    assert np.abs(found.silhouette - whole.silhouette).mean() < 0.005
    alone = measured(vectors[:5], np.zeros(5, np.int32), 1)
    assert alone.other.tolist() == [-1] * 5


def two_heaps_with_a_stray() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    vectors = np.repeat(np.eye(2, 6), 20, axis=0) + random.normal(0, 0.05, (40, 6))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    labels = np.repeat(np.arange(2), 20).astype(np.int32)
    labels[4] = 1
    return vectors, labels


def test_misfits_when_one_point_lies_in_another_group_then_it_is_the_one() -> None:
    vectors, labels = two_heaps_with_a_stray()
    near = nearest_neighbours(vectors, 8, report=silent).indices
    cohesion = measured(vectors, labels, 2)
    found = find_misfits(vectors, labels, near, cohesion)
    strays = (found.share > 0.5) & (found.margin > 0)
    assert np.flatnonzero(strays).tolist() == [4]
    assert (found.other[4], found.share[4], found.own_share[4]) == (0, 1.0, 0.0)
    some = find_misfits(vectors, labels, near, cohesion, points=np.array([4, 9]))
    assert some.share.tolist() == found.share[[4, 9]].tolist()
    assert some.margin.tolist() == found.margin[[4, 9]].tolist()


def test_mixing_when_groups_share_neighbours_then_symmetric_and_touched_ones_alone() -> None:
    vectors = random_vectors(80, 6)
    labels = (np.arange(80) % 6).astype(np.int32)
    near = nearest_neighbours(vectors, 10, report=silent).indices
    found = neighbour_mixing(labels, near, 6)
    dense = found.toarray()
    assert np.allclose(dense, dense.T)
    assert dense.max() <= 1
    assert (np.diag(dense) == 0).all()
    some = neighbour_mixing(labels, near, 6, touched=np.array([2])).toarray()
    assert np.allclose(some[2], dense[2])
    assert not some[[0, 1, 3]][:, [0, 1, 3]].any()
