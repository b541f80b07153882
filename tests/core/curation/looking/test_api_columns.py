"""Columns of the table of APIs over the demo: those of the map, also for APIs without a point."""

from dataclasses import replace

import numpy as np
import pytest

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.looking.api_columns import (
    after_edit,
    ranks,
    read_api_table,
    read_columns,
    with_all_apis,
)
from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.curation.looking.map_columns import COLUMNS
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.demo.demo_workspace import make_examples
from toolplanner_core.runs.searching.usage import uses_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.curated_tables import all_memberships

ALL = [each.id for each in COLUMNS]


@pytest.fixture
def workspace(demo):
    with Workspace.open(demo) as opened:
        yield opened


def test_table_when_it_is_read_then_every_column_has_a_value_for_every_api(workspace):
    table = read_columns(read_api_table(workspace, read_catalogue(workspace)), ALL)
    assert len(table.rowids) == len(table.names) == 196
    for values in table.columns.values():
        found = values.codes if isinstance(values, Categories) else values.values
        assert len(found) == 196
        assert len(ranks(values)) == 196


def test_table_when_apis_have_no_point_then_it_knows_their_toolkits(workspace):
    whole = read_catalogue(workspace)
    kept = np.arange(196) % 3 > 0
    lost = set(whole.rowids[~kept].tolist())
    others = {r: m for r, m in all_memberships(workspace.reader()).items() if r in lost}
    assert whole.xy is not None
    fewer = replace(
        whole,
        rowids=whole.rowids[kept],
        labels=whole.labels[kept],
        xy=whole.xy[kept],
        others=others,
        **{name: getattr(whole, name)[kept] for name in ("pinned", "excluded", "waiting")},
    )
    rising = np.sort(whole.rowids)
    seen = with_all_apis(workspace, fewer, rising)
    assert seen.labels.tolist() == whole.labels[whole.places_of(rising)].tolist()


def test_table_when_a_toolkit_is_renamed_then_only_what_edits_change_is_read_again(
    workspace, monkeypatch
):
    catalogue = read_catalogue(workspace)
    table = read_columns(read_api_table(workspace, catalogue), ["toolkit", "category"])
    toolkit = catalogue.toolkits[0]
    do(workspace, Rename(toolkit=toolkit.id, name="Something else"), origin={})
    monkeypatch.setattr(
        "toolplanner_core.curation.looking.column_source.api_facts", lambda _: 1 / 0
    )
    after = after_edit(table, read_catalogue(workspace))
    names = after.columns["toolkit"]
    assert isinstance(names, Categories)
    assert "Something else" in names.names
    assert after.columns["category"] is table.columns["category"]


def test_table_when_a_toolkit_has_one_api_then_it_says_that_no_fallback_is_possible(workspace):
    catalogue = read_catalogue(workspace)
    table = read_columns(read_api_table(workspace, catalogue), ["alone", "called"])
    alone = table.columns["alone"]
    sizes = np.array([t.size for t in catalogue.toolkits])
    assert isinstance(alone, Categories)
    assert np.count_nonzero(alone.codes == 0) == np.count_nonzero(sizes == 1)


def test_calls_when_counted_then_are_those_that_the_details_list_examples_too(workspace):
    make_examples(workspace, progress=Progress())
    catalogue = read_catalogue(workspace)
    table = read_columns(read_api_table(workspace, catalogue), ["called", "calls"])
    called, calls = table.columns["called"], table.columns["calls"]
    assert isinstance(called, Categories) and isinstance(calls, Scale)
    ids = ids_by_rowid(workspace, table.rowids.tolist())
    listed = [
        sum(use.n_calls for use in uses_of(workspace, (ids[rowid],)))
        for rowid in table.rowids.tolist()
    ]
    assert max(listed) > 1, "the example runs of the demo call APIs"
    assert calls.values.tolist() == listed
    assert [called.names[code] == "Called" for code in called.codes] == [n > 0 for n in listed]
    assert [calls.with_unit(n) for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]
