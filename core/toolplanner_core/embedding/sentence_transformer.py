"""Embedder `st:NAME`: any sentence-transformers model, by name on the hub or by folder.

Needs the extra `sbert`. Torch works in a worker process and never enters this one. For the paper's
embeddings: `st:princeton-nlp/sup-simcse-roberta-base`.

Source: Tool-Planner, arXiv 2406.03807, section 4.1 (SimCSE as embedder).
"""

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.embedding.torch_device import (
    Device,
    DeviceOptions,
    torch_device,
    usable_device,
)
from toolplanner_core.errors import BadInput, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.resources import install_hint
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

_KIND = "st"
_BATCH = 32


class SentenceTransformerEmbedder:
    """The opened model; in a worker process only."""

    def __init__(self, name: str, device: str) -> None:
        self.id = f"{_KIND}:{name}"
        self._model = _load(name, device)
        self.dim = int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`."""
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            out[batch] = self._model.encode(
                [tokenizable(texts[i]) for i in batch],
                batch_size=_BATCH,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            report("Embedding", begin + len(batch), len(order))
        return out


def _load(name: str, device: str) -> Any:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    try:
        return SentenceTransformer(name, device=device)
    except Exception as error:
        # The hub client, transformers and torch each have their own errors for "not there".
        raise EmbedderUnavailable(
            f"The model {name!r} cannot be loaded",
            why=f"{type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}",
            todo="Check the name, or connect to the internet once, or give a folder that holds it",
        ) from error


def dimensions_of(name: str, device: Device, *, report: Report) -> int:
    """Load a model and tell the length of its vectors. In the worker process."""
    report("Loading the model", 0, None, "models")
    return SentenceTransformerEmbedder(name, torch_device(device)).dim


def _prepare(
    _workspace: Workspace, name: str, options: DeviceOptions, progress: Progress
) -> EmbedderState:
    if not name:
        raise BadInput(
            "The embedder st needs the name of a model",
            todo="Write, for example, st:princeton-nlp/sup-simcse-roberta-base",
        )
    if importlib.util.find_spec("sentence_transformers") is None:
        raise EmbedderUnavailable(
            f"The model {name!r} needs sentence-transformers, which is not installed",
            todo=install_hint("sbert"),
        )
    dim = run_in_worker(dimensions_of, name, options.device, progress=progress, what="embedding")
    return EmbedderState(
        id=f"{_KIND}:{name}", kind=_KIND, dim=dim, state=options.device.encode("ascii")
    )


def _open(state: EmbedderState) -> SentenceTransformerEmbedder:
    device = usable_device((state.state or b"").decode("ascii"))
    return SentenceTransformerEmbedder(state.id.removeprefix(f"{_KIND}:"), device)


PLUGIN = EmbedderPlugin(
    id=_KIND,
    title="Sentence transformer",
    description="st:NAME takes any sentence-transformers model. Needs the extra sbert.",
    finds="near is what the chosen model takes for near.",
    prepare=_prepare,
    open=_open,
    options=DeviceOptions,
    named="Name of the model on the hub, or its folder",
    in_process=False,
    chunk=256,
)
