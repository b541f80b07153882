"""Neighbours in large catalogues: nearly all of them, the same on any number of cores."""

import numba
import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering import neighbour_descent, neighbours
from toolplanner_core.clustering.groups import unit
from toolplanner_core.clustering.neighbours import NearestNeighbours, nearest_neighbours

N, K = 3000, 16
WITHOUT_WORDS = slice(40, 60)


def grouped_vectors() -> np.ndarray:
    """Points around 60 places, as texts of a catalogue are; some copies, some without a word."""
    random = np.random.default_rng(0)
    places = random.normal(size=(60, 128))
    vectors = places[random.integers(60, size=N)] + 0.7 * random.normal(size=(N, 128))
    vectors[10:30] = vectors[9]
    vectors[WITHOUT_WORDS] = 0
    return unit(vectors.astype(np.float32))


@pytest.fixture
def vectors() -> np.ndarray:
    return grouped_vectors()


@pytest.fixture
def exact(vectors: np.ndarray) -> NearestNeighbours:
    return nearest_neighbours(vectors, K, report=silent)


@pytest.fixture
def limit(exact: NearestNeighbours, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few points are many."""
    monkeypatch.setattr(neighbours, "EXACT_UP_TO", 100)


@pytest.mark.usefixtures("limit")
def test_neighbours_when_there_are_many_points_then_nearly_all_are_found(
    vectors: np.ndarray, exact: NearestNeighbours
) -> None:
    found = nearest_neighbours(vectors, K, report=silent)
    # Among equally near ones any is right: copies, and all for a point without words.
    assert (found.distances <= exact.distances + 1e-5).mean() >= 0.98
    assert (np.abs(found.distances - exact.distances) < 1e-5).mean() >= 0.96
    assert found.indices.dtype == np.int32
    assert found.distances.dtype == np.float32
    assert found.indices[:, 0].tolist() == list(range(N))
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == K for row in found.indices.tolist())
    true = 1 - np.einsum("id,ikd->ik", vectors, vectors[found.indices])
    assert np.allclose(found.distances[:, 1:], true[:, 1:], atol=1e-5)


@pytest.mark.usefixtures("limit")
def test_neighbours_when_fewer_cores_work_then_the_same_to_the_bit(vectors: np.ndarray) -> None:
    first = nearest_neighbours(vectors, K, report=silent)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        second = nearest_neighbours(vectors, K, report=silent)
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(first.indices, second.indices)
    assert np.array_equal(first.distances, second.distances)


@pytest.mark.usefixtures("limit")
def test_neighbours_when_too_few_candidates_are_found_then_those_points_are_compared_with_all(
    vectors: np.ndarray, exact: NearestNeighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = neighbour_descent.neighbour_candidates

    def without_some(*args: object, **kwargs: object) -> np.ndarray:
        candidates = search(*args, **kwargs)  # pyright: ignore[reportArgumentType]
        candidates[:5, 3:] = -1
        return candidates

    monkeypatch.setattr(neighbours, "neighbour_candidates", without_some)
    found = nearest_neighbours(vectors, K, report=silent)
    assert np.array_equal(found.indices[:5], exact.indices[:5])
    assert np.allclose(found.distances[:5], exact.distances[:5], atol=1e-6)


@pytest.mark.usefixtures("limit")
def test_neighbours_when_searched_then_each_round_is_reported(vectors: np.ndarray) -> None:
    rounds: list[tuple[int, int | None]] = []

    def report(stage: str, done: int, total: int | None, unit: str = "") -> None:
        if unit == "rounds":
            rounds.append((done, total))

    nearest_neighbours(vectors, K, report=report)
    done = [number for number, _ in rounds]
    assert done[:3] == [0, 1, 2]
    assert done == sorted(done)
    assert rounds[-1][0] == rounds[-1][1]


def test_candidates_when_nothing_has_a_word_then_there_are_some_all_the_same() -> None:
    candidates = neighbour_descent.neighbour_candidates(
        np.zeros((500, 8), np.float32), 5, report=silent
    )
    assert candidates.shape == (500, 13)
    assert (candidates != np.arange(500)[:, None]).all()
