"""Embedder `trained:NAME`: a retriever that was trained on this machine (`training/`).

Source: TPTU-v2, arXiv 2311.11315, section 2.2: one encoder for APIs, one for queries, or the same
for both. Search asks with the one of queries; map and clustering use the side of the APIs.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent
from toolplanner_core.embedding.minilm_session import DIMENSIONS, MiniLmSession
from toolplanner_core.embedding.trained_files import (
    DOCUMENT,
    KIND,
    QUERY,
    TOKENIZER_FILE,
    TrainedModel,
    checked_model,
    list_trained,
    trained_model,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import NoOptions
from toolplanner_core.words.places import TRAIN
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState


class TrainedEmbedder:
    """The opened model. Thread-safe."""

    dim = DIMENSIONS

    def __init__(self, model: TrainedModel) -> None:
        self.id = model.id
        tokenizer = model.folder / TOKENIZER_FILE
        self._documents = MiniLmSession(model.folder / DOCUMENT, tokenizer)
        self._queries = self._documents
        if model.has_queries:
            self._queries = MiniLmSession(model.folder / QUERY, tokenizer)

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`, of what describes APIs."""
        return self._documents.encode(texts, report=report)

    def encode_queries(
        self, texts: Sequence[str], *, report: Report = silent
    ) -> NDArray[np.float32]:
        """As `Embedder.encode`, of what asks for APIs."""
        return self._queries.encode(texts, report=report)

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """As `HasParts.encode_parts`."""
        return self._queries.encode_parts(sentences)


def _prepare(
    _workspace: Workspace, name: str, _options: NoOptions, _progress: Progress
) -> EmbedderState:
    if not name:
        there = ", ".join(f"{KIND}:{model.name}" for model in list_trained())
        raise BadInput(
            "The embedder trained needs the name of a model",
            todo=f"Choose from: {there}" if there else TRAIN,
        )
    return EmbedderState(id=checked_model(name).id, kind=KIND, dim=DIMENSIONS, state=None)


def _open(state: EmbedderState) -> TrainedEmbedder:
    return TrainedEmbedder(trained_model(state.id.partition(":")[2]))


PLUGIN = EmbedderPlugin(
    id=KIND,
    title="Trained here",
    description="trained:NAME is a retriever that was trained on labelled queries of your own. It"
    " finds what was asked for in the words of your people; as quick as MiniLM.",
    finds="queries are near to what answered those like them in your labelled queries.",
    prepare=_prepare,
    open=_open,
    named="Name that was given at its training",
    texts_per_s=105,
)
