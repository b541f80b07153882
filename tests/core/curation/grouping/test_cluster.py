"""Clustering a workspace: what is stored, what stays the same, what a person decided."""

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.catalogues import (
    TOPICS,
    add_apis,
    add_vectors,
    hang,
    made_up_apis,
    ready_workspace,
)
from fixtures.languages import api_of

from toolplanner_core.clustering.clustering import ClusteringPlugin, clusterings
from toolplanner_core.clustering.dbscan import DbscanOptions
from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.embedding.embed import embed
from toolplanner_core.errors import BadInput, Cancelled, NotFound, WorkerDied
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits, member_rowids

FOUR = KMeansOptions(k=4)


def test_cluster_when_topics_lie_apart_then_one_toolkit_each_with_name_and_centrality(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    report = cluster(workspace, options=FOUR, progress=Progress())
    toolkits = list_toolkits(workspace)
    assert report.toolkits == len(toolkits) == len(TOPICS)
    assert (report.noise, report.mean_size, report.kept) == (0, 6.0, 0)
    assert report.silhouette is not None
    assert report.silhouette > 0.5
    names = [toolkit.name for toolkit in toolkits]
    assert names[0] == "Currency exchange rates"
    assert "eather forecast" in names[3]
    assert all(toolkit.name_author == Author.RULE for toolkit in toolkits)
    assert all("From several tools; APIs such as" in toolkit.description for toolkit in toolkits)
    assert not any(f"{toolkit.size} APIs" in toolkit.description for toolkit in toolkits)
    rows = workspace.reader().execute("SELECT centrality FROM toolkit_members").fetchall()
    assert all(0.8 < row[0] <= 1.0001 for row in rows)
    assert get_setting(workspace, "active_clustering") == report.clustering
    assert get_setting(workspace, "toolkits_version") == 1


def test_cluster_when_done_again_then_ids_and_names_stay(workspace: Workspace) -> None:
    ready_workspace(workspace)
    first = cluster(workspace, options=FOUR, progress=Progress())
    before = list_toolkits(workspace)
    again = cluster(workspace, options=FOUR, progress=Progress())
    assert again.clustering == first.clustering
    assert again.kept == 4
    assert list_toolkits(workspace) == before
    assert get_setting(workspace, "toolkits_version") == 2


def test_cluster_when_apis_were_added_then_toolkits_keep_their_ids_and_new_ones_get_others(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    cluster(workspace, options=FOUR, progress=Progress())
    old = {
        toolkit.id: set(member_rowids(workspace, toolkit.id))
        for toolkit in list_toolkits(workspace)
    }
    add_apis(workspace, made_up_apis(2, begin=6))
    add_vectors(workspace)
    report = cluster(workspace, options=FOUR, progress=Progress())
    assert report.kept == 4
    for toolkit in list_toolkits(workspace):
        assert old[toolkit.id] < set(member_rowids(workspace, toolkit.id))


def test_cluster_when_groups_change_then_old_toolkits_are_retired_and_ids_never_come_back(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    cluster(workspace, options=FOUR, progress=Progress())
    old = {toolkit.id for toolkit in list_toolkits(workspace)}
    cluster(workspace, options=KMeansOptions(k=1), progress=Progress())
    one = list_toolkits(workspace)
    assert len(one) == 1
    assert one[0].id not in old
    cluster(workspace, options=FOUR, progress=Progress())
    new = {toolkit.id for toolkit in list_toolkits(workspace)}
    assert not new & (old | {one[0].id})
    retired = workspace.reader().execute("SELECT count(*) FROM toolkits WHERE retired_us > 0")
    assert retired.fetchone()[0] == 5


def test_cluster_when_points_are_noise_then_they_have_no_toolkit(workspace: Workspace) -> None:
    rowids = ready_workspace(workspace)
    report = cluster(
        workspace,
        method="dbscan",
        options=DbscanOptions(eps=0.0001, min_points=3),
        progress=Progress(),
    )
    assert report.noise == len(rowids)
    assert report.toolkits == 0
    assert labels_by_rowid(workspace) == {}


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("kmeans", KMeansOptions(k=0)),
        ("dbscan", DbscanOptions(eps=1.5)),
        ("dbscan", DbscanOptions(min_points=0)),
    ],
)
def test_cluster_when_an_option_is_out_of_range_then_it_is_refused_before_anything_starts(
    workspace: Workspace, method: str, options: object
) -> None:
    with pytest.raises(BadInput, match=f"of clustering {method}. Choose a"):
        cluster(workspace, method=method, options=options, progress=Progress())


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE toolkits SET pinned = 1 WHERE id = 1",
        "UPDATE toolkits SET name_author = 'person' WHERE id = 1",
        "UPDATE toolkits SET description_author = 'person' WHERE id = 1",
        "UPDATE toolkit_members SET pinned = 1 WHERE toolkit_id = 1",
    ],
)
def test_cluster_when_a_person_decided_something_then_it_is_refused_and_nothing_changes(
    workspace: Workspace, edit: str
) -> None:
    ready_workspace(workspace)
    cluster(workspace, options=FOUR, progress=Progress())
    workspace.writer.run(lambda db: db.execute(edit))
    before = list_toolkits(workspace)
    with pytest.raises(BadInput, match="pinned or edited"):
        cluster(workspace, options=KMeansOptions(k=2), progress=Progress())
    assert list_toolkits(workspace) == before


