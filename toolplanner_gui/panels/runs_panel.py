"""The runs of the workspace, newest first."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QStackedWidget, QVBoxLayout

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.spec import RunSummary
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.viewmodels.states import RUN_LOOKS
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row, TableModel
from toolplanner_gui.viewmodels.texts import counted, duration, one_line, when
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.views import QuietTree

_WHEN_WIDTH = 76
_MOST_OFFERED = 20


class RunsPanel(Panel):
    """Follows the list of runs; the chosen one is shown in tree and inspector."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("")
        self.model = TableModel(Columns(titles=("Runs", "When"), numbers=frozenset({1})), self)
        self.view = QuietTree("Runs, newest first", is_flat=True)
        self.view.set_model(self.model, {1: _WHEN_WIDTH})
        # As wide as the longest of the times in view: the rest is for the query.
        self.view.header().setResizeContentsPrecision(0)
        self.view.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        # Two runs can be selected, to compare them; the one clicked last is looked at.
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self._compare = QAction("Compare the two selected runs", self)
        self._compare.setShortcut(QKeySequence("Ctrl+D"))
        self._compare.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._compare.triggered.connect(self._compare_selected)
        self.view.addAction(self._compare)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._empty)
        self.pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        context.run_view.runs_changed.connect(self._refresh)
        context.run_view.run_changed.connect(self._show_current)
        context.workspace_changed.connect(self._refresh)
        self.retheme()
        self._refresh()

    def retheme(self) -> None:
        self._empty.set_icon(self.icon("play-circle-outline"))
        self.view.viewport().update()

    def _refresh(self) -> None:
        shell = self.context.shell
        assert shell is not None
        view = self.context.run_view
        if shell.has_examples:
            self._empty.say("No runs yet.", button="Run an example", run=shell.run_example)
        else:
            self._empty.say("No runs yet.")
        self.model.update_rows([self._row(summary) for summary in view.summaries])
        self.pages.setCurrentWidget(self.view if view.summaries else self._empty)
        self._show_current()
        if view.run is None and view.summaries:
            view.show_run(view.summaries[0].run)

    def _row(self, summary: RunSummary) -> Row:
        look = RUN_LOOKS[summary.status]
        status = look.word if summary.status is not Status.SOLVED else ""
        words = " · ".join(part for part in (one_line(summary.query, 80), status) if part)
        began_s = summary.started_us / 1e6
        return Row(
            cells=(f"{summary.run}  {words}", when(began_s, is_short=True)),
            key=summary.run,
            icon=lambda: self.icon(look.icon, look.token),
            tooltip=describe_run(summary),
        )

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.context.run_view.show_run(current.data(KEY_ROLE))

    def selected(self) -> list[RunId]:
        """The runs that are selected."""
        return [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows()]

    def menu(self) -> QMenu:
        """The menu of the selected runs."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        runs = self.selected()
        if len(runs) == 1:
            below = menu.addMenu("Compare with")
            others = [s for s in self.context.run_view.summaries if s.run != runs[0]]
            below.setEnabled(bool(others))
            for other in others[:_MOST_OFFERED]:
                title = f"{other.run}  {one_line(other.query, 70)}".replace("&", "&&")
                below.addAction(title).triggered.connect(
                    lambda _=False, o=other.run: self.context.compare_runs(runs[0], o)
                )
        else:
            self._compare.setEnabled(len(runs) == 2)
            menu.addAction(self._compare)
        return menu

    def _show_menu(self, place: QPoint) -> None:
        if self.selected():
            self.menu().popup(self.view.viewport().mapToGlobal(place))

    def _compare_selected(self) -> None:
        runs = self.selected()
        if len(runs) == 2:
            self.context.compare_runs(runs[0], runs[1])
        else:
            self.context.tell("Select two runs to compare them")

    def _show_current(self) -> None:
        position = self.model.position_of(self.context.run_view.run)
        if position is None or self.context.run_view.run in self.selected():
            return
        chosen = self.view.selectionModel()
        chosen.blockSignals(True)
        try:
            flag = QItemSelectionModel.SelectionFlag
            chosen.setCurrentIndex(self.model.index(position, 0), flag.ClearAndSelect | flag.Rows)
        finally:
            chosen.blockSignals(False)
        self.view.viewport().update()


def describe_run(summary: RunSummary) -> str:
    """A run in a few lines, with who planned and who answered."""
    model = "offline planner" if summary.model == "offline" else summary.model
    word = RUN_LOOKS[summary.status].word
    return (
        f"Run {summary.run}: {summary.query}\n"
        f"{word} by {summary.strategy} with {model} on {summary.provider}\n"
        f"{counted(summary.api_calls, 'API call')}, {summary.failed_calls:,} failed · "
        f"{counted(summary.fallbacks, 'fallback')} · {counted(summary.replans, 'replan')} · "
        f"{duration(summary.seconds)}"
    )


PLUGIN = PanelPlugin(id="runs", title="Runs", icon="history", area="left", order=2, make=RunsPanel)
