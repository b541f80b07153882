"""A merge of found APIs that would take far more than was selected says so first."""

from pathlib import Path

import numpy as np
import pytest

from toolplanner_gui.actions import toolkit_actions as curate
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.edit_dialogs import MergeScopeDialog, NewToolkitDialog
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def scattered(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """The window over the demo; one API each of the six largest toolkits is selected, two of the
    largest."""
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    catalogue = context.catalogue
    largest = sorted(catalogue.toolkits, key=lambda t: -t.size)[:6]
    members = [catalogue.rowids[catalogue.points_of_toolkit(t.id)] for t in largest]
    chosen = np.array([m[0] for m in members] + [members[0][1]])
    context.selection.select_apis(chosen, made={"by": "search", "text": "all sorts"})
    return window


def asked(window: MainWindow) -> MergeScopeDialog:
    curate.stage(window._context)
    (dialog,) = window.findChildren(MergeScopeDialog)
    return dialog


def test_merge_when_few_of_many_toolkits_are_selected_then_says_how_far_it_reaches(
    scattered: MainWindow,
) -> None:
    context = scattered._context
    reach = sum(t.size for t, _ in context.chosen.shares)
    dialog = asked(scattered)
    assert not context.staging.staged.toolkits
    assert dialog.stage_button.text() == f"Merge the 6 toolkits with all {reach} APIs …"
    dialog.stage_button.click()
    assert len(context.staging.staged.toolkits) == 6


def test_merge_when_the_selection_alone_is_meant_then_moves_it_to_what_holds_most(
    scattered: MainWindow, qtbot
) -> None:
    context = scattered._context
    most, chosen = context.chosen.shares[0][0], context.chosen.rowids
    assert context.chosen.shares[0][1] == 2
    dialog = asked(scattered)
    assert most.name in dialog.move_button.text()
    with qtbot.waitSignal(context.catalogue_edited):
        dialog.move_button.click()
    catalogue = context.catalogue
    assert {catalogue.toolkits[i].id for i in catalogue.labels[catalogue.points_of(chosen)]} == {
        most.id
    }


def test_merge_when_a_new_toolkit_is_meant_then_one_of_the_selection_alone_is_offered(
    scattered: MainWindow, qtbot
) -> None:
    context = scattered._context
    chosen = context.chosen.rowids
    asked(scattered).new_button.click()
    (dialog,) = scattered.findChildren(NewToolkitDialog)
    qtbot.waitUntil(lambda: bool(dialog.name.text()))
    dialog.name.setText("All sorts")
    qtbot.waitUntil(dialog.confirm_button.isEnabled)
    with qtbot.waitSignal(context.catalogue_edited):
        dialog.confirm_button.click()
    catalogue = context.catalogue
    (made,) = [t for t in catalogue.toolkits if t.name == "All sorts"]
    members = catalogue.rowids[catalogue.points_of_toolkit(made.id)]
    assert sorted(members.tolist()) == sorted(chosen.tolist())


def test_merge_when_most_of_few_toolkits_is_selected_then_stages_at_once(
    scattered: MainWindow,
) -> None:
    context = scattered._context
    catalogue = context.catalogue
    two = [t.id for t in catalogue.toolkits[:2]]
    context.selection.select_apis(catalogue.rowids[catalogue.mask_of_toolkits(two)])
    curate.stage(context)
    assert set(context.staging.staged.toolkits) == set(two)
