"""Embedder `minilm`: all-MiniLM-L6-v2 on onnxruntime.

Understands paraphrases ("how warm is it" and "weather") that word statistics miss. Where its files
come from is told in `minilm_getting.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent
from toolplanner_core.embedding.minilm_files import find_files
from toolplanner_core.embedding.minilm_getting import ensure_files
from toolplanner_core.embedding.minilm_session import DIMENSIONS, MiniLmSession
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState


class MiniLmEmbedder:
    """The opened model."""

    id = "minilm"
    dim = DIMENSIONS

    def __init__(self) -> None:
        self._session = MiniLmSession(*find_files())

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`."""
        return self._session.encode(texts, report=report)


def _prepare(
    workspace: Workspace,  # noqa: ARG001 - the model is the same for every workspace
    name: str,  # noqa: ARG001
    options: NoOptions,  # noqa: ARG001 - nothing to choose
    progress: Progress,
) -> EmbedderState:
    ensure_files(progress)
    return EmbedderState(id="minilm", kind="minilm", dim=DIMENSIONS, state=None)


def _open(state: EmbedderState) -> MiniLmEmbedder:  # noqa: ARG001 - as above
    return MiniLmEmbedder()


PLUGIN = EmbedderPlugin(
    id="minilm",
    title="MiniLM",
    description="all-MiniLM-L6-v2: understands paraphrases. 90 MB, minutes for a large catalogue.",
    prepare=_prepare,
    open=_open,
)
