"""Texts of a batch are encoded by length, and come back in their own order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from toolplanner_core.training.loop import unit_vectors


class LengthsModel:
    """Its vector of a text is (length, 1).

    Attributes:
        padded: letters that its batches took, with padding.
    """

    device = "cpu"

    def __init__(self) -> None:
        self.padded = 0

    def preprocess(self, texts: Sequence[str]) -> dict[str, Any]:
        torch = pytest.importorskip("torch")
        self.padded += len(texts) * max(len(text) for text in texts)
        return {"lengths": torch.tensor([[float(len(text)), 1.0] for text in texts])}

    def __call__(self, features: dict[str, Any]) -> dict[str, Any]:
        return {"sentence_embedding": features["lengths"]}


def test_unit_vectors_when_lengths_are_mixed_then_in_order_with_little_padding() -> None:
    pytest.importorskip("sentence_transformers")
    lengths = [1 + (37 * i) % 80 for i in range(40)]
    model = LengthsModel()
    found = unit_vectors(model, ["a" * length for length in lengths]).numpy()
    expected = np.array([[length, 1.0] for length in lengths])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(found, expected, atol=1e-6)
    assert model.padded < 0.75 * len(lengths) * max(lengths)
