"""How good the default map is: true to the vectors, toolkits together, a region a place.

On all 45,284 APIs: 0.63 of the ten toolkits nearest to each are of its region, 0.16 where the
regions play no part in the layout; neighbours kept are 1.01 of those (`layout/umap.py`).
"""

from pathlib import Path

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.layout.umap import UmapOptions
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow, pytest.mark.timeout(900)]

SIZE = 6_000


def test_layout_when_default_then_map_is_true_and_regions_are_places(
    workspace: Workspace, shared_data: Path
) -> None:
    plugin = sources.get("toolbench")
    location = shared_data / "toolbench" / "toolenv.zip"
    records = plugin.read(Location.of(location), plugin.options(), source="toolbench")
    some = [record for record, _ in zip(records, range(SIZE), strict=False)]
    import_apis(
        workspace, iter(some), source_name="toolbench", format_id="toolbench", location="some"
    )
    prepare(workspace, embedder="lsa", progress=Progress())
    loaded = read_catalogue(workspace)
    assert loaded.xy is not None
    vectors = load_points(workspace).vectors
    kept, same = neighbourhood(loaded, vectors)
    lay_out(workspace, options=UmapOptions(region_weight=0), progress=Progress())
    strewn = read_catalogue(workspace)
    kept_without, _ = neighbourhood(strewn, vectors)
    print(
        f"neighbours kept {kept:.3f}, {kept_without:.3f} without regions, same toolkit {same:.3f}"
    )
    regions, regions_without = region_share(loaded), region_share(strewn)
    print(
        f"toolkits nearby of the same region {regions:.3f}, {regions_without:.3f} without regions"
    )
    assert kept >= 0.48
    assert same >= 0.53
    assert kept >= 0.9 * kept_without
    assert regions >= 0.6
    assert regions >= 1.5 * regions_without


def region_share(loaded: CuratedCatalogue) -> float:
    """Of each toolkit's ten nearest toolkits on the map, the share that is of its region."""
    from scipy.spatial import cKDTree

    assert loaded.xy is not None
    known = loaded.labels >= 0
    counts = np.bincount(loaded.labels[known], minlength=len(loaded.toolkits))
    sums = [
        np.bincount(loaded.labels[known], loaded.xy[known, axis], minlength=len(counts))
        for axis in (0, 1)
    ]
    middles = (np.stack(sums, axis=1) / np.maximum(counts, 1)[:, None])[counts > 0]
    of = loaded.region_places()[counts > 0]
    near = cKDTree(middles).query(middles, 11)[1][:, 1:]
    return float((of[near] == of[:, None]).mean())


def occupancy(xy: np.ndarray) -> float:
    """Share of a 64 x 64 grid over the middle 98 % that holds a point; for fewer than 16,000 points
    the grid is coarser in proportion."""
    side = round(64 * min(1.0, len(xy) / 16_000) ** 0.5)
    low, high = np.quantile(xy, (0.01, 0.99), axis=0)
    inside = xy[((xy >= low) & (xy <= high)).all(axis=1)]
    cell = np.minimum(((inside - low) / (high - low) * side).astype(int), side - 1)
    return len(np.unique(cell[:, 0] * side + cell[:, 1])) / side**2


def neighbourhood(loaded: CuratedCatalogue, vectors: np.ndarray) -> tuple[float, float]:
    """Shares of each point's 15 nearest on the map that are among its 15 nearest in meaning, and
    that are of its toolkit."""
    from scipy.spatial import cKDTree

    near = cKDTree(loaded.xy).query(loaded.xy, 16)[1][:, 1:]
    meant = nearest_neighbours(vectors, 16, report=silent).indices[:, 1:]
    kept = sum(len(np.intersect1d(one, other)) for one, other in zip(near, meant, strict=True))
    same = (loaded.labels[near] == loaded.labels[:, None]).mean()
    return kept / near.size, float(same)
