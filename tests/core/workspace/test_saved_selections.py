"""Saved selections come back as they were saved."""

import numpy as np
import pytest

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.saved_selections import (
    remove_selection,
    save_selection,
    saved_selections,
)


def test_save_selection_when_saved_twice_then_the_newer_one_counts(workspace: Workspace) -> None:
    save_selection(workspace, "  zeta ", np.array([3, 1], np.int64), {"by": "lasso"})
    save_selection(workspace, "Alpha", np.array([7]), {"by": "search", "text": "x"})
    save_selection(workspace, "zeta", np.array([5, 6, 2**31 - 1]), {"by": "regex"})
    found = saved_selections(workspace)
    assert [one.name for one in found] == ["Alpha", "zeta"]
    assert found[1].rowids.tolist() == [5, 6, 2**31 - 1]
    assert found[1].origin == {"by": "regex"}
    assert found[0].made_us > 0


def test_save_selection_when_there_is_nothing_to_save_then_it_says_so(workspace: Workspace) -> None:
    with pytest.raises(BadInput):
        save_selection(workspace, " \n", np.array([1]), {})
    with pytest.raises(BadInput):
        save_selection(workspace, "name", np.zeros(0, np.int64), {})
    assert saved_selections(workspace) == []


def test_remove_selection_when_it_is_there_then_it_goes(workspace: Workspace) -> None:
    save_selection(workspace, "a", np.array([1]), {})
    remove_selection(workspace, "a")
    assert saved_selections(workspace) == []
    with pytest.raises(NotFound):
        remove_selection(workspace, "a")
