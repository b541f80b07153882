"""`Shell`: what the main window does for menu entries and panels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QMenu, QWidget

from toolplanner_core.domain.ids import NodePath, RunId


class Shell(Protocol):
    """What the main window does for menu entries and panels."""

    @property
    def window_widget(self) -> QWidget:
        """The parent of dialogs."""
        ...

    def show_layout(self, layout: str) -> None:
        """Switch to a layout by id."""
        ...

    def current_layout(self) -> str:
        """The id of the layout that is shown."""
        ...

    def panels(self) -> Sequence[tuple[str, str, bool]]:
        """`(id, title, is shown)` of all panels of the layout."""
        ...

    def toggle_panel(self, panel: str) -> None:
        """Show or hide a panel."""
        ...

    def call_panel(self, panel: str, method: str) -> None:
        """Show a panel and do one of the things it can do, such as "find" or "fit"."""
        ...

    def reset_windows(self) -> None:
        """All layouts as delivered."""
        ...

    def show_import(self, paths: Sequence[Path] = ()) -> None:
        """Open the import dialog."""
        ...

    def show_prepare(self) -> None:
        """Open the prepare dialog."""
        ...

    def show_breakpoint(self, text: str = "") -> None:
        """Open the form of a breakpoint; "" = a new one."""
        ...

    def show_fault(self, text: str = "") -> None:
        """Open the form of a fault; "" = a new one."""
        ...

    def show_about(self) -> None:
        """Open the about box."""
        ...

    def show_shortcuts(self) -> None:
        """Open the list of shortcuts."""
        ...

    def show_fork(self, run: RunId, path: NodePath) -> None:
        """Open the dialog that forks a run at a node."""
        ...

    def show_replay(self, report: object) -> None:
        """Say what a replay showed; a `ReplayReport`."""
        ...

    def show_dialog(self, dialog: str) -> None:
        """Open a dialog of curation by its name; names: `windows/curation_dialogs`."""
        ...

    def fill_menu(self, menu: QMenu, kind: str, target: object) -> None:
        """Add what can be done with a thing to its context menu; kinds: `actions/context_menu`."""
        ...

    def start_run(self, *, is_stepping: bool = False) -> None:
        """Run what stands in the query bar; stepping holds it at its first stop point."""
        ...

    def run_example(self) -> None:
        """Run the first saved query of the workspace."""
        ...

    @property
    def has_examples(self) -> bool:
        """Whether the workspace has saved queries."""
        ...

    def focus_query(self) -> None:
        """Put the cursor into the query field."""
        ...

    def close_window(self) -> None:
        """End the program."""
        ...
