"""Dialogs of curation, and the palette, by the names that `Shell.show_dialog` takes."""

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QWidget

from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.compare_states_dialog import CompareStatesDialog
from toolplanner_gui.windows.exclude_dialog import ExcludeDialog
from toolplanner_gui.windows.move_dialog import MoveDialog
from toolplanner_gui.windows.new_toolkit_dialog import NewToolkitDialog
from toolplanner_gui.windows.palette import Palette
from toolplanner_gui.windows.proposals_dialog import ProposalsDialog
from toolplanner_gui.windows.save_selection_dialog import SaveSelectionDialog
from toolplanner_gui.windows.snapshot_dialog import SnapshotDialog
from toolplanner_gui.windows.split_dialog import SplitDialog


def _split(context: AppContext, parent: QWidget) -> QDialog | None:
    toolkit = context.chosen.one_toolkit
    return None if toolkit is None else SplitDialog(context, parent, toolkit)


_DIALOGS: dict[str, Callable[[AppContext, QWidget], QDialog | None]] = {
    "split": _split,
    "move": MoveDialog,
    "new_toolkit": NewToolkitDialog,
    "exclude": ExcludeDialog,
    "palette": Palette,
    "proposals": ProposalsDialog,
    "snapshot": SnapshotDialog,
    "save_selection": SaveSelectionDialog,
    "compare_states": CompareStatesDialog,
}

_BESIDE = frozenset({"compare_states", "proposals"})
"""Dialogs that are read beside the map and block nothing."""


def open_dialog(name: str, context: AppContext, parent: QWidget) -> None:
    """Open a dialog about the selection; nothing happens where there is nothing to ask."""
    dialog = _DIALOGS[name](context, parent)
    if dialog is None:
        return
    if name in _BESIDE:
        dialog.show()
    else:
        dialog.open()
