"""APIs that are one and the same, crawled twice: which sets of them there are.

The text must be all but equal and the parameters the same; beside that either the address (method,
host, path) or the name. A third of a crawled catalogue shares its description, so the text alone
says little. Called once by `evidence.py`: edits of toolkits do not change it.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import products_of_pairs
from toolplanner_core.curation.questions.kinds.documents import Documents

_EQUAL = 0.98
"""Least cosine of texts that say the same."""


def find_copies(
    vectors: NDArray[np.float32], neighbours: NDArray[np.int32], documents: Documents
) -> list[NDArray[np.int64]]:
    """Sets of copies, positions ascending.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        neighbours: (n, k) int32 positions, each point itself first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(vectors)
    first, second = _pairs(vectors, neighbours, documents)
    if not len(first):
        return []
    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n))
    component = connected_components(links, directed=False)[1]
    ends = np.union1d(first, second)
    ends = ends[np.argsort(component[ends], kind="stable")]
    return np.split(ends, np.flatnonzero(np.diff(component[ends])) + 1)


def _pairs(
    vectors: NDArray[np.float32], neighbours: NDArray[np.int32], documents: Documents
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    n, k = len(vectors), neighbours.shape[1] - 1
    first, second = np.repeat(np.arange(n), k), neighbours[:, 1:].ravel()
    # APIs that share an address follow one another in this order, with their parameters.
    order = np.lexsort((documents.names, documents.parameter_sets, documents.addresses))
    first = np.concatenate((first, order[:-1]))
    second = np.concatenate((second, order[1:]))
    has_address = documents.addresses[first] >= 0
    same_address = documents.addresses[first] == documents.addresses[second]
    same_schema = documents.parameter_sets[first] == documents.parameter_sets[second]
    same_name = documents.names[first] == documents.names[second]
    has_parameters = documents.parameter_sets[first] > 0
    is_pair = same_schema & ((same_address & has_address) | (same_name & has_parameters))
    first, second = first[is_pair], second[is_pair]
    near = products_of_pairs(vectors, first, vectors, second) >= _EQUAL
    return first[near].astype(np.int64), second[near].astype(np.int64)
