"""Laying out a workspace, and reading the map back."""

import numpy as np
import pytest
from fixtures.catalogues import add_apis, add_vectors, made_up_apis, ready_workspace

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.curation.grouping.points import ensure_neighbours, load_points
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.progress import Progress, silent
from toolplanner_core.layout.umap import UmapOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting

FOUR = KMeansOptions(k=4)


def test_map_when_nothing_is_laid_out_then_none(workspace: Workspace) -> None:
    assert read_catalogue(workspace).xy is None


@pytest.mark.parametrize("method", ["umap", "pca"])
def test_layout_when_made_then_the_map_holds_every_api_with_its_toolkit(
    workspace: Workspace, method: str
) -> None:
    rowids = ready_workspace(workspace)
    cluster(workspace, options=FOUR, progress=Progress())
    report = lay_out(workspace, method=method, progress=Progress())
    loaded = read_catalogue(workspace)
    assert loaded.xy is not None
    assert loaded.rowids.tolist() == rowids
    assert loaded.xy.shape == (len(rowids), 2)
    assert loaded.xy.dtype == np.float32
    assert loaded.labels.dtype == np.int32
    sizes = np.bincount(loaded.labels)
    assert sizes.tolist() == [toolkit.size for toolkit in loaded.toolkits]
    assert loaded.note == report.legend
    assert loaded.n_apis == report.points == len(rowids)


@pytest.mark.usefixtures("quick_umap")
def test_layout_when_inputs_are_the_same_then_it_is_not_computed_again(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    first = lay_out(workspace, method="pca", progress=Progress())
    cluster(workspace, options=FOUR, progress=Progress())
    other = lay_out(workspace, options=UmapOptions(toolkit_weight=0), progress=Progress())
    assert (first.reused, other.reused) == (False, False)
    assert other.legend == "Placed by meaning alone"
    assert get_setting(workspace, "active_layout") == other.layout
    again = lay_out(workspace, method="pca", progress=Progress())
    assert again.reused
    assert get_setting(workspace, "active_layout") == again.layout == first.layout


@pytest.mark.usefixtures("quick_umap")
def test_layout_when_toolkits_have_changed_then_only_a_map_that_used_them_is_computed_again(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    cluster(workspace, options=FOUR, progress=Progress())
    alone = UmapOptions(toolkit_weight=0)
    first = lay_out(workspace, progress=Progress())
    assert first.legend == "Placed with its toolkit"
    lay_out(workspace, options=alone, progress=Progress())
    assert lay_out(workspace, progress=Progress()).reused
    cluster(workspace, options=KMeansOptions(k=2), progress=Progress())
    assert not lay_out(workspace, progress=Progress()).reused
    assert lay_out(workspace, options=alone, progress=Progress()).reused


def test_layout_when_apis_come_later_then_they_have_no_place_yet(workspace: Workspace) -> None:
    ready_workspace(workspace)
    lay_out(workspace, method="pca", progress=Progress())
    add_apis(workspace, made_up_apis(2, begin=6))
    loaded = read_catalogue(workspace)
    assert loaded.xy is not None
    assert (len(loaded.rowids), loaded.n_apis) == (24, 32)
    assert set(loaded.labels.tolist()) == {-1}


def test_neighbours_when_stored_then_read_back_and_not_computed_again(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    points = load_points(workspace)
    first = ensure_neighbours(workspace, points, progress=Progress())
    stages: list[str] = []
    again = ensure_neighbours(
        workspace, points, progress=Progress(lambda report: stages.append(report.stage))
    )
    assert stages == []
    assert np.array_equal(first.indices, again.indices)
    assert np.array_equal(first.distances, again.distances)
    assert first.indices.shape == (24, 16)


def test_neighbours_when_one_text_changes_then_only_what_it_touches_is_computed_anew(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    ensure_neighbours(workspace, load_points(workspace), progress=Progress())
    changed = "UPDATE apis SET functionality = 'Weather forecast, now by hour',"
    workspace.writer.run(
        lambda db: db.execute(f"{changed} text_hash = 'abcdef0123' WHERE rowid = 1")
    )
    add_vectors(workspace)
    points, stages = load_points(workspace), list[str]()
    found = ensure_neighbours(
        workspace, points, progress=Progress(lambda report: stages.append(report.stage))
    )
    anew = nearest_neighbours(points.vectors, 16, report=silent)
    assert "Looking for changed texts" in stages
    assert np.allclose(found.distances, anew.distances, atol=1e-5)
    # Each accepted description makes such a set; those before it are of no use.
    assert workspace.one_row("SELECT count(*) FROM neighbours")[0] == 1


def test_points_when_a_text_changes_then_it_is_another_point_set(workspace: Workspace) -> None:
    ready_workspace(workspace)
    before = load_points(workspace).point_set
    assert load_points(workspace).point_set.id == before.id
    changed = "UPDATE apis SET functionality = 'Weather forecast, now by hour',"
    workspace.writer.run(
        lambda db: db.execute(f"{changed} text_hash = 'abcdef0123' WHERE rowid = 1")
    )
    add_vectors(workspace)
    after = load_points(workspace).point_set
    assert after.id != before.id
    assert np.array_equal(after.rowids, before.rowids)


def test_layout_when_method_is_unknown_then_lists_those_there_are(workspace: Workspace) -> None:
    with pytest.raises(NotFound, match="pca, umap"):
        lay_out(workspace, method="magic", progress=Progress())
