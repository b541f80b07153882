"""What every clustering must do, whichever it is."""

import pickle

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.clustering import ClusteringPlugin, clusterings
from toolplanner_core.clustering.groups import Vectors, number_by_size


def unit(vectors: np.ndarray) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def blobs(groups: int, size: int, dim: int = 8, noise: float = 0.01) -> Vectors:
    random = np.random.default_rng(7)
    centres = unit(random.normal(size=(groups, dim)))
    return unit(np.repeat(centres, size, axis=0) + random.normal(0, noise, (groups * size, dim)))


every = pytest.mark.parametrize("plugin", list(clusterings), ids=lambda plugin: plugin.id)


def test_registry_when_asked_then_has_those_of_this_version() -> None:
    assert set(clusterings.plugins) >= {"kmeans", "dbscan", "agglomerative", "hdbscan"}


@every
@pytest.mark.parametrize("n", [1, 2, 3, 14, 300])
def test_clustering_when_any_number_of_points_then_labels_have_the_promised_form(
    plugin: ClusteringPlugin, n: int
) -> None:
    vectors = unit(np.random.default_rng(n).normal(size=(n, 12)))
    labels = plugin.fit(vectors, options=plugin.options(), seed=0, report=silent)
    assert labels.shape == (n,)
    assert labels.dtype == np.int32
    assert labels.min() >= -1
    used = np.unique(labels[labels >= 0])
    assert used.tolist() == list(range(len(used)))


@every
def test_clustering_when_points_are_equal_then_they_are_one_group(plugin: ClusteringPlugin) -> None:
    vectors = np.tile(unit(np.ones((1, 5))), (40, 1))
    labels = plugin.fit(vectors, options=plugin.options(), seed=0, report=silent)
    assert labels.tolist() == [0] * 40


@every
def test_clustering_when_a_text_has_no_known_word_then_zeros_do_no_harm(
    plugin: ClusteringPlugin,
) -> None:
    vectors = blobs(3, 9)
    vectors[5] = 0
    labels = plugin.fit(vectors, options=plugin.options(), seed=0, report=silent)
    assert labels.shape == (27,)


@every
def test_clustering_when_seed_is_the_same_then_labels_are(plugin: ClusteringPlugin) -> None:
    vectors = unit(np.random.default_rng(3).normal(size=(500, 20)))
    first, second = (
        plugin.fit(vectors, options=plugin.options(), seed=5, report=silent) for _ in range(2)
    )
    assert np.array_equal(first, second)


@every
def test_clustering_when_groups_lie_apart_then_no_label_mixes_them(
    plugin: ClusteringPlugin,
) -> None:
    vectors = blobs(6, 30)
    labels = plugin.fit(vectors, options=plugin.options(), seed=0, report=silent)
    truth = np.repeat(np.arange(6), 30)
    for label in np.unique(labels[labels >= 0]):
        assert len(np.unique(truth[labels == label])) == 1


@every
def test_clustering_when_it_works_then_reports_a_stage(plugin: ClusteringPlugin) -> None:
    stages: list[str] = []
    plugin.fit(
        blobs(4, 20),
        options=plugin.options(),
        seed=0,
        report=lambda stage, *_: stages.append(stage),
    )
    assert stages
    assert all(stage[0].isupper() for stage in stages)


@every
def test_plugin_when_sent_to_a_worker_then_it_can_be_pickled(plugin: ClusteringPlugin) -> None:
    copy = pickle.loads(pickle.dumps((plugin.group, plugin.options())))  # noqa: S301
    assert copy == (plugin.group, plugin.options())


def test_number_by_size_when_groups_have_gaps_then_numbers_from_the_largest() -> None:
    labels = number_by_size(np.array([7, 3, 3, -1, 9, 9, 9, 7]))
    assert labels.tolist() == [1, 2, 2, -1, 0, 0, 0, 1]
