"""Splitting one toolkit."""

import numpy as np
import pytest

from toolplanner_core.clustering.splitting import Method, split_by_likeness, split_group
from toolplanner_core.errors import BadInput

both = pytest.mark.parametrize("method", ["kmeans", "agglomerative"])


def heaps(sizes: list[int], dim: int = 10) -> np.ndarray:
    random = np.random.default_rng(4)
    vectors = np.repeat(np.eye(len(sizes), dim), sizes, axis=0)
    vectors = vectors + random.normal(0, 0.08, vectors.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@both
def test_split_when_k_is_auto_then_finds_the_heaps(method: Method) -> None:
    labels = split_group(heaps([20, 12, 6]), method=method)
    assert labels.tolist() == [0] * 20 + [1] * 12 + [2] * 6


@both
@pytest.mark.parametrize("k", [1, 2, 5])
def test_split_when_k_is_given_then_that_many_and_the_same_again(method: Method, k: int) -> None:
    vectors = heaps([15, 15, 15])
    labels = split_group(vectors, k=k, method=method, seed=1)
    assert np.unique(labels).tolist() == list(range(k))
    assert labels.dtype == np.int32
    assert np.array_equal(labels, split_group(vectors, k=k, method=method, seed=1))


@both
def test_split_when_fewer_texts_differ_then_fewer_parts(method: Method) -> None:
    vectors = heaps([1, 1])[[0, 0, 1, 1, 1]]
    assert split_group(vectors, k=4, method=method).tolist() == [1, 1, 0, 0, 0]
    assert split_group(vectors[:2], method=method).tolist() == [0, 0]
    assert len(set(split_group(heaps([1, 1]), method=method).tolist())) == 2


def test_split_when_it_cannot_be_then_says_so() -> None:
    with pytest.raises(BadInput, match="at least two"):
        split_group(heaps([1]))
    with pytest.raises(BadInput, match="from 1 up"):
        split_group(heaps([3]), k=0)


def test_likeness_when_some_are_like_the_text_then_these_come_first() -> None:
    query = np.eye(1, 10, dtype=np.float32)[0]
    labels, threshold = split_by_likeness(heaps([5, 9]), query)
    assert labels.tolist() == [0] * 5 + [1] * 9
    assert 0.3 < threshold < 0.9
    assert split_by_likeness(heaps([5, 9]), query, threshold=-1).labels.tolist() == [0] * 14


def test_likeness_when_all_are_alike_then_all_are_like_it() -> None:
    query = np.eye(1, 10, dtype=np.float32)[0]
    assert split_by_likeness(np.tile(query, (4, 1)), query).labels.tolist() == [0] * 4
