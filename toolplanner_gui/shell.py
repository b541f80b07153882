"""`Shell`: what the main window does for menu entries and panels."""

from collections.abc import Sequence
from typing import Any, NamedTuple, ParamSpec, Protocol

from PySide6.QtWidgets import QMenu, QWidget

from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.panel_commands import PanelCommand

P = ParamSpec("P")


class ShownPanel(NamedTuple):
    """A panel of the layout."""

    id: str
    title: str
    icon: str
    is_shown: bool


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

    def panels(self) -> Sequence[ShownPanel]:
        """The panels of the layout that can be hidden."""
        ...

    def toggle_panel(self, panel: str) -> None:
        """Show or hide a panel."""
        ...

    def toggle_bottom_panels(self) -> None:
        """Fold the panels at the bottom, or open them."""
        ...

    @property
    def is_bottom_folded(self) -> bool | None:
        """Whether only their tabs are seen; None where the layout has none."""
        ...

    def call_panel(self, command: PanelCommand[Any]) -> None:
        """Show a panel, in another layout if this one has it not, and have it do something."""
        ...

    def reset_windows(self) -> None:
        """All layouts as delivered."""
        ...

    def open(self, dialog: DialogCommand[P], *args: P.args, **kwargs: P.kwargs) -> None:
        """Open a dialog; nothing happens where there is nothing to ask."""
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

    def go_to_pane(self, by: int) -> None:
        """Give the keyboard to the next pane that is seen, or to the previous one for -1."""
        ...

    def show_run_options(self) -> None:
        """Open the form of how a query is run."""
        ...

    def close_window(self) -> None:
        """End the program."""
        ...
