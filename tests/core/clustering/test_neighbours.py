"""Exact nearest neighbours and quality figures."""

import numpy as np
import pytest
from fixtures.silent import silent
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering import groups, quality
from toolplanner_core.clustering.neighbours import nearest_neighbours


def random_vectors(n: int, dim: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_neighbours_when_compared_with_scikit_learn_then_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sklearn.neighbors import NearestNeighbors

    monkeypatch.setattr(groups, "_BLOCK_CELLS", 1)
    vectors = random_vectors(400, 20)
    found = nearest_neighbours(vectors, 8, report=silent)
    distance, index = NearestNeighbors(n_neighbors=8, metric="cosine").fit(vectors).kneighbors()
    assert np.array_equal(found.indices[:, 1:], index[:, :7])
    assert np.allclose(found.distances[:, 1:], distance[:, :7], atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 40), k=st.integers(1, 20), copies=st.integers(1, 4))
def test_neighbours_when_any_size_with_copies_then_itself_first_and_growing(
    n: int, k: int, copies: int
) -> None:
    vectors = np.repeat(random_vectors(n, 5, seed=n), copies, axis=0)
    indices, distances = nearest_neighbours(vectors, k, report=silent)
    wide = min(k, n * copies)
    assert indices.shape == distances.shape == (n * copies, wide)
    assert indices[:, 0].tolist() == list(range(n * copies))
    assert (np.diff(distances, axis=1) >= -1e-6).all()
    assert all(len(set(row)) == wide for row in indices.tolist())


def test_quality_when_compared_with_scikit_learn_then_silhouette_is_the_same() -> None:
    from sklearn.metrics import silhouette_score

    vectors = random_vectors(500, 10)
    labels = np.random.default_rng(1).integers(0, 12, 500).astype(np.int32)
    found = quality.measure(vectors, labels, seed=0, report=silent)
    assert found.silhouette == pytest.approx(
        silhouette_score(vectors, labels, metric="cosine"), abs=1e-4
    )


def test_quality_when_there_is_noise_then_it_is_counted_and_left_out() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 0, 1, 1, 2]]
    labels = np.array([0, 0, 1, 1, -1], dtype=np.int32)
    found = quality.measure(vectors, labels, seed=0, report=silent)
    assert (found.groups, found.noise, found.mean_size, found.singletons) == (2, 1, 2.0, 0)
    assert found.silhouette == pytest.approx(1.0)


def test_quality_when_one_group_then_no_silhouette() -> None:
    found = quality.measure(
        np.eye(3, dtype=np.float32), np.zeros(3, dtype=np.int32), seed=0, report=silent
    )
    assert found.silhouette is None
