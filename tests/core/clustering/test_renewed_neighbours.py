"""Neighbours after a few texts changed are those that computing all again would give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering import renewed_neighbours
from toolplanner_core.clustering.neighbours import NearestNeighbours, nearest_neighbours
from toolplanner_core.clustering.renewed_neighbours import renew_neighbours
from toolplanner_core.jobs.progress import silent

K = 6


def vectors_of(n: int, seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(n, 16)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def known(vectors: np.ndarray) -> NearestNeighbours:
    return nearest_neighbours(vectors, K, report=silent)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(60, 200),
    changed=st.integers(0, 4),
    gone=st.integers(0, 3),
    new=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_renewed_when_points_changed_came_and_went_then_as_computed_anew(
    n: int, changed: int, gone: int, new: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    old = vectors_of(n, seed)
    order = random.permutation(n)
    places = np.concatenate((order[gone:], np.full(new, -1)))
    vectors = np.concatenate((old[order[gone:]], vectors_of(new, seed + 500)))
    vectors[random.integers(0, n - gone, changed)] = vectors_of(changed, seed + 1000)
    found = renew_neighbours(known(old), places, vectors, report=silent)
    wanted = known(vectors)
    assert np.array_equal(found.indices, wanted.indices)
    assert np.allclose(found.distances, wanted.distances, atol=1e-5)


def test_renewed_when_one_of_many_changed_then_few_are_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = vectors_of(2_000, 0)
    vectors = old.copy()
    vectors[77] = vectors_of(1, 5)[0]
    asked: list[int] = []
    blocks = renewed_neighbours.blocks

    def counted(n: int, width: int, *, stage: str, report):
        if stage == renewed_neighbours._STAGE:
            asked.append(n)
        return blocks(n, width, stage=stage, report=report)

    before = known(old)
    monkeypatch.setattr(renewed_neighbours, "blocks", counted)
    found = renew_neighbours(before, np.arange(2_000), vectors, report=silent)
    assert sum(asked) < 40
    assert np.array_equal(found.indices, known(vectors).indices)
