"""Vectors for texts that were taken over: only what changed is encoded."""

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.embedding.embed import EmbedReport, embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.centrality import refresh_centrality
from toolplanner_core.workspace.rows import dump
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import count_without_vector, texts_without_vector


def embed_changed(workspace: Workspace, *, progress: Progress) -> EmbedReport | None:
    """Encode the texts that have no vector of the active embedder, as it was fitted; None where
    there is nothing to do. Other vectors stay as they are. Blocks.

    Raises:
        EmbedderUnavailable, Cancelled, WorkerDied: as `embed`.
    """
    embedder = get_setting(workspace, "active_embedder")
    if not embedder or not count_without_vector(workspace, embedder):
        return None
    hashes = [text.text_hash for text in texts_without_vector(workspace, embedder)]
    report = embed(workspace, embedder, progress=progress)
    rows = workspace.reader().execute(
        "SELECT DISTINCT m.toolkit_id FROM toolkit_members m JOIN apis a ON a.rowid = m.api_rowid"
        " WHERE a.text_hash IN (SELECT value FROM json_each(?))",
        [dump(hashes)],
    )
    touched = [ToolkitId(row[0]) for row in rows]
    workspace.writer.run(lambda db: refresh_centrality(db, touched))
    return report
