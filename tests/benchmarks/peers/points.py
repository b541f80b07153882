"""What every scatter plot is given and is asked: points in groups of nine, a window of one size, a
polygon round the middle. It runs in the environments of others: numpy only.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

WIDTH, HEIGHT = 1280, 800
FRAMES, LASSOS = 30, 5
LONGEST_S = 90.0
"""After which no further frame or selection is measured."""


def read_points() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """xy `(n, 2)` float32, group `(n,)` int32, corners of the polygon `(12, 2)` in the same units.
    n is the first argument of the program."""
    n = int(sys.argv[1])
    random = np.random.default_rng(0)
    middles = random.normal(size=(n // 9, 2)) * 20
    groups = random.integers(0, n // 9, n).astype(np.int32)
    xy = (middles[groups] + random.normal(size=(n, 2)) * 0.25).astype(np.float32)
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    return xy, groups, 14 * np.column_stack([np.cos(angles), np.sin(angles)])


def inside(xy: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Which points lie in the convex polygon, `(n,)` bool: for programs without a lasso."""
    edges = np.roll(corners, -1, axis=0) - corners
    mask = np.ones(len(xy), bool)
    for (x, y), (dx, dy) in zip(corners, edges, strict=True):
        mask &= dx * (xy[:, 1] - y) - dy * (xy[:, 0] - x) >= 0
    return mask


def median_ms(step: Callable[[int], object], times: int) -> float:
    """The median time on the clock of a step that is done so often, ms."""
    taken: list[float] = []
    end_s = time.monotonic() + LONGEST_S
    for number in range(times):
        began = time.perf_counter()
        step(number)
        taken.append(time.perf_counter() - began)
        if time.monotonic() > end_s:
            break
    return statistics.median(taken) * 1000


def say(**figures: float | str) -> None:
    """Print the figures, as the last line, with the most memory that the program had, MB, and keep
    a picture of the screen."""
    figures["memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    subprocess.run(["import", "-window", "root", os.environ["PEERS_PICTURE"]], check=True)
    print(json.dumps(figures))
