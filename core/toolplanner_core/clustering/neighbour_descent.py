"""Candidates for nearest neighbours by NN-descent, in a time that grows little faster than the
number of points.

Neighbours of neighbours are likely neighbours. A forest of random projections gives the first ones,
and rounds of comparing what is near the same point better them, until few change. The work is
pynndescent's; its class `NNDescent` is not used, because it hands the distance over as a function,
of which numba keeps no compiled code: every process would compile for 23 seconds. What is called
here knows the distance itself.

Source: Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph construction for generic
similarity measures"; pynndescent 0.7.0, `NNDescent` (forest, number of rounds, when to stop).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors
from toolplanner_core.jobs.compiled_code import pynndescent_library
from toolplanner_core.jobs.progress import Report

_STAGE = "Finding neighbours"
_SEED = 0
_PARTS = 8
"""Into how many parts the work is cut, on any number of cores: random choices and the order of
changes are a part's own, so that the result does not depend on the machine's cores."""

_MORE = 8
"""How many more neighbours are followed than are asked for: the last ones are the least sure."""

_MOST_CANDIDATES = 60
_MOST_DEPTH = 200
_LEAST_CHANGE = 0.001
"""Source for the three: defaults of pynndescent."""

_BLOCK = 4096
"""Points whose candidates are compared before their lists are changed: 150 MB of found pairs."""


def neighbour_candidates(vectors: Vectors, k: int, *, report: Report) -> NDArray[np.int32]:
    """For each point those found nearest, in no order, without itself.

    The same for equal vectors on processors of one kind, whatever their number of cores. Others add
    up a dot product in another order, which can change a few of those that are equally far.

    Args:
        vectors: (n, dim) float32, rows of length 1 or 0.
        k: how many are wanted.
        report: told how many rounds are done.

    Returns:
        (n, k + 8) int32, positions; -1 where fewer were found.
    """
    library = pynndescent_library(report)
    vectors = np.require(vectors, np.float32, ["C", "W"])
    rounds = max(5, round(math.log2(len(vectors))))
    report(_STAGE, 0, rounds + 1, "rounds")
    descent = _Descent(library, vectors, k + _MORE)
    descent.begin_with_forest()
    for done in range(1, rounds + 1):
        report(_STAGE, done, rounds + 1, "rounds")
        if descent.compare_neighbours() <= _LEAST_CHANGE * descent.lists[0].size:
            break
    report(_STAGE, rounds + 1, rounds + 1, "rounds")
    return descent.lists[0]


def compile_all(report: Report) -> None:
    """Find neighbours of a few points, so that the compiled code of it is there for the next
    process."""
    # So long that a tree splits them once as it does many, by all cores.
    vectors = np.random.default_rng(0).normal(size=(600, 2048)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    neighbour_candidates(vectors, 8, report=report)


class _Descent:
    """The lists of neighbours and the arrays that a round works in.

    Attributes:
        lists: heaps of pynndescent, each (n, k): positions, distances, whether it is new.
    """

    def __init__(self, library: Any, vectors: Vectors, k: int) -> None:
        n, width = len(vectors), min(_MOST_CANDIDATES, k)
        self._library = library
        self._vectors = vectors
        self._random = np.random.default_rng(_SEED)
        self.lists = library.utils.make_heap(n, k)
        rows = min(_BLOCK, n) // _PARTS + 1
        most = rows * (width * (width - 1) // 2 + width * width) + 1024
        self._found = np.empty((_PARTS, most, 3), np.float32)
        self._sorted = np.empty((_PARTS, 2 * most, 3), np.float32)
        self._counts = np.zeros(_PARTS, np.int32)
        self._bounds = np.zeros((_PARTS, _PARTS + 1), np.int64)
        self._width = width
        self._workspace = (
            *(np.full((n, width), -1, np.int32), np.full((n, width), np.inf, np.float32)),
            *(np.full((n, width), -1, np.int32), np.full((n, width), np.inf, np.float32)),
            np.ones(n, np.uint8),
            np.empty(n * k, np.int32),
            np.empty(n * k, np.int32),
            np.zeros((_PARTS, _PARTS + 1), np.int64),
        )

    def begin_with_forest(self) -> None:
        """Compare all that lie in one leaf of a tree."""
        n, k = self.lists[0].shape
        leaves = self._library.hybrid_forest.make_hybrid_leaf_array(
            self._vectors,
            max(3, min(12, round(2 * math.log10(n)))),
            max(60, min(256, 5 * k)),
            int(self._random.integers(2**62)),
            angular=True,
            max_depth=_MOST_DEPTH,
        )
        leaves = np.ascontiguousarray(leaves, np.int32)
        pairs = max(1, leaves.shape[1] * (leaves.shape[1] - 1) // 2)
        block = _PARTS * max(1, self._found.shape[1] // pairs - 1)
        for begin in range(0, len(leaves), block):
            part = leaves[begin : begin + block]
            self._compare(part, np.full((len(part), 1), -1, np.int32))

    def compare_neighbours(self) -> int:
        """Compare what is near the same point; how many places of the lists changed."""
        state = self._random.integers(-(2**31) + 1, 2**31 - 1, size=3, dtype=np.int64)
        new, old = self._library.utils.build_candidates_owner(
            self.lists, self._width, state, _PARTS, *self._workspace
        )
        return sum(
            self._compare(new[begin : begin + _BLOCK], old[begin : begin + _BLOCK])
            for begin in range(0, len(new), _BLOCK)
        )

    def _compare(self, new: NDArray[np.int32], old: NDArray[np.int32]) -> int:
        """Compare each pair of one row that has a new one in it."""
        kernels, utils = self._library.kernels, self._library.utils
        kernels.generate_graph_update_array_batched(
            self._found,
            self._counts,
            new,
            old,
            self.lists,
            self._vectors,
            kernels.KERNEL_ALT_DOT,
            _PARTS,
        )
        n = len(self._vectors)
        utils.sort_updates_by_block(
            self._found, self._counts, self._sorted, self._bounds, n, _PARTS
        )
        return int(
            utils.apply_sorted_graph_update_array(self.lists, self._sorted, self._bounds, _PARTS)
        )
