"""Which runs used a toolkit or an API: reads them for the details and lists them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QModelIndex, QObject, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.presentation.run_list import describe_run, run_look
from toolplanner_core.words.formatting import one_line, when
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.toolkits import member_rowids
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, pages_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

if TYPE_CHECKING:
    from toolplanner_core.runs.searching.usage import RunUse


class ShowsRunUses(Protocol):
    """A page with a list of runs."""

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """List runs that used what the page shows."""
        ...


class RunUseReader(QObject):
    """Fills the lists of runs of pages. GUI thread."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._newest = LatestRequest(context.tasks, self)

    @property
    def is_idle(self) -> bool:
        """Whether the page that is seen has its list."""
        return self._newest.is_idle

    def read(self, page: ShowsRunUses | None) -> None:
        """Read the list of the page that is seen; others have none."""
        self._newest.forget()
        workspace = self._context.workspace
        if workspace is None or page is None:
            return
        toolkit = self._context.selection.toolkit
        rowids = () if toolkit is not None else tuple(map(int, self._context.chosen.rowids))

        def read() -> "list[RunUse]":
            from toolplanner_core.runs.searching.usage import uses_of

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


_WHEN_WIDTH = 76
_MOST_LOW = 6


class RunUseList(QWidget):
    """A list; says so where there is none.

    Signals:
        run_wanted: a run was clicked, or Return pressed on it; its number, the node of the call.
    """

    run_wanted = Signal(object, object)

    def __init__(self, name: str, *, is_low: bool = False) -> None:
        super().__init__()
        self._is_low = is_low
        self.model = TableModel(("Run and its calls", "When"), self, numbers=(1,))
        self.view = QuietTree(name, is_flat=True)
        self.view.set_model(self.model, {1: _WHEN_WIDTH})
        self._none = text_label("No run has called it.", role="dim", is_wrapped=True)
        self._pages = pages_of(self._none, self.view)
        column_of(self._pages, of=self)
        self.view.activated.connect(self._on_chosen)
        self.view.clicked.connect(self._on_chosen)

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """Show these, the newest first."""
        self.model.update_rows([_row(use) for use in uses])
        self._pages.setCurrentWidget(self.view if uses else self._none)
        if self._is_low:
            self.setFixedHeight((min(len(uses), _MOST_LOW) + 1) * ROW_HEIGHT + 2 * SPACE)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.run_wanted.emit(*index.data(KEY_ROLE))


def _row(use: "RunUse") -> Row:
    look, summary = run_look(use.summary), use.summary
    return Row(
        cells=(
            f"{use.words} · {summary.run}  {one_line(summary.query, 80)}",
            when(summary.started_us / 1e6, is_short=True),
        ),
        key=(summary.run, use.path),
        icon=lambda: make_icon(look.icon, look.token),
        tooltip=f"{use.words}\n{describe_run(summary)}",
    )
