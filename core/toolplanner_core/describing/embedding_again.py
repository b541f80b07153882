"""Vectors for texts that were taken over: only what changed is encoded."""

from toolplanner_core.embedding.embed import EmbedReport, embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import count_without_vector


def embed_changed(workspace: Workspace, *, progress: Progress) -> EmbedReport | None:
    """Encode the texts that have no vector of the active embedder, as it was fitted; None where
    there is nothing to do. Other vectors stay as they are. Blocks.

    Raises:
        EmbedderUnavailable, Cancelled, WorkerDied: as `embed`.
    """
    embedder = get_setting(workspace, "active_embedder")
    if not embedder or not count_without_vector(workspace, embedder):
        return None
    return embed(workspace, embedder, progress=progress)
