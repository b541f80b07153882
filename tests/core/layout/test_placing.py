"""New points on a frozen map."""

import numpy as np
from fixtures.silent import silent

from toolplanner_core.layout.placing import place


def frozen_map() -> tuple[np.ndarray, np.ndarray]:
    """Three heaps of vectors, far apart, also on the map."""
    random = np.random.default_rng(0)
    vectors = np.repeat(np.eye(3, 8), 20, axis=0) + random.normal(0, 0.05, (60, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    centres = np.array([[-8, 0], [8, 0], [0, 9]])
    xy = np.repeat(centres, 20, axis=0) + random.normal(0, 0.3, (60, 2))
    return vectors, xy.astype(np.float32)


def test_place_when_points_are_new_then_they_lie_with_their_like_and_old_ones_stay() -> None:
    vectors, xy = frozen_map()
    before = xy.tobytes()
    new = np.eye(3, 8, dtype=np.float32)
    found = place(new, vectors, xy, report=silent)
    assert xy.tobytes() == before
    assert found.xy.dtype == np.float32
    assert (np.linalg.norm(found.xy - [[-8, 0], [8, 0], [0, 9]], axis=1) < 1).all()
    assert found.neighbours.shape == found.distances.shape == (3, 8)
    assert (np.diff(found.distances, axis=1) >= 0).all()


def test_place_when_a_point_is_torn_between_heaps_then_it_lies_in_one_not_in_the_void() -> None:
    vectors, xy = frozen_map()
    new = np.eye(2, 8, dtype=np.float32).sum(axis=0, keepdims=True) / np.sqrt(2)
    new[0, 0] += 0.02
    spot = place(new / np.linalg.norm(new), vectors, xy, report=silent).xy
    assert min(np.linalg.norm(spot - [-8, 0]), np.linalg.norm(spot - [8, 0])) < 3


def test_place_when_texts_are_copies_then_each_has_a_spot_of_its_own() -> None:
    vectors, xy = frozen_map()
    xy[20:] += 100
    new = np.tile(vectors[:1], (30, 1))
    found = place(new, vectors[:1], xy[:1], report=silent)
    spots = np.concatenate((xy[:1], found.xy))
    assert len(np.unique(spots, axis=0)) == 31
    assert np.linalg.norm(spots - xy[0], axis=1).max() < 0.5
    again = place(new, vectors[:1], xy[:1], report=silent)
    assert found.xy.tobytes() == again.xy.tobytes()


def test_place_when_nothing_is_new_or_a_text_is_empty_then_no_harm() -> None:
    vectors, xy = frozen_map()
    assert place(vectors[:0], vectors, xy, report=silent).xy.shape == (0, 2)
    empty = np.zeros((2, 8), dtype=np.float32)
    assert np.isfinite(place(empty, vectors, xy, report=silent).xy).all()
