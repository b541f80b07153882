"""Silhouettes against every other group are those of the definition."""

import numpy as np
from fixtures.silent import silent
from sklearn.metrics import silhouette_samples

from toolplanner_core.clustering.cohesion import measure_cohesion
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.clustering.silhouettes import measure_silhouettes


def random_vectors(n: int) -> np.ndarray:
    vectors = np.random.default_rng(5).normal(size=(n, 8)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_silhouettes_when_groups_are_many_and_mixed_then_are_scikit_learns() -> None:
    vectors = random_vectors(400)
    # Group 0 is wide and group 9 is one point; no point is in group 10.
    labels = np.random.default_rng(6).choice(9, 400, p=[0.4, *[0.075] * 8]).astype(np.int32)
    labels[7] = 9
    found = measure_silhouettes(vectors, labels, 11, report=silent)
    theirs = silhouette_samples(vectors, labels, metric="cosine")
    np.testing.assert_allclose(found.tolist(), theirs, atol=1e-5)
    near = nearest_neighbours(vectors, 8, report=silent).indices
    cohesion = measure_cohesion(vectors, labels, 11, neighbours=near, report=silent)
    nearest = cohesion.silhouette
    assert np.count_nonzero(found < 0) > np.count_nonzero(nearest < 0)


def test_silhouettes_when_a_point_is_in_no_group_then_it_has_none_and_disturbs_nothing() -> None:
    vectors = random_vectors(60)
    labels = (np.arange(60) % 4).astype(np.int32)
    labels[:10] = -1
    found = measure_silhouettes(vectors, labels, 4, report=silent)
    assert not found[:10].any()
    theirs = silhouette_samples(vectors[10:], labels[10:], metric="cosine")
    np.testing.assert_allclose(found[10:].tolist(), theirs, atol=1e-5)
    assert not measure_silhouettes(vectors, np.zeros(60, np.int32), 1, report=silent).any()
