"""DBSCAN against scikit-learn's."""

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering import dbscan
from toolplanner_core.clustering.dbscan import PLUGIN, DbscanOptions


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
