"""Vectors of 40 topics, as embeddings are: `(n, 384)` float32 of length 1, for those who make a map
of them. It runs in the environments of others: numpy only.
"""

import numpy as np

DIMENSIONS, TOPICS = 384, 40


def made_up_vectors(n: int) -> np.ndarray:
    random = np.random.default_rng(0)
    topics = random.normal(size=(TOPICS, DIMENSIONS))
    vectors = topics[np.arange(n) // 9 % TOPICS] + random.normal(scale=0.3, size=(n, DIMENSIONS))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
