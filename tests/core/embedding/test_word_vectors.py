"""The table of word vectors: only the known files are taken."""

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from toolplanner_core.curation.grouping.prepare import default_embedder
from toolplanner_core.embedding.static_words import StaticWords, find_files
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.workspace import Workspace


def test_texts_when_their_words_are_related_then_their_vectors_are_near() -> None:
    vectors = StaticWords().encode(
        ["how warm is it outside", "temperature and weather forecast", "currency exchange rates"]
    )
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > far + 0.2


def test_text_when_encoded_with_many_others_then_same_vector() -> None:
    words = StaticWords()
    texts = [f"weather of town {number}" for number in range(3000)]
    together = words.encode(texts)
    assert np.allclose(together[2999], words.encode(texts[2999:])[0], atol=1e-6)


@pytest.mark.parametrize("content", [None, b"other weights"])
def test_files_when_missing_or_other_ones_then_refused_and_lsa_is_the_default(
    content: bytes | None, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "weights" / "l2_supercat_256.safetensors"
    weights.parent.mkdir()
    if content is not None:
        weights.write_bytes(content)
    spec = ModuleSpec("wordllama", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(EmbedderUnavailable, match="not the known ones"):
        find_files()
    assert default_embedder(workspace) == "lsa"


def test_files_when_the_package_is_not_installed_then_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbedderUnavailable, match="not installed"):
        find_files()
