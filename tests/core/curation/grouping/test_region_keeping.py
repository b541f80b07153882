"""Regions are part of the curated state: they outlive edits, a reopening and a new clustering."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from fixtures.catalogues import TOPICS, add_apis, made_up_apis
from fixtures.curated import state_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.region import (
    MergeRegions,
    MoveToRegion,
    PinRegions,
    RenameRegion,
)
from toolplanner_core.curation.grouping import regions
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.grouping.region_colours import HUES, choose_colours
from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.patching import patched
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace

_TOOLKITS = len(TOPICS) * 4


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Made-up APIs in many small toolkits, which get four regions."""
    monkeypatch.setattr(regions, "FEWEST_TOOLKITS", 4)
    monkeypatch.setattr(regions, "_FEWEST", len(TOPICS))
    path = tmp_path / "regions.toolplanner"
    path.write_bytes(_template())
    with Workspace.open(path) as opened:
        yield opened


@cache
def _template() -> bytes:
    """The file, made once."""
    with TemporaryDirectory() as folder:
        with Workspace.create(Path(folder) / "regions.toolplanner") as made:
            add_apis(made, made_up_apis(12))
            _prepare(made)
        return made.path.read_bytes()


def _prepare(workspace: Workspace, k: int = _TOOLKITS, *, is_anew: bool = False) -> None:
    prepare(
        workspace,
        clustering_options=KMeansOptions(k=k, is_plain=True),  # toolkits of even sizes
        layout="pca",
        is_anew=is_anew,
        progress=Progress(),
    )


def _look(catalogue: CuratedCatalogue) -> tuple[object, object]:
    living = {toolkit.id for toolkit in catalogue.toolkits}
    of = {t: r for t, r in catalogue.region_of.items() if t in living}
    return dict(catalogue.regions), of


def test_regions_when_one_api_is_moved_and_the_file_opened_again_then_they_are_the_same(
    workspace: Workspace,
) -> None:
    before = read_catalogue(workspace)
    assert len(before.regions) == len(TOPICS)
    assert len({region.colour for region in before.regions.values()}) == len(TOPICS)
    assert (before.region_places() >= 0).all()
    target = before.toolkits[0].id
    rowid = int(before.rowids[before.labels == 5][0])
    done = history.do(workspace, Move(rowids=(rowid,), to=target))
    assert _look(patched(before, done.changes)) == _look(before)
    workspace.close()
    with Workspace.open(workspace.path) as again:
        assert _look(read_catalogue(again)) == _look(before)


def test_regions_when_a_person_names_merges_and_pins_them_then_each_can_be_undone(
    workspace: Workspace,
) -> None:
    start = read_catalogue(workspace)
    one, two, three, *_ = start.regions
    moved = next(t.id for t in start.toolkits if start.region_of[t.id] != three)
    for edit in (
        RenameRegion(region=one, name="  All  the weather "),
        PinRegions(regions=(two,)),
        MergeRegions(regions=(one, two), into=two),
        MoveToRegion(toolkits=(moved,), region=three),
    ):
        catalogue = read_catalogue(workspace)
        done = history.do(workspace, edit)
        after = read_catalogue(workspace)
        assert _look(patched(catalogue, done.changes)) == _look(after)
        assert state_of(workspace).regions == after.regions
    assert one not in after.regions
    assert after.regions[two].is_pinned
    assert after.region_of[moved] == three
    undone = [history.undo(workspace) for _ in range(3)]
    assert read_catalogue(workspace).regions[one].name == "All the weather"
    assert one in undone[1].changes.regions
    history.undo(workspace)
    assert _look(read_catalogue(workspace)) == _look(start)


def test_merge_of_regions_when_toolkits_ended_before_then_only_the_living_are_counted(
    workspace: Workspace,
) -> None:
    def told(done: history.Done) -> list[str]:
        return consequences(done, name_of=str)

    catalogue = read_catalogue(workspace)
    one, two, *_ = catalogue.regions
    there = [t.id for t in catalogue.toolkits if catalogue.region_of[t.id] == one]
    assert len(there) > 2
    history.do(workspace, Merge(toolkits=tuple(there[:2]), into=there[0]))
    merge = MergeRegions(regions=(one,), into=two)
    n = len(there) - 1
    moved = f"{n} toolkits come to another region" if n > 1 else "1 toolkit comes to another region"
    assert told(history.preview(workspace, merge)) == [moved]
    done = history.do(workspace, merge)
    assert told(done) == [moved]
    # Also where the history tells it, after more of them have ended, or live again.
    history.do(workspace, Merge(toolkits=(there[0], there[2]), into=there[0]))
    assert told(history.read_done(workspace, done.head)) == [moved]
    history.jump(workspace, history.ROOT)
    assert told(history.read_done(workspace, done.head)) == [moved]


def test_region_edits_when_they_do_not_fit_then_they_say_so(workspace: Workspace) -> None:
    (one, *_) = read_catalogue(workspace).regions
    for edit in (
        RenameRegion(region=RegionId(99), name="x"),
        RenameRegion(region=one, name=" "),
        MergeRegions(regions=(one,), into=one),
        PinRegions(regions=()),
        MoveToRegion(toolkits=(), region=one),
    ):
        with pytest.raises(BadInput):
            history.do(workspace, edit)


