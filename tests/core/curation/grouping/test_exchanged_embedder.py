"""Another embedder changes how things are found, and nothing of what people decided."""

from typing import NamedTuple

import numpy as np
import pytest
from fixtures.catalogues import add_apis, made_up_apis

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.move import Move
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits, member_rowids


class Seen(NamedTuple):
    """What a person would miss."""

    toolkits: list[Toolkit]
    members: dict[int, ToolkitId]
    places: dict[int, list[float]]


def seen(workspace: Workspace) -> Seen:
    catalogue = read_catalogue(workspace)
    assert catalogue.xy is not None
    places = zip(catalogue.rowids.tolist(), catalogue.xy.tolist(), strict=True)
    return Seen(list_toolkits(workspace), labels_by_rowid(workspace), dict(places))


@pytest.fixture
def curated(workspace: Workspace) -> Workspace:
    add_apis(workspace, made_up_apis(9))
    prepare(workspace, embedder="lsa", layout="pca", progress=Progress())
    toolkits = list_toolkits(workspace)
    history.do(workspace, Rename(toolkit=toolkits[0].id, name="Mine"))
    moved = member_rowids(workspace, toolkits[0].id)[0]
    history.do(workspace, Move(rowids=(moved,), to=toolkits[-1].id))
    return workspace


def test_embedder_when_exchanged_then_what_is_curated_stays(curated: Workspace) -> None:
    before = seen(curated)
    report = prepare(curated, embedder="words", progress=Progress())
    assert report.embed.embedder == "words"
    assert seen(curated) == before
    index = HybridIndex(curated)
    vectors = index.catalogue().vectors
    assert vectors is not None and vectors.shape[1] == 256
    assert index.search("how warm will it be", 3)


def test_apis_when_new_after_an_exchange_then_stand_beside_the_old_ones(curated: Workspace) -> None:
    before = seen(curated)
    prepare(curated, embedder="words", progress=Progress())
    add_apis(curated, made_up_apis(10))
    report = prepare(curated, progress=Progress())
    assert report.placed is not None and report.placed.placed == 4
    after = seen(curated)
    assert {rowid: after.places[rowid] for rowid in before.places} == before.places
    assert {rowid: after.members[rowid] for rowid in before.members} == before.members
    assert np.isfinite(list(after.places.values())).all()
