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
    _workspace: Workspace, _name: str, _options: NoOptions, progress: Progress
) -> EmbedderState:
    ensure_files(progress)
    return EmbedderState(id="minilm", kind="minilm", dim=DIMENSIONS, state=None)


PLUGIN = EmbedderPlugin(
    id="minilm",
    title="MiniLM",
    description="all-MiniLM-L6-v2: finds better than words, for it understands paraphrases. 90 MB,"
    " minutes for a large catalogue.",
    finds="texts that say the same in other words are near.",
    prepare=_prepare,
    open=lambda _: MiniLmSession(*find_files()),
    texts_per_s=105,
)
