"""The fault plan of the workspace: read when it is opened, stored with every change.

A fault is known by its text. `DebugSession` owns the plan and passes it to new runs and to the one
that goes on; the faults panel and the menus of tree, map and lists change it.
"""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace


class SavedFaults(QObject):
    """Faults in the order in which they were added. GUI thread."""

    changed = Signal()

    def __init__(
        self, report: Callable[[BaseException], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._workspace: Workspace | None = None
        self._items: dict[str, bool] = {}

    @property
    def items(self) -> Mapping[str, bool]:
        """Texts of the faults, and whether each is switched on."""
        return self._items

    @property
    def active(self) -> tuple[str, ...]:
        """Texts of those that are switched on."""
        return tuple(text for text, is_on in self._items.items() if is_on)

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Read the plan of another workspace: one small row."""
        from toolplanner_core.runs.debugging.faults import parse_fault, saved_faults

        self._workspace = workspace
        self._items = {}
        if workspace is not None:
            for text, is_on in saved_faults(workspace).items():
                try:
                    parse_fault(text)
                except BadInput as error:  # of a newer program: no reason not to open it
                    self._report(error)
                else:
                    self._items[text] = is_on
        self.changed.emit()

    def put(self, text: str, *, instead_of: str | None = None) -> None:
        """Add a fault, or change one; it is switched on.

        Raises:
            BadInput: the text is no fault.
        """
        from toolplanner_core.runs.debugging.faults import parse_fault

        parse_fault(text)
        kept = {t: on for t, on in self._items.items() if t != text or t == instead_of}
        if instead_of in kept:
            kept = {text if t == instead_of else t: on for t, on in kept.items()}
        self._store({**kept, text: True})

    def remove(self, texts: Sequence[str]) -> None:
        """Take faults away."""
        self._store({text: on for text, on in self._items.items() if text not in texts})

    def switch(self, text: str, *, is_on: bool) -> None:
        """Switch one on or off."""
        self._store({t: is_on if t == text else on for t, on in self._items.items()})

    def switch_all(self, *, is_on: bool) -> None:
        """Switch all on or off."""
        self._store(dict.fromkeys(self._items, is_on))

    def _store(self, items: Mapping[str, bool]) -> None:
        from toolplanner_core.runs.debugging.faults import queue_faults

        self._items = dict(items)
        if self._workspace is not None:
            stored = queue_faults(self._workspace, self._items)
            stored.add_done_callback(lambda done: self._tell(done.exception()))
        self.changed.emit()

    def _tell(self, error: BaseException | None) -> None:
        if error is not None:
            self._report(error)
