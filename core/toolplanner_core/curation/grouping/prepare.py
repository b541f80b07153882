"""From imported APIs to a map of toolkits: embed, cluster, lay out.

The one way to a map: for the command line, the window, and the demo workspace. Each stage that was
finished with the same inputs is skipped, so a cancelled or killed preparation goes on where it
ended. A map that is there already is kept: new APIs are placed beside the others (`placing.py`),
unless there are very many of them and nobody has curated the toolkits, or other toolkits are asked
for.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.neighbour_descent import compile_all as compile_neighbours
from toolplanner_core.clustering.neighbours import EXACT_UP_TO
from toolplanner_core.curation.grouping.cluster import ClusterReport, cluster
from toolplanner_core.curation.grouping.lay_out import (
    LayoutReport,
    is_unfinished,
    lay_out,
    show_first_places,
)
from toolplanner_core.curation.grouping.placing import (
    MOST_NEW,
    PlaceReport,
    Placing,
    count_new,
    find_placing,
    place_new_apis,
)
from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.curation.grouping.recluster import ProposalReport, regroup
from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.curation.grouping.what_is_new import WhatIsNew, what_is_new
from toolplanner_core.embedding.embed import EmbedReport, embed
from toolplanner_core.embedding.static_words import find_files
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.compiled_code import compiled_ahead
from toolplanner_core.jobs.isolation import PartFailure
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.layout.layout import layouts
from toolplanner_core.retrieval.vocabulary import share_of_known_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.point_sets import find_clustering, has_placements
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkit_replacement import is_curated
from toolplanner_core.workspace.vectors import texts_of_catalogue

_SEED = 0
_CLUSTERING = "kmeans"
_LAYOUT = "umap"
_SAMPLE = 500
_ENOUGH_KNOWN = 0.5
"""Of the words of a sample of the catalogue, the share that static word vectors have to know. Of
MetaTool, API-Bank, Seal-Tools and RestBench it is 0.83 to 0.96, of eight other languages 0."""


class UsualPreparation(NamedTuple):
    """What `prepare` takes where nothing else is wanted.

    Attributes:
        embedder_options: as JSON by name; those of the last time.
        is_curated: people have edited the toolkits, so that others are only proposed.
        new: APIs that are not on the map yet; None without a map.
    """

    embedder: str
    embedder_options: Mapping[str, Any]
    clustering: str
    layout: str
    is_curated: bool
    new: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReport:
    """What `prepare` did.

    Attributes:
        cluster: None if the toolkits were up to date already, or are kept.
        proposal: other toolkits than those that people curated; None if none were asked for.
        placed: what was put beside the old APIs; None if the map was made as a whole.
        new: what became of them one by one; None if nothing is new, or everything.
        failures: parts that no rule could make, such as names; all else is done.
    """

    embed: EmbedReport
    cluster: ClusterReport | None
    proposal: ProposalReport | None
    layout: LayoutReport
    placed: PlaceReport | None
    new: WhatIsNew | None
    seconds: float
    failures: tuple[PartFailure, ...] = ()


def prepare(
    workspace: Workspace,
    *,
    embedder: str | None = None,
    embedder_options: Any = None,
    clustering: str = _CLUSTERING,
    clustering_options: Any = None,
    layout: str = _LAYOUT,
    layout_options: Any = None,
    is_anew: bool = False,
    on_first_map: Callable[[], object] | None = None,
    progress: Progress,
) -> PrepareReport:
    """Embed, cluster and lay out; blocks for seconds to minutes.

    Args:
        embedder: as in `embed`; None takes the one in use, else `default_embedder`.
        embedder_options: an instance of its options class; None takes those of the last time.
        clustering: id of the method for toolkits that nobody has curated.
        clustering_options: an instance of its options class; None takes the defaults.
        layout: id of the method for a map that is made as a whole.
        layout_options: as `clustering_options`.
        is_anew: make other toolkits even if there are some; where people have curated them, propose
            other ones.
        on_first_map: called when first places can be looked at, where there was no map before.

    Raises:
        BadInput: there are no APIs, or an option does not fit.
        NotFound: there is no such embedder, clustering or layout.
        EmbedderUnavailable: weights or packages are missing.
        Cancelled, WorkerDied: finished stages are kept.
    """
    began_s = time.monotonic()
    with compiled_ahead(code_to_compile(workspace, layout)) as wait:
        chosen = _embedder(workspace, embedder)
        embedded = embed(workspace, chosen, options=embedder_options, progress=progress)
        placing = _placing(workspace) if not is_anew or is_curated(workspace) else None
        placed = new = None
        grouping: dict[str, Any] = {"method": clustering, "options": clustering_options}
        grouping["seed"] = _SEED
        grouped = regroup(workspace, **grouping, progress=progress) if is_anew else None
        if placing is not None:
            laid_out, placed, new = _place_beside(workspace, placing, progress)
            failures = keep_regions(workspace)
        else:
            if not is_anew and _needs_toolkits(workspace, clustering, clustering_options):
                grouped = cluster(workspace, **grouping, progress=progress)
            is_made = isinstance(grouped, ClusterReport)
            how = _MapMaking(layout, layout_options, is_made, on_first_map, wait)
            laid_out, failures = _make_map(workspace, how, progress=progress)
    return PrepareReport(
        embed=embedded,
        cluster=grouped if isinstance(grouped, ClusterReport) else None,
        proposal=grouped if isinstance(grouped, ProposalReport) else None,
        layout=laid_out,
        placed=placed,
        new=new,
        seconds=time.monotonic() - began_s,
        failures=(*(grouped.failures if grouped is not None else ()), *failures),
    )


def code_to_compile(workspace: Workspace, layout: str) -> list[Callable[..., None]]:
    """What compiles the code that a first map needs; nothing where there is a map."""
    if get_setting(workspace, "active_layout") is not None:
        return []
    of_layout = layouts.get(layout).compile_all
    of_neighbours = compile_neighbours if len(all_rowids(workspace)) > EXACT_UP_TO else None
    return [found for found in (of_neighbours, of_layout) if found is not None]


class _MapMaking(NamedTuple):
    """How a map is made as a whole.

    Attributes:
        options: of the layout, None = its defaults.
        wait_for_code: until what the layout runs is compiled.
    """

    layout: str
    options: Any
    has_new_toolkits: bool
    on_first_map: Callable[[], object] | None
    wait_for_code: Callable[[Progress], object]


def _make_map(
    workspace: Workspace, how: _MapMaking, *, progress: Progress
) -> tuple[LayoutReport, tuple[PartFailure, ...]]:
    """Lay all out and see to the regions, before it where the map stands on them, else after it."""
    plugin = layouts.get(how.layout)
    failures: tuple[PartFailure, ...] = ()
    by_regions = plugin.uses_regions(plugin.options() if how.options is None else how.options)
    given: dict[str, Any] = {"method": how.layout, "seed": _SEED, "progress": progress}
    if by_regions:
        failures = keep_regions(workspace, is_anew=how.has_new_toolkits, by_place=False)
        if how.on_first_map is not None and show_first_places(workspace, **given):
            how.on_first_map()
    how.wait_for_code(progress)
    laid_out = lay_out(workspace, options=how.options, **given)
    if not by_regions:
        failures = keep_regions(workspace, is_anew=how.has_new_toolkits)
    return laid_out, failures


def _place_beside(
    workspace: Workspace, placing: Placing, progress: Progress
) -> tuple[LayoutReport, PlaceReport, WhatIsNew | None]:
    laid_out, placed = place_new_apis(workspace, placing, progress=progress)
    rowids = placing.points.point_set.rowids[placing.new].tolist()
    return laid_out, placed, what_is_new(workspace, rowids) if placed.placed else None


def _embedder(workspace: Workspace, wanted: str | None) -> str:
    """What to embed with: for curated toolkits the very embedder that made the map, since a new
    fit would be another space and move every API."""
    active: str | None = get_setting(workspace, "active_embedder")
    spec = wanted or active or default_embedder(workspace)
    kind = spec.partition("@")[0]
    if active is not None and kind == active.partition("@")[0] and is_curated(workspace):
        return active
    return kind


def usual_preparation(workspace: Workspace) -> UsualPreparation:
    """What is chosen before a person chooses. Blocks."""
    embedder = _embedder(workspace, None).partition("@")[0]
    used: Mapping[str, Any] = get_setting(workspace, "embedder_options", {})
    return UsualPreparation(
        embedder=embedder,
        embedder_options=used.get(embedder.partition(":")[0], {}),
        clustering=_CLUSTERING,
        layout=_LAYOUT,
        is_curated=is_curated(workspace),
        new=count_new(workspace),
    )


def _placing(workspace: Workspace) -> Placing | None:
    """What is to be placed beside the old APIs; None if the map is to be made as a whole."""
    placing = find_placing(workspace)
    if placing is None or (is_unfinished(placing.layout) and not is_curated(workspace)):
        return None
    if is_curated(workspace) or (has_placements(workspace) and not len(placing.new)):
        return placing
    is_little = 0 < len(placing.new) <= MOST_NEW * len(placing.frozen)
    return placing if is_little else None


def default_embedder(workspace: Workspace) -> str:
    """What a workspace is embedded with when nobody says: "words", there from the first start; or
    "lsa" where its vectors are missing or damaged, or know few of the catalogue's words because it
    is in a language that they were not made for."""
    try:
        find_files()
    except EmbedderUnavailable:
        return "lsa"
    texts = [each.text for each in texts_of_catalogue(workspace)]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    return "words" if share_of_known_words(sample) >= _ENOUGH_KNOWN else "lsa"


def _needs_toolkits(workspace: Workspace, method: str, options: Any) -> bool:
    """Whether nobody has curated the toolkits, and they come from other APIs, or from another
    embedder, method or options."""
    if is_curated(workspace):
        return False
    active: int | None = get_setting(workspace, "active_clustering")
    if active is None:
        return True
    points = load_points(workspace)
    options = options or clusterings.get(method).options()
    stored = find_clustering(workspace, **points.made_of(method, options, _SEED))
    return stored is None or stored.id != active
