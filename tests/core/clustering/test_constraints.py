"""What a person has settled holds, whichever clustering is asked."""

import numpy as np
import pytest
from fixtures.silent import silent
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering.clustering import ClusteringPlugin, clusterings
from toolplanner_core.clustering.constraints import Constraints, Pairs, components
from toolplanner_core.clustering.groups import Vectors
from toolplanner_core.errors import BadInput

every = pytest.mark.parametrize("plugin", list(clusterings), ids=lambda plugin: plugin.id)


def vectors_near_centres(n: int, seed: int, dim: int = 6, noise: float = 0.25) -> Vectors:
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, n // 6), dim))
    vectors = centres[random.integers(0, len(centres), n)] + random.normal(0, noise, (n, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def make_constraints(n: int, *, fixed: np.ndarray | None = None, **pairs: Pairs) -> Constraints:
    return Constraints(fixed=np.full(n, -1, np.int32) if fixed is None else fixed, **pairs)


def random_constraints(n: int, seed: int) -> Constraints:
    """Constraints that a hidden grouping keeps, so that they never contradict each other."""
    random = np.random.default_rng(seed)
    hidden = random.integers(0, max(2, n // 5), n)
    fixed = np.where(random.random(n) < 0.3, hidden, -1).astype(np.int32)
    pairs = random.integers(0, n, (n, 2)).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    return make_constraints(
        n,
        fixed=fixed,
        must_link=pairs[same],
        cannot_link=pairs[~same],
    )


def fit(plugin: ClusteringPlugin, vectors: Vectors, constraints: Constraints | None) -> np.ndarray:
    return plugin.fit(
        vectors, options=plugin.options(), seed=3, report=silent, constraints=constraints
    )


@every
@settings(max_examples=15, deadline=None)
@given(n=st.integers(2, 90), seed=st.integers(0, 10_000))
def test_constraints_when_random_then_all_hold(plugin: ClusteringPlugin, n: int, seed: int) -> None:
    constraints = random_constraints(n, seed)
    labels = fit(plugin, vectors_near_centres(n, seed), constraints)
    pinned = constraints.fixed >= 0
    assert np.array_equal(labels[pinned], constraints.fixed[pinned])
    must, cannot = constraints.must_link, constraints.cannot_link
    assert (labels[must[:, 0]] == labels[must[:, 1]]).all()
    assert (labels[must] >= 0).all()
    parted = (labels[cannot[:, 0]] != labels[cannot[:, 1]]) | (labels[cannot[:, 0]] < 0)
    assert parted.all()
    new = np.unique(labels[labels >= constraints.first_new])
    assert new.tolist() == list(range(constraints.first_new, constraints.first_new + len(new)))
    component, given_to = components(constraints, n)
    assert (labels[given_to[component] < 0] >= constraints.first_new).all() or (
        labels[given_to[component] < 0] < 0
    ).any()


@every
def test_constraints_when_seed_is_the_same_then_labels_are(plugin: ClusteringPlugin) -> None:
    vectors = vectors_near_centres(200, 4)
    constraints = random_constraints(200, 4)
    assert np.array_equal(fit(plugin, vectors, constraints), fit(plugin, vectors, constraints))


@every
def test_constraints_when_empty_then_labels_are_as_without(plugin: ClusteringPlugin) -> None:
    vectors = vectors_near_centres(150, 5)
    assert np.array_equal(fit(plugin, vectors, make_constraints(150)), fit(plugin, vectors, None))


@every
def test_constraints_when_all_points_are_pinned_then_nothing_changes(
    plugin: ClusteringPlugin,
) -> None:
    fixed = np.array([4, 0, 4, 7, 0], dtype=np.int32)
    labels = fit(plugin, vectors_near_centres(5, 1), make_constraints(5, fixed=fixed))
    assert labels.tolist() == fixed.tolist()


def two_heaps(n: int = 12) -> Vectors:
    random = np.random.default_rng(0)
    vectors = np.repeat(np.eye(2, 5), n, axis=0) + random.normal(0, 0.05, (2 * n, 5))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@every
def test_free_points_when_they_are_like_a_given_group_then_it_stays_as_it_is(
    plugin: ClusteringPlugin,
) -> None:
    fixed = np.full(24, -1, dtype=np.int32)
    fixed[:9] = 0
    labels = fit(plugin, two_heaps(), make_constraints(24, fixed=fixed))
    assert (labels[9:] != 0).all()


def test_cannot_link_when_one_is_less_central_then_that_one_moves() -> None:
    vectors = two_heaps()
    vectors[0] = (vectors[1] + 0.4 * vectors[15]) / np.linalg.norm(vectors[1] + 0.4 * vectors[15])
    kmeans = clusterings.get("kmeans")
    constraints = make_constraints(24, cannot_link=np.array([[0, 5]], dtype=np.int32))
    labels = kmeans.fit(
        vectors, options=kmeans.options(k=2), seed=0, report=silent, constraints=constraints
    )
    assert labels[5] == np.bincount(labels[1:12]).argmax()
    assert labels[0] != labels[5]


def test_kmeans_when_groups_are_given_then_they_count_towards_k() -> None:
    kmeans = clusterings.get("kmeans")
    fixed = np.full(120, -1, dtype=np.int32)
    fixed[:20] = np.arange(20) // 5
    labels = kmeans.fit(
        vectors_near_centres(120, 2),
        options=kmeans.options(k=14),
        seed=0,
        report=silent,
        constraints=make_constraints(120, fixed=fixed),
    )
    assert len(np.unique(labels)) == 14


def pair(a: int, b: int) -> np.ndarray:
    return np.array([[a, b]], dtype=np.int32)


def pinned(*labels: int) -> np.ndarray:
    return np.array(labels, dtype=np.int32)


@every
@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        (
            make_constraints(
                4,
                must_link=np.array([[0, 1], [1, 2]], dtype=np.int32),
                cannot_link=pair(0, 2),
            ),
            "Points 0 and 2",
        ),
        (make_constraints(4, fixed=pinned(1, -1, 2, -1), must_link=pair(0, 2)), "Points 0 and 2"),
        (make_constraints(4, fixed=pinned(1, -1, -1, 1), cannot_link=pair(0, 3)), "Points 0 and 3"),
        (make_constraints(4, cannot_link=pair(2, 2)), "Points 2 and 2"),
        (make_constraints(4, must_link=pair(0, 4)), "outside 0 to 3"),
        (make_constraints(3), "for 3 points"),
    ],
)
def test_constraints_when_they_contradict_then_the_pair_is_named(
    plugin: ClusteringPlugin, constraints: Constraints, named: str
) -> None:
    if constraints.is_empty:
        with pytest.raises(BadInput, match=named):
            components(constraints, 4)
        return
    with pytest.raises(BadInput, match=named):
        fit(plugin, vectors_near_centres(4, 0), constraints)
