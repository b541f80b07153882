"""The shared selection: one mask, whatever is done to it, and how it was made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.curate.selection import Selection

ROWIDS = np.array([10, 12, 5, 40, 41, 42], np.int64)
LABELS = np.array([0, 0, 1, 1, 1, -1], np.int32)


def catalogue(rowids=ROWIDS, labels=LABELS):
    toolkits = tuple(Toolkit(id=ToolkitId(n), name=f"T{n}", description="", size=1) for n in (7, 9))
    return CuratedCatalogue(n_apis=8, toolkits=toolkits, rowids=rowids, labels=labels)


@pytest.fixture
def selection(qapp):
    made = Selection()
    made.set_catalogue(catalogue())
    return made


def mask(*points):
    found = np.zeros(len(ROWIDS), bool)
    found[list(points)] = True
    return found


def test_select_apis_when_some_have_no_point_then_they_are_kept_as_well(selection, qtbot):
    with qtbot.waitSignal(selection.changed):
        selection.select_apis([5, 99, 10])
    assert selection.points.tolist() == [0, 2]
    assert selection.rowids().tolist() == [10, 5, 99]
    assert selection.count == 3
    assert selection.made == {"by": "list"}
    selection.set_catalogue(catalogue(np.array([99, 10]), np.array([0, -1])))
    assert selection.points.tolist() == [0, 1]
    assert sorted(selection.rowids().tolist()) == [5, 10, 99]


def test_select_toolkit_when_selected_then_its_members_are_the_mask(selection):
    selection.select_toolkit(ToolkitId(9))
    assert selection.toolkit == 9
    assert selection.points.tolist() == [2, 3, 4]
    assert selection.apis.tolist() == []
    assert selection.rowids().tolist() == [5, 40, 41]
    selection.add(mask(0), {"by": "click"})
    assert selection.toolkit is None
    assert selection.count == 4
    assert selection.made["by"] == "steps"
    assert [step["by"] for step in selection.made["steps"]] == ["toolkit", "click"]


def test_select_rows_when_toolkits_and_apis_are_marked_then_both_are_selected(selection):
    selection.select_rows([ToolkitId(9)], [10])
    assert selection.toolkit is None
    assert sorted(selection.rowids().tolist()) == [5, 10, 40, 41]
    selection.select_rows([ToolkitId(9)], [])
    assert selection.toolkit == 9
    selection.select_rows([ToolkitId(7), ToolkitId(9)], [])
    assert selection.count == 5
    selection.select_rows([], [12])
    assert selection.rowids().tolist() == [12]
    selection.select_rows([], [])
    assert selection.rowids().tolist() == [12]


def test_set_catalogue_when_the_selected_toolkit_is_gone_then_nothing_is_selected(selection, qtbot):
    selection.select_toolkit(ToolkitId(9))
    with qtbot.waitSignal(selection.changed):
        selection.set_catalogue(CuratedCatalogue(rowids=ROWIDS, labels=LABELS))
    assert selection.is_empty
    assert selection.made == {}


@given(st.lists(st.tuples(st.sampled_from("satx"), st.sets(st.integers(0, 5))), max_size=12))
def test_mask_when_changed_in_any_order_then_it_is_what_sets_say(steps):
    selection = Selection()
    selection.set_catalogue(catalogue())
    want: set[int] = set()
    for kind, points in steps:
        given_mask = mask(*points)
        told = []
        selection.changed.connect(told.append)
        before = set(want)
        if kind == "s":
            want = set(points)
            selection.set_mask(given_mask, {"by": "lasso"})
        elif kind == "a":
            want |= points
            selection.add(given_mask, {"by": "click"})
        elif kind == "t":
            want ^= points
            selection.toggle(given_mask, {"by": "click"})
        else:
            want = set(range(6)) - want
            selection.invert()
        selection.changed.disconnect(told.append)
        assert bool(told) == (want != before)
        assert set(selection.points.tolist()) == want
        assert selection.count == len(want)
        assert selection.is_empty == (not want)
        assert bool(selection.made) == bool(want)


def test_invert_when_only_a_part_is_shown_then_only_that_is_taken(selection):
    selection.set_mask(mask(0, 1), {"by": "rectangle"})
    selection.invert(within=mask(1, 2))
    assert selection.points.tolist() == [2]


def test_set_mask_when_it_does_not_fit_then_it_says_so(selection):
    with pytest.raises(ValueError, match="6 points"):
        selection.set_mask(np.zeros(4, bool), {"by": "lasso"})
