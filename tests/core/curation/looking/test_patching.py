"""A patched catalogue equals one that is read anew, after any edit."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.curated import FOOD, MONEY, WEATHER, curated_workspace, edits, state_of
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.patching import patched, touched_toolkits
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import BadInput


def _plain(catalogue: CuratedCatalogue) -> dict[str, object]:
    """What a catalogue says, whatever the order of its toolkits."""
    owners = [catalogue.toolkit_of_point(p) for p in range(len(catalogue.rowids))]
    return {
        "toolkits": {t.id: t for t in catalogue.toolkits},
        "owners": [None if t is None else t.id for t in owners],
        "pinned": catalogue.pinned.tolist(),
        "excluded": catalogue.excluded.tolist(),
        "others": dict(catalogue.others),
    }


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_patched_after_random_edits_and_undo_equals_what_is_read(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, curated_workspace(Path(folder)) as workspace:
        shown = read_catalogue(workspace)
        memory = state_of(workspace)
        for _ in range(6):
            step = data.draw(st.sampled_from(["edit", "edit", "edit", "undo", "redo"]))
            try:
                if step == "edit":
                    done = history.do(workspace, data.draw(edits(memory)))
                else:
                    done = getattr(history, step)(workspace)
            except BadInput:
                continue
            memory.apply(done.changes)
            shown = patched(shown, done.changes)
        assert _plain(shown) == _plain(read_catalogue(workspace))


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_patched_with_apis_without_a_point_counts_them(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, curated_workspace(Path(folder)) as workspace:
        whole = read_catalogue(workspace)
        first = whole.rowids <= 6
        others = {
            int(rowid): membership
            for rowid, membership in state_of(workspace).toolkit_of.items()
            if rowid > 6
        }
        shown = CuratedCatalogue(
            n_apis=whole.n_apis,
            toolkits=whole.toolkits,
            rowids=whole.rowids[first],
            labels=whole.labels[first],
            others=others,
        )
        for _ in range(4):
            try:
                done = history.do(workspace, data.draw(edits(state_of(workspace))))
            except BadInput:
                continue
            shown = patched(shown, done.changes)
        read = read_catalogue(workspace)
        assert {t.id: t for t in shown.toolkits} == {t.id: t for t in read.toolkits}


def test_patched_by_a_merge_keeps_the_order_and_shares_the_places(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        before = read_catalogue(workspace)
        before = CuratedCatalogue(
            toolkits=before.toolkits,
            rowids=before.rowids,
            labels=before.labels,
            xy=np.zeros((len(before.rowids), 2), np.float32),
        )
        done = history.do(workspace, Merge(toolkits=(MONEY,), into=WEATHER))
    after = patched(before, done.changes)
    kept = [t.id for t in before.toolkits if t.id != MONEY]
    assert [t.id for t in after.toolkits] == kept
    assert after.xy is before.xy
    assert touched_toolkits(before, done.changes) == {MONEY, WEATHER}
    assert FOOD not in touched_toolkits(before, done.changes)


class Unwalked(tuple[Toolkit, ...]):
    """Toolkits that fail whoever goes through all of them."""

    def __iter__(self) -> Iterator[Toolkit]:
        raise AssertionError("all toolkits are looked at")


def test_unused_when_few_apis_are_excluded_then_their_toolkits_alone_are_looked_at() -> None:
    sizes = (1, 2, 3)
    catalogue = CuratedCatalogue(
        toolkits=Unwalked(
            Toolkit(id=ToolkitId(number), name="", description="", size=size)
            for number, size in enumerate(sizes, 1)
        ),
        rowids=np.arange(6),
        labels=np.repeat(np.arange(3), sizes).astype(np.int32),
        excluded=np.array([True, True, True, True, False, False]),
    )
    assert catalogue.unused_toolkits() == {1, 2}


@pytest.mark.parametrize("what", ["accepted", "excluded"])
def test_touched_when_a_member_is_drawn_otherwise_then_its_toolkit_is_touched(
    tmp_path: Path, what: str
) -> None:
    with curated_workspace(tmp_path) as workspace:
        before = read_catalogue(workspace)
    rowid = int(before.rowids[0])
    owner = before.toolkit_of_point(0)
    assert owner is not None
    for value in ("said", None):
        assert touched_toolkits(before, Changes(**{what: {rowid: value}})) == {owner.id}


def test_places_of_unsorted_points_finds_each_and_marks_unknown_ones() -> None:
    catalogue = CuratedCatalogue(rowids=np.array([7, 3, 9]), labels=np.zeros(3, np.int32))
    assert catalogue.places_of(np.array([9, 4, 7])).tolist() == [2, -1, 0]
    assert catalogue.points_of(np.array([9, 4, 7])).tolist() == [2, 0]