def test_cluster_when_nothing_is_there_then_says_what_to_do(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="There are no APIs yet"):
        cluster(workspace, progress=Progress())
    add_apis(workspace, made_up_apis(1))
    with pytest.raises(NotFound, match="no vectors yet"):
        cluster(workspace, progress=Progress())
    with pytest.raises(NotFound, match=r"Choose one of: .*dbscan.*kmeans"):
        cluster(workspace, method="magic", progress=Progress())


def test_cluster_when_some_apis_have_no_vector_then_the_others_are_clustered(
    workspace: Workspace,
) -> None:
    ready_workspace(workspace)
    add_apis(workspace, made_up_apis(2, begin=6))
    report = cluster(workspace, options=FOUR, progress=Progress())
    assert report.mean_size == 6.0
    assert len(labels_by_rowid(workspace)) == 24


@pytest.fixture
def hanging_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes the worker hang in the quality figures' place; its process id lands in a file."""
    pid_file = tmp_path / "pid"
    monkeypatch.setenv("TOOLPLANNER_TEST_PID_FILE", str(pid_file))
    monkeypatch.setattr("toolplanner_core.curation.grouping.cluster.make_toolkits", hang)
    return pid_file


def test_cluster_when_its_worker_is_killed_then_says_so_and_nothing_changes(
    workspace: Workspace, hanging_worker: Path
) -> None:
    ready_workspace(workspace)
    before = dump(workspace)
    killed = threading.Event()

    def kill(report: object) -> None:
        if getattr(report, "stage", "") == "Hanging" and not killed.is_set():
            killed.set()
            os.kill(int(hanging_worker.read_text(encoding="utf-8")), signal.SIGKILL)

    with pytest.raises(WorkerDied, match="clustering worker was killed"):
        cluster(workspace, progress=Progress(kill))
    assert dump(workspace) == before


def test_cluster_when_cancelled_then_the_worker_is_gone_and_nothing_changes(
    workspace: Workspace, hanging_worker: Path
) -> None:
    ready_workspace(workspace)
    before = dump(workspace)
    progress = Progress(lambda report: progress.cancel() if report.stage == "Hanging" else None)
    with pytest.raises(Cancelled):
        cluster(workspace, progress=progress)
    with pytest.raises(ProcessLookupError):
        os.kill(int(hanging_worker.read_text(encoding="utf-8")), 0)
    assert dump(workspace) == before


def dump(workspace: Workspace) -> list[tuple[object, ...]]:
    """All that clustering could have changed."""
    db = workspace.reader()
    tables = ("toolkits", "toolkit_members", "clusterings", "layouts", "neighbours", "settings")
    return [row for table in tables for row in db.execute(f"SELECT * FROM {table}").fetchall()]


def test_registry_when_loaded_then_holds_plugins() -> None:
    assert all(isinstance(plugin, ClusteringPlugin) for plugin in clusterings)


@pytest.mark.parametrize(
    ("tool", "name"), [("Ping", "ping"), ("Service {}", "ping"), ("Ping", "ping_v{}")]
)
def test_cluster_when_apis_are_equal_but_for_numbers_then_they_are_one_toolkit(
    workspace: Workspace, tool: str, name: str
) -> None:
    said = "Check that the service answers."
    equal = [
        replace(api_of("x", f"ping-{i}", name.format(i), said), tool=tool.format(i))
        for i in range(300)
    ]
    add_apis(workspace, [*equal, *made_up_apis(9)])
    embed(workspace, "words", progress=Progress())
    cluster(workspace, progress=Progress())
    toolkit_of = labels_by_rowid(workspace)
    keys = dict(workspace.reader().execute("SELECT rowid, key FROM apis").fetchall())
    found = {toolkit_of[rowid] for rowid, key in keys.items() if key.startswith("ping")}
    assert len(found) == 1
    assert len(set(toolkit_of.values())) > 1
