"""A clustering that does not fit into memory is refused before it starts, with what to do."""

from collections.abc import Callable

import pytest
from fixtures.catalogues import add_apis, add_vectors, made_up_apis

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.memory import check_memory
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.recluster import propose_clustering
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.free_memory import free_memory_bytes
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits

MEMORY = "toolplanner_core.clustering.memory"


def test_memory_when_it_is_too_little_then_says_what_where_why_and_what_to_do() -> None:
    with pytest.raises(BadInput) as refused:
        check_memory(clusterings.get("agglomerative"), 1_000_000, free_bytes=8_000_000_000)
    said = refused.value.sentence
    assert said.startswith("Clustering agglomerative: It would need about 12.0 GB")
    assert "8.0 GB are free" in said
    assert "kmeans" in said
    with pytest.raises(BadInput) as hopeless:
        check_memory(clusterings.get("kmeans"), 1_000_000, free_bytes=1_000_000_000)
    assert "or take" not in hopeless.value.sentence


@pytest.mark.parametrize(("n", "free_bytes"), [(1_000_000, 12_000_000_000), (19_999, 0)])
def test_memory_when_it_is_enough_or_the_catalogue_small_then_nothing_is_said(
    n: int, free_bytes: int
) -> None:
    check_memory(clusterings.get("agglomerative"), n, free_bytes=free_bytes)


def test_free_memory_when_asked_then_some_of_what_the_machine_has() -> None:
    free = free_memory_bytes()
    assert free is not None
    assert 10_000_000 < free < 10**14


@pytest.mark.parametrize("make", [cluster, propose_clustering])
def test_cluster_when_memory_is_too_little_then_refused_before_a_worker_starts(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, make: Callable[..., object]
) -> None:
    add_apis(workspace, made_up_apis(3))
    add_vectors(workspace)
    monkeypatch.setattr(f"{MEMORY}._AT_LEAST", 0)
    monkeypatch.setattr(f"{MEMORY}.free_memory_bytes", lambda: 1_000)
    with pytest.raises(BadInput, match="of memory for 12 APIs"):
        make(workspace, progress=Progress())
    assert not list_toolkits(workspace)
