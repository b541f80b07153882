"""The walk through the map: every toolkit once around, every API of it, the nearest in meaning."""

import numpy as np

from toolplanner_gui.map.focused_point import KeyboardNavigation
from toolplanner_gui.map.points import MapPoints


def world(k=30, per=4):
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(k), per)
    xy = (rng.normal(size=(k, 2)) * 10)[labels] + rng.normal(size=(k * per, 2)) * 0.1
    return MapPoints(xy, labels, [f"T{i}" for i in range(k)])


def test_walk_when_all_around_then_each_toolkit_comes_once_and_back_is_the_same_way():
    points = world()
    walk = KeyboardNavigation(lambda: points, lambda: None)
    there = [int(points.labels[walk.to_toolkit(1)]) for _ in range(30)]
    assert sorted(there) == list(range(30))
    assert int(points.labels[walk.to_toolkit(1)]) == there[0]
    back = [int(points.labels[walk.to_toolkit(-1)]) for _ in range(29)]
    assert back == there[:0:-1]
    fresh = KeyboardNavigation(lambda: points, lambda: None)
    assert int(points.labels[fresh.to_toolkit(-1)]) == there[-1]


def test_walk_when_through_a_toolkit_then_each_api_comes_once():
    points = world()
    walk = KeyboardNavigation(lambda: points, lambda: None)
    first = walk.to_api(1)
    rows = [first] + [walk.to_api(1) for _ in range(3)]
    assert len(set(rows)) == 4
    assert len({int(points.labels[row]) for row in rows}) == 1
    assert walk.to_api(1) == first
    assert walk.to_api(-1) == rows[-1]


def test_walk_when_a_filter_is_set_then_hidden_points_are_passed_by():
    points = world()
    points.filter((points.labels % 2 == 0) & (np.arange(len(points)) % 4 < 2))
    walk = KeyboardNavigation(lambda: points, lambda: None)
    seen = {int(points.labels[walk.to_toolkit(1)]) for _ in range(15)}
    assert seen == set(range(0, 30, 2))
    rows = {walk.to_api(1) for _ in range(6)}
    assert len(rows) == 2


def test_walk_when_to_the_nearest_then_it_does_not_go_to_and_fro():
    points = world()
    near = np.array([[i, i ^ 1, (i + 2) % len(points), -1] for i in range(len(points))])
    walk = KeyboardNavigation(lambda: points, lambda: near)
    walk.put(0)
    assert [walk.to_nearest() for _ in range(4)] == [1, 3, 2, 4]


def test_walk_when_there_are_no_points_or_no_neighbours_then_it_stays():
    empty = MapPoints(np.zeros((0, 2)), np.zeros(0, int), [])
    walk = KeyboardNavigation(lambda: empty, lambda: None)
    assert walk.to_toolkit(1) == walk.to_api(1) == walk.to_nearest() == -1
    points = world()
    walk = KeyboardNavigation(lambda: points, lambda: None)
    walk.to_toolkit(1)
    assert walk.to_nearest() == -1
