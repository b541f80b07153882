"""Toolkits for new APIs, and groups among those without one."""

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.assigning import Assigned, assign
from toolplanner_core.clustering.misfits import propose_groups
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.clustering.quality import SweepPoint, sweep_k


def heaps(groups: int, size: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    centres = np.random.default_rng(9).normal(size=(groups, 16))
    random = np.random.default_rng(seed)
    vectors = np.repeat(centres, size, axis=0) + random.normal(0, noise, (groups * size, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), np.repeat(np.arange(groups), size).astype(np.int32)


def ask(new: np.ndarray, known: np.ndarray, labels: np.ndarray) -> Assigned:
    near = nearest_neighbours(known, 9, report=silent).indices
    neighbours = np.argsort(-(new @ known.T), axis=1)[:, :8].astype(np.int32)
    return assign(new, known, labels, neighbours=neighbours, known_neighbours=near, report=silent)


def test_assign_when_groups_blur_then_confidence_says_how_often_it_is_right() -> None:
    known, labels = heaps(30, 20, 0.9)
    new, truth = heaps(30, 40, 0.9, seed=1)
    found = ask(new, known, labels)
    right = found.best == truth
    assert 0.3 < right.mean() < 0.97
    assert found.confidence.mean() == pytest.approx(right.mean(), abs=0.08)
    sure = found.confidence > 0.8
    assert right[sure].mean() > right[~sure].mean() + 0.2
    assert ((found.labels >= 0) == (found.confidence >= 0.5)).all()


def test_assign_when_groups_lie_apart_then_all_are_found_and_a_stranger_is_not() -> None:
    known, labels = heaps(6, 10, 0.05)
    new, truth = heaps(6, 3, 0.05, seed=2)
    found = ask(new, known, labels)
    assert np.array_equal(found.labels, truth)
    stranger = np.linalg.svd(known[::10])[2][-1:].astype(np.float32)
    assert ask(stranger, known, labels).labels.tolist() == [-1]


def test_assign_when_a_point_has_nothing_in_common_then_no_confidence() -> None:
    known, labels = heaps(30, 20, 0.9)
    known = np.pad(known, ((0, 0), (0, 1)))
    stranger = np.eye(17, dtype=np.float32)[-1:]  # all are equally far: its nearest are by chance
    assert ask(stranger, known, labels).confidence.tolist() == [0.0]


def test_assign_when_there_is_no_group_then_no_home() -> None:
    known, labels = heaps(2, 5, 0.1)
    found = ask(known[:2], known, np.full_like(labels, -1))
    assert found.labels.tolist() == found.best.tolist() == [-1, -1]


def test_homeless_when_some_are_alike_then_they_are_proposed_largest_first() -> None:
    dense, labels = heaps(3, 6, 0.05)
    lonely = np.random.default_rng(5).normal(size=(10, 16))
    lonely /= np.linalg.norm(lonely, axis=1, keepdims=True)
    vectors = np.concatenate((dense[:14], lonely, np.zeros((4, 16)))).astype(np.float32)
    found = propose_groups(vectors, least_cosine=0.9)
    assert [group.tolist() for group in found] == [list(range(6)), list(range(6, 12))]
    assert labels[found[0]].max() == 0
    assert propose_groups(vectors[:2], least_cosine=0.9) == []


def test_sweep_when_heaps_are_plain_then_silhouette_is_best_there() -> None:
    vectors, _ = heaps(12, 9, 0.05)
    heard: list[SweepPoint] = []
    curve = sweep_k(vectors, ks=[30, 6, 12], seed=0, report=silent, emit=heard.append)
    assert heard == curve
    assert [point.k for point in curve] == [6, 12, 30]
    assert max(curve, key=lambda point: point.silhouette or 0).k == 12
    assert [point.is_papers for point in curve] == [False, True, False]
    assert curve[1].mean_size == 9
    defaults = sweep_k(vectors, seed=0, report=silent)
    assert sum(point.is_papers for point in defaults) == 1
