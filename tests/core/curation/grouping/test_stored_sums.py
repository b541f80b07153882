"""Sums of toolkits' vectors are stored with what they are of, and never outlive it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fixtures.catalogues import add_apis, add_vectors, made_up_apis, ready_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.grouping import toolkit_sums as module
from toolplanner_core.curation.grouping.toolkit_sums import ToolkitSums, toolkit_sums
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import CuratedToolkit, add_curated_toolkits

FIRST, SECOND, THIRD = ToolkitId(1), ToolkitId(2), ToolkitId(3)


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_STORING", 1)


@pytest.fixture
def curated(workspace: Workspace) -> Workspace:
    rowids = ready_workspace(workspace)
    toolkits = [
        CuratedToolkit(name=f"Toolkit {i}", description="", members=rowids[i : i + 4])
        for i in range(0, 12, 4)
    ]
    add_curated_toolkits(workspace, toolkits)
    return workspace


def stored(workspace: Workspace) -> set[int]:
    workspace.writer.run(lambda db: None)  # what was queued before is in now
    return {row[0] for row in workspace.reader().execute("SELECT toolkit_id FROM toolkit_sums")}


def read(workspace: Workspace) -> ToolkitSums:
    found = toolkit_sums(workspace)
    assert found is not None
    return found


def test_sums_when_read_again_then_no_vector_is_read(
    curated: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(curated)
    assert stored(curated) == {FIRST, SECOND, THIRD}
    monkeypatch.delattr(module, "load_vectors")
    again = read(curated)
    assert again.toolkits == first.toolkits
    np.testing.assert_array_equal(again.sums, first.sums)
    np.testing.assert_array_equal(again.counts, first.counts)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda w: history.do(w, Merge(toolkits=(SECOND,), into=FIRST)), {THIRD}),
        (lambda w: history.do(w, Move(rowids=(1,), to=THIRD)), {SECOND}),
        (lambda w: history.undo(w) if history.do(w, Move(rowids=(1,), to=THIRD)) else 0, {SECOND}),
        (lambda w: (add_apis(w, made_up_apis(7)), add_vectors(w)), set()),
    ],
    ids=["merge", "move", "undo", "new vectors"],
)
def test_sums_when_members_or_vectors_change_then_only_what_is_true_is_left(
    curated: Workspace, change: Callable[[Workspace], object], left: set[ToolkitId]
) -> None:
    read(curated)
    assert stored(curated)
    change(curated)
    assert stored(curated) == left
    renewed = read(curated)
    curated.writer.run(lambda db: db.execute("DELETE FROM toolkit_sums"))
    anew = read(curated)
    ours = dict(zip(renewed.toolkits, renewed.sums.tolist(), strict=True))
    for toolkit, total in zip(anew.toolkits, anew.sums.tolist(), strict=True):
        assert ours[toolkit] == pytest.approx(total, abs=1e-5)


def test_sums_when_workspace_is_opened_again_then_are_there(tmp_path: Path) -> None:
    path = tmp_path / "kept.toolplanner"
    with Workspace.create(path) as workspace:
        rowids = ready_workspace(workspace)
        add_curated_toolkits(
            workspace, [CuratedToolkit(name="All", description="", members=rowids)]
        )
        read(workspace)
    with Workspace.open(path) as workspace:
        assert len(stored(workspace)) == 1