def test_revert_when_its_region_was_merged_since_then_it_is_refused(workspace: Workspace) -> None:
    catalogue = read_catalogue(workspace)
    one, two, three, *_ = catalogue.regions
    toolkit = next(t for t, region in catalogue.region_of.items() if region == one)
    moved = history.do(workspace, MoveToRegion(toolkits=(toolkit,), region=three))
    history.do(workspace, MergeRegions(regions=(one,), into=two))
    with pytest.raises(BadInput, match="later edit builds on"):
        history.revert(workspace, moved.head)


def test_new_toolkit_when_made_of_members_then_it_is_in_the_region_of_most_of_them(
    workspace: Workspace,
) -> None:
    before = read_catalogue(workspace)
    rowids = tuple(before.rowids[before.labels == 3].tolist())
    done = history.do(workspace, NewToolkit(rowids=rowids, name="Mine"))
    (new,) = done.changes.begun
    region = before.region_of[before.toolkits[3].id]
    assert read_catalogue(workspace).region_of[new] == region
    assert patched(before, done.changes).region_of[new] == region


def test_regions_when_everything_is_clustered_again_then_they_keep_number_and_colour(
    workspace: Workspace,
) -> None:
    before = read_catalogue(workspace)
    of_api = dict(zip(before.rowids.tolist(), before.region_places()[before.labels], strict=True))
    _prepare(workspace, k=_TOOLKITS + 4, is_anew=True)
    after = read_catalogue(workspace)
    assert len(after.toolkits) == _TOOLKITS + 4
    places = after.region_places()
    assert (places >= 0).all()
    kept = before.regions.keys() & after.regions.keys()
    assert len(kept) >= len(TOPICS) - 1
    assert all(after.regions[region].colour == before.regions[region].colour for region in kept)
    old, new = list(before.regions), list(after.regions)
    now = dict(zip(after.rowids.tolist(), places[after.labels], strict=True))
    same = [old[of_api[rowid]] == new[now[rowid]] for rowid in of_api]
    assert np.mean(same) > 0.7


def test_cluster_when_it_replaces_toolkits_then_new_ones_inherit_their_regions(
    workspace: Workspace,
) -> None:
    before = read_catalogue(workspace)
    cluster(workspace, options=KMeansOptions(k=_TOOLKITS + 4), progress=Progress())
    after = read_catalogue(workspace)
    assert dict(after.regions) == dict(before.regions)
    assert (after.region_places() >= 0).all()


def test_toolkits_without_a_region_when_looked_at_then_join_the_nearest_that_is_not_pinned(
    workspace: Workspace,
) -> None:
    before = read_catalogue(workspace)
    toolkit = before.toolkits[0].id
    region = before.region_of[toolkit]
    forget = f"DELETE FROM region_toolkits WHERE toolkit_id = {toolkit}"
    workspace.writer.run(lambda db: db.execute(forget) and None)
    _look_again(workspace)
    assert read_catalogue(workspace).region_of[toolkit] == region
    history.do(workspace, PinRegions(regions=(region,)))
    workspace.writer.run(lambda db: db.execute(forget) and None)
    _look_again(workspace)
    assert read_catalogue(workspace).region_of[toolkit] != region


def _look_again(workspace: Workspace) -> None:
    workspace.writer.run(
        lambda db: db.execute("DELETE FROM settings WHERE key = 'regions_kept_at'") and None
    )
    keep_regions(workspace)


def test_workspace_of_before_when_opened_then_its_regions_are_found_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    found = _look(read_catalogue(workspace))
    workspace.close()
    copy = shutil.copy(workspace.path, tmp_path / "old.toolplanner")
    with Workspace.open(copy) as old:
        old.writer.run(_as_before_regions)
    with Workspace.open(copy) as opened:
        assert _look(read_catalogue(opened)) == found


def _as_before_regions(db: object) -> None:
    for statement in (
        "DROP TABLE region_toolkits",
        "DROP TABLE regions",
        "DELETE FROM settings WHERE key = 'regions_kept_at'",
        "DELETE FROM _sqlite_migrations WHERE name = 'm006_regions'",
    ):
        db.execute(statement)  # type: ignore[attr-defined]
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'regions'")  # type: ignore[attr-defined]
    db.conn.execute("PRAGMA user_version=5")  # type: ignore[attr-defined]


def test_colours_when_regions_are_new_then_all_differ_and_neighbours_look_different() -> None:
    rng = np.random.default_rng(4)
    colours = choose_colours([None] * 50, rng.normal(size=(50, 2)))
    assert len(set(colours)) == 50
    assert len({colour % HUES for colour in colours[:HUES]}) == HUES
    kept = choose_colours([7, None, 3], np.zeros((3, 2)))
    assert (kept[0], kept[2]) == (7, 3)
    assert kept[1] not in (7, 3)
    # Of a time with more regions, one has the colour of number 0: the new one gets another.
    assert choose_colours([HUES, None], np.zeros((2, 2)))[1] % HUES != 0
