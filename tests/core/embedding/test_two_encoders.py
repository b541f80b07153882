"""A trained model with an encoder of its own for queries: each side is used where it belongs."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.embedding.minilm import model_folder
from toolplanner_core.embedding.query_encoder import QueryEncoder, open_state
from toolplanner_core.embedding.trained import (
    DOCUMENT,
    QUERY,
    TOKENIZER_FILE,
    list_trained,
    trained_folder,
    write_record,
)
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents
from toolplanner_core.workspace.vectors import load_vectors

ASKED = "Will it rain in Oslo tomorrow?"
_MOVED = "model.embeddings.LayerNorm.bias"


@pytest.fixture
def two(minilm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """MiniLM for APIs, and a moved one for queries."""
    onnx: Any = pytest.importorskip("onnx")
    models = tmp_path / "models"
    shutil.copytree(minilm, models)
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(models))
    folder = trained_folder("two")
    folder.mkdir(parents=True)
    source = model_folder()
    shutil.copy(source / "model.onnx", folder / DOCUMENT)
    shutil.copy(source / "tokenizer.json", folder / TOKENIZER_FILE)
    model = onnx.load(source / "model.onnx")
    [moved] = [each for each in model.graph.initializer if each.name == _MOVED]
    values = onnx.numpy_helper.to_array(moved) + np.linspace(-1, 1, 384, dtype=np.float32)
    moved.CopyFrom(onnx.numpy_helper.from_array(values, _MOVED))
    onnx.save(model, folder / QUERY)
    write_record(folder, {})
    return "trained:two"


def test_vectors_when_a_model_has_two_encoders_then_apis_have_the_one_and_queries_the_other(
    workspace: Workspace, tmp_path: Path, two: str
) -> None:
    import_small_catalogue(workspace, tmp_path)
    embed(workspace, two, progress=Progress())
    assert [model.has_queries for model in list_trained()] == [True]
    stored = stored_documents(workspace)
    plain = open_state(embedders.get("minilm").prepare(workspace, "", NoOptions(), Progress()))
    kept = load_vectors(workspace, list_trained()[0].id, [each.rowid for each in stored]).vectors
    texts = [each.text for each in stored]
    assert np.allclose(kept, plain.encode(texts), atol=1e-5), "map and groups: the side of APIs"
    encoder = QueryEncoder(workspace)
    asked = encoder.encode([ASKED])
    assert not np.allclose(asked, plain.encode([ASKED]), atol=1e-2)
    assert np.allclose(encoder.encode_query(ASKED, [[ASKED]])[:1], asked, atol=1e-5)
    assert np.allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)
