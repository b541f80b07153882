"""The default clustering."""

import numpy as np
from fixtures.silent import silent

from toolplanner_core.clustering.kmeans import (
    PLUGIN,
    KMeansOptions,
    first_centres,
    move_centres,
)


def random_vectors(n: int, dim: int) -> np.ndarray:
    vectors = np.random.default_rng(1).normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_kmeans_when_k_is_not_given_then_about_nine_to_a_toolkit() -> None:
    labels = PLUGIN.fit(random_vectors(900, 10), options=KMeansOptions(), seed=0, report=silent)
    assert 95 <= labels.max() + 1 <= 100


def test_kmeans_when_k_is_given_then_that_many() -> None:
    labels = PLUGIN.fit(random_vectors(300, 10), options=KMeansOptions(k=20), seed=0, report=silent)
    assert labels.max() + 1 == 20


def test_kmeans_when_fewer_distinct_points_than_k_then_one_group_each() -> None:
    vectors = np.repeat(random_vectors(4, 6), 5, axis=0)
    labels = PLUGIN.fit(vectors, options=KMeansOptions(k=10), seed=0, report=silent)
    assert labels.tolist() == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5


def test_kmeans_when_equal_points_then_same_group() -> None:
    vectors = random_vectors(120, 130)
    vectors[60:] = vectors[:60]
    labels = PLUGIN.fit(vectors, options=KMeansOptions(k=30), seed=0, report=silent)
    assert np.array_equal(labels[:60], labels[60:])


def test_kmeans_when_compared_with_scikit_learn_then_inertia_is_as_good() -> None:
    from sklearn.cluster import KMeans

    vectors = random_vectors(2_000, 40)
    options = KMeansOptions(k=50, is_plain=True)
    labels = PLUGIN.fit(vectors, options=options, seed=0, report=silent)
    centres = np.array([vectors[labels == label].mean(axis=0) for label in range(50)])
    inertia = float(((vectors - centres[labels]) ** 2).sum())
    theirs = float(KMeans(50, n_init=1, random_state=0).fit(vectors).inertia_ or 0)
    assert inertia <= 1.02 * theirs


def test_first_centres_when_groups_are_of_unlike_size_then_far_ones_are_found_at_once() -> None:
    """k-means++: a place is drawn by its squared distance to the centres; drawn by chance alone
    all would lie in the one large group."""
    places = np.eye(8, dtype=np.float32) * 10
    large = np.repeat(places[:1], 1_000, axis=0)
    noise = np.random.default_rng(2).normal(scale=0.01, size=(1_021, 8)).astype(np.float32)
    points = np.vstack([large, np.repeat(places[1:], 3, axis=0)]) + noise
    for seed in range(5):
        centres = first_centres(points, np.ones(len(points), dtype=np.float32), 8, seed)
        assert len(set(centres.argmax(axis=1).tolist())) >= 7


def test_move_centres_when_centres_are_of_unlike_length_then_the_nearest_one_wins() -> None:
    """Centres of groups that are less alike are shorter: the greatest product is not the nearest
    centre."""
    points = np.array([[1.0, 0], [1.2, 0], [4.0, 0], [4.4, 0]], dtype=np.float32)
    labels = move_centres(
        points, np.ones(4, dtype=np.float32), points[[0, 3]], max_rounds=9, report=silent
    )
    assert labels.tolist() == [0, 0, 1, 1]
