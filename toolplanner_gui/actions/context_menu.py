"""What can be done with a thing, as entries of its context menu and of the Run menu.

Panels ask the window (`Shell.fill_menu`), so that they know no action: `kind` is "run" (its
number), "runs" (several numbers), "node" (a path in the run that is looked at), "selection" (the
shared selection of toolkits and APIs; no target) or "group" (what is offered first beside a list of
selected APIs). A new kind of thing, or more that can be done with one, is a row in `_ENTRIES`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from toolplanner_gui.actions.action import Entry
from toolplanner_gui.actions.debug_menu import node_debug_entries, selection_fault_entries
from toolplanner_gui.actions.review_menu import node_review_entries, selected_entries
from toolplanner_gui.actions.run_context_menu import node_entries, run_entries, runs_entries
from toolplanner_gui.actions.select_menu import seeing_entries, selecting_entries
from toolplanner_gui.actions.toolkit_actions import lassoed_api_entries, selection_entries
from toolplanner_gui.context import AppContext

_ENTRIES: dict[str, tuple[Callable[[AppContext, Any], Sequence[Entry]], ...]] = {
    "run": (run_entries,),
    "runs": (runs_entries,),
    "node": (node_debug_entries, node_entries, node_review_entries),
    "group": (lassoed_api_entries, seeing_entries),
    "selection": (
        selection_entries,
        selected_entries,
        selection_fault_entries,
        selecting_entries,
    ),
}


def entries_of(context: AppContext, kind: str, target: object) -> list[Entry]:
    """What can be done with a thing, in the order of the menu."""
    return [entry for make in _ENTRIES.get(kind, ()) for entry in make(context, target)]
