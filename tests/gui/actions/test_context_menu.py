"""The context menu of a selection: short enough for a low screen, and about the selection."""

from toolplanner_gui.actions.action import Action, Submenu
from toolplanner_gui.actions.context_menu import entries_of
from toolplanner_gui.context import AppContext

_ROOM = 22
"""Rows of a menu on a screen of 720 pixels with a panel."""


def test_menu_of_a_selection_then_it_fits_a_low_screen_and_is_about_the_selection(
    opened: AppContext,
) -> None:
    opened.selection.select_toolkit(opened.catalogue.toolkits[0].id)
    entries = [e for e in entries_of(opened, "selection", None) if isinstance(e, Action | Submenu)]
    assert len(entries) <= _ROOM
    below = [e for menu in entries if isinstance(menu, Submenu) for e in menu.entries(opened)]
    ids = {e.id for e in (*entries, *below) if isinstance(e, Action)}
    assert not ids & {"curate.protocols", "curate.changes"}
    assert {"curate.together", "select.grow", "select.copy_ids", "curate.merge"} <= ids
