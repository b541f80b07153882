"""The graph is umap-learn's: the figures below are what version 0.5.12 made of the same points.

They were `fuzzy_simplicial_set` with exact neighbours, and of that
`discrete_metric_simplicial_set_intersection` with `far_dist=2.5 / (1 - 0.3)`.
"""

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.layout.descent import curve_of, descend
from toolplanner_core.layout.fuzzy_graph import drawn_by_labels, fuzzy_graph
from toolplanner_core.layout.layout import Neighbourhood

BONDS = 338
SUMS = """
    4.6032 3.5339 5.3363 4.4242 3.5642 3.5531 5.0611 4.3676 5.2725 4.5215 3.5453 5.5064 4.8212
    3.6979 5.2314 3.6366 4.2735 5.2240 4.3110 5.5417 3.4730 5.7183 5.7544 6.7751 3.9697 3.1768
    5.4460 5.1040 3.4475 3.8767 3.6019 3.6878 3.9424 4.7405 4.4814 4.3520 3.5398 3.7874 4.3672
    3.0795
"""
SUMS_BY_LABELS = """
    6.2405 2.1886 2.5245 3.5083 3.9466 4.1467 3.3944 1.7923 4.1031 3.6636 4.0662 3.3533 4.3417
    2.9154 3.3877 4.5891 3.4309 2.8402 1.9052 1.6679 3.9577 2.9472 3.8920 3.7189 4.1737 4.2438
    2.3548 2.3285 1.4910 2.2017 4.1930 2.6729 2.8966 3.7465 2.1088 5.8165 4.2435 3.0167 3.6947
    3.1391
"""


@pytest.fixture
def neighbours() -> Neighbourhood:
    vectors = np.random.default_rng(40).normal(size=(40, 12)).astype(np.float32)
    vectors[7] = vectors[3]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Neighbourhood(*nearest_neighbours(vectors, 16, report=silent))


def test_graph_when_made_of_exact_neighbours_then_it_is_that_of_umap_learn(
    neighbours: Neighbourhood,
) -> None:
    graph = fuzzy_graph(neighbours, 8)
    assert graph.nnz == BONDS
    assert np.asarray(graph.sum(axis=1)).ravel() == pytest.approx(
        np.array(SUMS.split(), dtype=float), abs=2e-4
    )


def test_graph_when_drawn_by_toolkits_then_it_is_that_of_umap_learn(
    neighbours: Neighbourhood,
) -> None:
    labels = (np.arange(40) % 5 - 1).astype(np.int32)
    graph = drawn_by_labels(fuzzy_graph(neighbours, 8), labels, 0.3)
    assert graph.nnz == BONDS
    assert np.asarray(graph.sum(axis=1)).ravel() == pytest.approx(
        np.array(SUMS_BY_LABELS.split(), dtype=float), abs=2e-4
    )


def test_curve_when_fitted_then_it_is_that_of_umap_learn() -> None:
    assert curve_of(2.0, 0.4) == pytest.approx((0.314203, 1.003005), abs=1e-5)


def test_descent_when_seed_differs_then_positions_differ_and_joined_points_lie_nearer(
    neighbours: Neighbourhood,
) -> None:
    graph = fuzzy_graph(neighbours, 4)
    start = np.random.default_rng(1).normal(size=(40, 2)).astype(np.float32)
    made = [
        descend(graph, start, rounds=200, curve=curve_of(2.0, 0.4), seed=seed, report=silent)
        for seed in (0, 0, 1)
    ]
    assert np.array_equal(made[0], made[1]) and not np.array_equal(made[0], made[2])
    pairs = graph.tocoo()
    for positions in made:
        joined = np.linalg.norm(positions[pairs.row] - positions[pairs.col], axis=1).mean()
        anyone = np.linalg.norm(positions[:, None] - positions[None], axis=2).mean()
        assert joined < 0.5 * anyone
