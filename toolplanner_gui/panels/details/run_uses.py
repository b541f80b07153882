"""Reads for the details which runs called what is shown, and opens a run that is wanted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.toolkits import member_rowids
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.runs.uses import RunUse


class ListsUses(Protocol):
    """A page with a list of runs."""

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """List runs that used what the page shows."""
        ...


class RunUses(QObject):
    """Fills the lists of runs of pages. GUI thread."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._newest = Newest(context.tasks, self)

    @property
    def is_idle(self) -> bool:
        """Whether the page that is seen has its list."""
        return self._newest.is_idle

    def read(self, page: ListsUses | None) -> None:
        """Read the list of the page that is seen; others have none."""
        self._newest.forget()
        workspace = self._context.workspace
        if workspace is None or page is None:
            return
        toolkit = self._context.selection.toolkit
        rowids = () if toolkit is not None else tuple(map(int, self._context.chosen.rowids))

        def read() -> "list[RunUse]":
            from toolplanner_core.runs.uses import uses_of

            members = rowids if toolkit is None else member_rowids(workspace, toolkit)
            return uses_of(workspace, tuple(ids_by_rowid(workspace, members).values()))

        self._newest.ask(read, page.show_uses)

    def open_run(self, run: RunId, path: NodePath) -> None:
        """Show a run, at a node of it."""

        async def flow() -> None:
            await self._context.run_view.shown(run)
            self._context.run_view.select_node(path)

        self._context.shell.show_layout("debug")
        self._context.tasks.spawn(flow(), owner=self)
