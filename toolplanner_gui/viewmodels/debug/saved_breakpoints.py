"""The breakpoints of the workspace: read when it is opened, stored with every change.

A breakpoint is known by its text. `DebugSession` owns the list and passes it to the run that goes
on; the breakpoints panel and the tree's menu change it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from toolplanner_core.runs.debugging.breakpoints import Breakpoint

EXHAUSTED = "failure=exhausted"
"""Stops when no API of a toolkit is left to fall back to."""


class SavedBreakpoints(QObject):
    """Breakpoints in the order in which they were added. GUI thread."""

    changed = Signal()

    def __init__(
        self, report: Callable[[BaseException], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._workspace: Workspace | None = None
        self._items: tuple[Breakpoint, ...] = ()

    @property
    def items(self) -> "Sequence[Breakpoint]":
        """All breakpoints; `hits` are those of runs that have ended."""
        return self._items

    def find(self, text: str) -> "Breakpoint | None":
        """The breakpoint of this text."""
        return next((item for item in self._items if item.text == text), None)

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Read the breakpoints of another workspace: one small row."""
        from toolplanner_core.runs.debugging.breakpoints import saved_breakpoints

        self._workspace = workspace
        self._items = ()
        if workspace is not None:
            try:
                self._items = tuple(saved_breakpoints(workspace))
            except BadInput as error:  # of a newer program: no reason not to open the workspace
                self._report(error)
        self.changed.emit()

    def put(self, text: str, *, instead_of: str | None = None) -> None:
        """Add a breakpoint, or change one; it is switched on.

        Raises:
            BadInput: the text is no breakpoint.
        """
        from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint

        made = parse_breakpoint(text)
        kept = [item for item in self._items if item.text != text or item.text == instead_of]
        places = [i for i, item in enumerate(kept) if item.text == instead_of]
        if places:
            kept[places[0]] = replace(made, hits=kept[places[0]].hits if text == instead_of else 0)
        else:
            kept.append(made)
        self._store(kept)

    def remove(self, texts: Sequence[str]) -> None:
        """Take breakpoints away."""
        self._store([item for item in self._items if item.text not in texts])

    def switch(self, text: str, *, is_on: bool) -> None:
        """Switch one on or off."""
        self._store([replace(b, is_on=is_on) if b.text == text else b for b in self._items])

    def switch_all(self, *, is_on: bool) -> None:
        """Switch all on or off."""
        self._store([replace(item, is_on=is_on) for item in self._items])

    def toggle(self, text: str) -> bool:
        """Add the breakpoint, or remove it if it is there. Returns whether it is there now."""
        if self.find(text) is not None:
            self.remove([text])
            return False
        self.put(text)
        return True

    def count(self, hits: Mapping[str, int]) -> None:
        """Add the hits of a run that has ended; the engine has stored them already."""
        self._items = tuple(replace(b, hits=b.hits + hits.get(b.text, 0)) for b in self._items)
        self.changed.emit()

    def _store(self, items: "Sequence[Breakpoint]") -> None:
        from toolplanner_core.runs.debugging.breakpoints import queue_breakpoints

        self._items = tuple(items)
        if self._workspace is not None:
            stored = queue_breakpoints(self._workspace, self._items)
            stored.add_done_callback(lambda done: self._tell(done.exception()))
        self.changed.emit()

    def _tell(self, error: BaseException | None) -> None:
        if error is not None:
            self._report(error)
