"""How good the default map is: filled, true to the vectors, toolkits together (design/map.md)."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow, pytest.mark.timeout(900)]

SIZE = 6_000


def test_layout_when_default_then_map_is_filled_and_true(
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
    occupied = occupancy(loaded.xy)
    kept, same = neighbourhood(loaded, vectors)
    print(f"occupied {occupied:.3f}, neighbours kept {kept:.3f}, same toolkit {same:.3f}")
    assert occupied >= 0.36
    assert kept >= 0.48
    assert same >= 0.53


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
