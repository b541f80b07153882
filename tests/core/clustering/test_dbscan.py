"""DBSCAN against scikit-learn's."""

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering import dbscan
from toolplanner_core.clustering.dbscan import PLUGIN, DbscanOptions, propose_eps


def vectors_in_chains() -> np.ndarray:
    random = np.random.default_rng(2)
    angle = np.cumsum(random.choice([0.02, 0.05, 0.4], size=400, p=[0.7, 0.25, 0.05]))
    plane = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return plane[random.permutation(400)].astype(np.float32)


@pytest.mark.parametrize(
    ("eps", "min_points"), [(0.0005, 1), (0.02, 1), (0.001, 3), (0.0008, 4), (0.3, 5)]
)
def test_dbscan_when_compared_with_scikit_learn_then_same_groups(
    eps: float, min_points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import adjusted_rand_score

    # Several blocks also for few points: what belongs together is then found in pieces.
    monkeypatch.setattr(dbscan, "_BLOCK_CELLS", 1)
    vectors = vectors_in_chains()
    ours = PLUGIN.fit(
        vectors, options=DbscanOptions(eps=eps, min_points=min_points), seed=0, report=silent
    )
    theirs = DBSCAN(eps=eps, min_samples=min_points, metric="cosine").fit_predict(vectors)
    assert np.array_equal(ours < 0, theirs < 0)
    assert adjusted_rand_score(ours, theirs) > 0.99


def test_dbscan_when_eps_is_zero_then_only_equal_points_join() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 1, 0, 2, 1]]
    labels = PLUGIN.fit(vectors, options=DbscanOptions(eps=0), seed=0, report=silent)
    assert labels.tolist() == [0, 1, 0, 2, 1]


def test_dbscan_when_points_are_lonely_then_noise() -> None:
    vectors = np.eye(5, dtype=np.float32)[[0, 0, 0, 1, 2]]
    labels = PLUGIN.fit(vectors, options=DbscanOptions(min_points=2), seed=0, report=silent)
    assert labels.tolist() == [0, 0, 0, -1, -1]


def test_eps_when_nobody_says_it_then_half_of_the_points_have_a_neighbour() -> None:
    """Ester et al. 1996, section 4.2: by the distances to the nearest neighbours."""
    vectors = vectors_in_chains()
    eps = propose_eps(vectors, 1)
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -1)
    nearest = 1 - similarity.max(axis=1)
    assert eps == pytest.approx(float(np.median(nearest)), abs=1e-5)
    grouped = PLUGIN.fit(vectors, options=DbscanOptions(), seed=0, report=silent)
    same = PLUGIN.fit(vectors, options=DbscanOptions(eps=eps), seed=0, report=silent)
    assert np.array_equal(grouped, same)
    third = 1 - np.sort(similarity, axis=1)[:, -3]
    assert propose_eps(vectors, 4) == pytest.approx(float(np.median(third)), abs=1e-5)


def test_eps_when_nothing_is_alike_then_the_distance_has_an_end() -> None:
    assert propose_eps(np.eye(5, dtype=np.float32), 1) == 0.5
    labels = PLUGIN.fit(np.eye(5, dtype=np.float32), options=DbscanOptions(), seed=0, report=silent)
    assert labels.tolist() == [0, 1, 2, 3, 4]
    assert propose_eps(np.eye(1, dtype=np.float32), 1) == 0.5
