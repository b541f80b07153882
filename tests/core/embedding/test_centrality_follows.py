"""How central an API is follows its vector, however that came or went."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fixtures.curated import curated_workspace

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids
from toolplanner_core.workspace.vectors import load_vectors


@pytest.fixture
def curated(tmp_path: Path) -> Iterator[Workspace]:
    with curated_workspace(tmp_path) as workspace:
        embed(workspace, "lsa", progress=Progress())
        yield workspace


def stored(workspace: Workspace) -> dict[int, float]:
    rows = workspace.reader().execute("SELECT api_rowid, centrality FROM toolkit_members")
    return dict(rows.fetchall())


def same(one: dict[int, float], other: dict[int, float]) -> bool:
    return one == pytest.approx(other, abs=1e-5)


def recomputed(workspace: Workspace) -> dict[int, float]:
    found: dict[int, float] = {}
    for toolkit in list_toolkits(workspace):
        rowids = member_rowids(workspace, toolkit.id)
        vectors = load_vectors(workspace, get_setting(workspace, "active_embedder"), rowids).vectors
        centroid = vectors.sum(axis=0)
        cosines = vectors @ (centroid / np.linalg.norm(centroid))
        found |= dict(zip(rowids, cosines.tolist(), strict=True))
    return found


def tell(workspace: Workspace, text_hash: str) -> None:
    """Give the first API another text, as an import does."""
    workspace.writer.run(
        lambda db: db.execute(
            "UPDATE apis SET functionality = 'Recipes with cheese', text_hash = ? WHERE rowid = 1",
            [text_hash],
        )
    )


def test_centrality_when_embedded_first_then_is_there(curated: Workspace) -> None:
    assert same(recomputed(curated), stored(curated))


def test_centrality_when_a_text_changes_and_changes_back_then_follows_each_time(
    curated: Workspace,
) -> None:
    before = recomputed(curated)
    old = curated.one_row("SELECT text_hash FROM apis WHERE rowid = 1")[0]
    tell(curated, "new")
    assert embed(curated, "lsa", progress=Progress()).encoded == 1
    changed = recomputed(curated)
    assert abs(changed[1] - before[1]) > 0.01
    assert same(changed, stored(curated))
    # Its vector is there already: nothing is encoded.
    tell(curated, old)
    assert embed(curated, "lsa", progress=Progress()).encoded == 0
    assert same(recomputed(curated), stored(curated))


def test_centrality_when_the_embedder_is_exchanged_then_is_of_the_new_one(
    curated: Workspace,
) -> None:
    before = recomputed(curated)
    embed(curated, "words", progress=Progress())
    assert same(recomputed(curated), stored(curated))
    assert not same(recomputed(curated), before)
