"""From imported APIs to a map of toolkits: embed, cluster, lay out.

Called by the command line (`prepare`, `new --demo`) and the window after an import. Each stage that
was finished with the same inputs is skipped, so a cancelled or killed preparation goes on where it
ended.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.curation.cluster import ClusterReport, cluster, inputs_of
from toolplanner_core.curation.lay_out import LayoutReport, lay_out
from toolplanner_core.curation.points import load_points
from toolplanner_core.embedding.embed import EmbedReport, embed
from toolplanner_core.embedding.minilm_files import find_files
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.clusterings import find_clustering
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkit_writing import are_toolkits_protected

_METHOD, _LAYOUT, _SEED = "kmeans", "umap", 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReport:
    """What `prepare` did.

    Attributes:
        cluster: None if the toolkits were up to date already, or a person has curated them.
    """

    embed: EmbedReport
    cluster: ClusterReport | None
    layout: LayoutReport
    seconds: float


def prepare(
    workspace: Workspace,
    *,
    embedder: str | None = None,
    progress: Progress,
    clock: Callable[[], float] = time.monotonic,
) -> PrepareReport:
    """Embed, cluster and lay out with the defaults; blocks for seconds to minutes.

    Args:
        embedder: as in `embed`; None takes the one in use, else `default_embedder`.

    Raises:
        BadInput: there are no APIs.
        EmbedderUnavailable: weights or packages are missing.
        Cancelled, WorkerDied: finished stages are kept.
    """
    began_s = clock()
    spec = embedder or get_setting(workspace, "active_embedder") or default_embedder()
    embedded = embed(workspace, spec.partition("@")[0], progress=progress)
    clustered = None
    # What a person curated is kept; new APIs are placed on the map and have no toolkit yet.
    if not are_toolkits_protected(workspace) and not _is_clustered(workspace):
        clustered = cluster(workspace, method=_METHOD, seed=_SEED, progress=progress)
    laid_out = lay_out(workspace, method=_LAYOUT, seed=_SEED, progress=progress)
    return PrepareReport(
        embed=embedded, cluster=clustered, layout=laid_out, seconds=clock() - began_s
    )


def default_embedder() -> str:
    """ "minilm" if its model is on this machine, for it understands paraphrases; else "lsa", which
    needs nothing."""
    try:
        find_files()
    except EmbedderUnavailable:
        return "lsa"
    return "minilm"


def _is_clustered(workspace: Workspace) -> bool:
    """Whether the toolkits come from these APIs, this embedder and the default method."""
    active: int | None = get_setting(workspace, "active_clustering")
    if active is None:
        return False
    points = load_points(workspace)
    stored = find_clustering(
        workspace,
        point_set=points.point_set.id,
        embedder=points.embedder,
        method=_METHOD,
        options=inputs_of(clusterings.get(_METHOD).options(), _SEED),
    )
    return stored is not None and stored.id == active
