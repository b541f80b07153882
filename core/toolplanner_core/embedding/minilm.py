"""Embedder `minilm`: all-MiniLM-L6-v2 on onnxruntime.

Understands paraphrases ("how warm is it" and "weather") that word statistics miss. Where its files
come from is told in `minilm_getting.py`.
"""

from toolplanner_core.embedding.embedder import EmbedderPlugin
from toolplanner_core.embedding.minilm_files import find_files
from toolplanner_core.embedding.minilm_getting import ensure_files
from toolplanner_core.embedding.minilm_session import DIMENSIONS, MiniLmSession
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState


def _prepare(
    workspace: Workspace,  # noqa: ARG001 - the model is the same for every workspace
    name: str,  # noqa: ARG001
    options: NoOptions,  # noqa: ARG001 - nothing to choose
    progress: Progress,
) -> EmbedderState:
    ensure_files(progress)
    return EmbedderState(id="minilm", kind="minilm", dim=DIMENSIONS, state=None)


def _open(state: EmbedderState) -> MiniLmSession:  # noqa: ARG001 - as above
    return MiniLmSession(*find_files())


PLUGIN = EmbedderPlugin(
    id="minilm",
    title="MiniLM",
    description="all-MiniLM-L6-v2: understands paraphrases. 90 MB, minutes for a large catalogue.",
    prepare=_prepare,
    open=_open,
)
