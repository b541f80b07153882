"""Where torch computes: chosen, refused where it is not there, and kept with the workspace."""

import importlib.util
from contextlib import closing

import numpy as np
import pytest

from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.embedding.minilm import weights_folder
from toolplanner_core.embedding.query_encoder import RemoteEmbedder
from toolplanner_core.embedding.torch_device import (
    Device,
    DeviceOptions,
    choose_device,
    devices_in_worker,
    usable_device,
)
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.option import describe_options
from toolplanner_core.training.job import TrainingOptions
from toolplanner_core.workspace import Workspace

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra sbert"
)


@pytest.mark.parametrize(
    ("asked", "here", "taken"),
    [
        ("auto", {"cpu"}, "cpu"),
        ("auto", {"cpu", "mps"}, "mps"),
        ("auto", {"cpu", "cuda"}, "cuda"),
        ("auto", {"cpu", "cuda", "mps"}, "cuda"),
        ("cpu", {"cpu", "cuda", "mps"}, "cpu"),
        ("mps", {"cpu", "mps"}, "mps"),
    ],
)
def test_device_when_it_is_here_then_is_taken(asked: Device, here: set[str], taken: str) -> None:
    assert choose_device(asked, frozenset(here)) == taken


@pytest.mark.parametrize(("asked", "here"), [("cuda", {"cpu", "mps"}), ("mps", {"cpu"})])
def test_device_when_it_is_not_here_then_is_refused_with_what_is(
    asked: Device, here: set[str]
) -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        choose_device(asked, frozenset(here))
    for words in (asked, " and ".join(sorted(here)), "Take auto or cpu"):
        assert words in str(caught.value)


def test_device_when_options_are_described_then_is_one_declaration_for_both() -> None:
    (of_embedder,) = describe_options(embedders.get("st").options)
    of_training = [each for each in describe_options(TrainingOptions) if each.name == "device"]
    assert of_training == [of_embedder]


@needs_torch
@pytest.mark.slow
def test_st_when_the_processor_is_asked_for_then_computes_there_and_keeps_it(
    workspace: Workspace,
) -> None:
    prepare, name = embedders.get("st").prepare, str(weights_folder())
    state = prepare(workspace, name, DeviceOptions(device="cpu"), Progress())
    assert state.state == b"cpu"
    with closing(RemoteEmbedder(state)) as opened:
        found = opened.encode(["The weather now", "Convert a currency"])
    assert found.shape == (2, state.dim)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


@needs_torch
@pytest.mark.slow
def test_st_when_a_device_is_not_on_this_machine_then_is_refused_before_it_loads(
    workspace: Workspace,
) -> None:
    taken, _ = run_in_worker(devices_in_worker, progress=Progress(), what="test")
    absent: list[Device] = [each for each in ("cuda", "mps") if each != taken]
    with pytest.raises(EmbedderUnavailable, match=f"torch cannot compute on {absent[-1]} here"):
        embedders.get("st").prepare(
            workspace, "no-model", DeviceOptions(device=absent[-1]), Progress()
        )


@needs_torch
@pytest.mark.slow
def test_device_when_a_workspace_keeps_none_that_is_here_then_auto_takes_one() -> None:
    best = usable_device("auto")
    assert best in {"cpu", "cuda", "mps"}
    assert usable_device("") == usable_device("tpu") == best
    assert usable_device("cpu") == "cpu"
