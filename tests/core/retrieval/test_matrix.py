"""The product of a search is done in blocks: it must be the product."""

from typing import Any

import numpy as np
import pytest

from toolplanner_core.retrieval.catalogue_index import CatalogueVectors


def held(vectors: Any) -> CatalogueVectors:
    numbers = np.arange(0 if vectors is None else len(vectors))
    nothing: Any = None
    return CatalogueVectors(
        state=nothing, rowids=numbers, vectors=vectors, tools=numbers, words=nothing
    )


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 3_001])
@pytest.mark.parametrize(("queries", "dim"), [(1, 384), (2, 256), (9, 384), (9, 4_096), (3, 1)])
def test_products_when_in_blocks_then_as_at_once(count: int, queries: int, dim: int) -> None:
    chance = np.random.default_rng(count + dim)
    vectors = chance.normal(size=(count, dim)).astype(np.float32)
    asked = chance.normal(size=(queries, dim)).astype(np.float32)
    found = held(vectors).products(asked)
    assert found is not None
    assert found.shape == (queries, count)
    np.testing.assert_allclose(found, asked @ vectors.T, rtol=1e-4, atol=1e-3)


def test_products_when_dimensions_differ_or_there_are_no_vectors_then_none() -> None:
    asked = np.ones((1, 3), dtype=np.float32)
    assert held(np.ones((2, 4), dtype=np.float32)).products(asked) is None
    assert held(None).products(asked) is None
