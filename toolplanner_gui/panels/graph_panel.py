"""The graph of tools around what is selected: what comes before and after it, with which weight,
which runs changed that; a person may set, cut or free an edge, and take that back.

Double-click or Return goes to the other end of an edge.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QSpinBox, QToolButton, QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.graph.graph_view import (
    EdgeRow,
    GraphView,
    ScorePoint,
    changes_in_words,
    chosen_formula,
    edge_in_words,
    look_at_graph,
    undo_decision,
)
from toolplanner_core.runs.graph.tool_graph import build_graph, decide_edge
from toolplanner_core.runs.graph.trajectories import answered_runs, idle_words
from toolplanner_core.strategies.techniques.tool_graph import Formula, ToolGraph
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.transitions import Arrow
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.bar_chart import BarChart, ChartBar
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.segmented_control import Segment, SegmentedControl
from toolplanner_gui.widgets.views import QuietTable, compact_spin_box, scrolled

_TITLES = ("API", "Weight", "Seen", "Score", "Decided")
_WIDTHS = {1: 62, 2: 50, 3: 54, 4: 66}
_SAID_BESIDE = (2, 3)
_ROOM_FOR_ALL = 640
_DECIDED = 4
_SIDE_WIDTH = 330
_FULL = 100
_WEIGHT_WIDTH = 70
_MOST_ARROWS = 12
_EDGE = Segment("Edge", "The edge", "How the weight of the chosen edge comes about")
_SCORES = Segment(
    "Scores", "Scores over runs", "What runs thought of this API, added up run by run"
)


class GraphPanel(Panel):
    """Edges at the left, the one that is looked at right of them."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._rows: list[EdgeRow] = []
        self._formula = Formula()
        self.model = TableModel(_TITLES, self, numbers=range(1, 4))
        self.view = QuietTable("Edges of the graph of tools")
        self.view.set_model(self.model, _WIDTHS, shares={})
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # "A → B": both say what it is
        self.heading = text_label(role="heading", is_wrapped=True)
        self.words = text_label(role="dim", is_wrapped=True)
        self.how = text_label(is_wrapped=True, name="How the weight comes about")
        self.changes = text_label(role="dim", is_wrapped=True, name="Which runs changed it")
        self.weight = named(QSpinBox(), "Weight of the edge")
        # More can be typed than fits, so that it is said and not cut in silence.
        self.weight.setRange(0, 999_999)
        self.weight.valueChanged.connect(lambda _value: self._check_weight())
        self.problem = text_label(role="problem", is_wrapped=True, name="What does not fit")
        self.problem.hide()
        self.chart = BarChart("Score over runs")
        self.switch = SegmentedControl()
        self.switch.set_words((_EDGE, _SCORES))
        self.switch.switched.connect(self._show_side)
        compact_spin_box(self.weight)
        self.weight.setFixedWidth(_WEIGHT_WIDTH)
        tip = "<p>Runs do not change a weight that a person set</p>"
        self.set_button = push_button("Set weight", self._set, tip=tip)
        tip = "<p>Never offer this API here</p>"
        self.cut_button = push_button("Cut", lambda: self._decide(None), tip=tip)
        tip = "<p>Let runs decide the weight again</p>"
        self.free_button = push_button("Free", lambda: self._decide("free"), tip=tip)
        undo_tip = "Take back what was set, cut or freed last"
        self.undo_button = icon_button("undo-variant", undo_tip, self._undo)
        build_tip = "Count in all runs that answered which API came after which"
        self.build_button = icon_button("counter", build_tip, self._build)
        self.empty = EmptyState("graph-outline")
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        self.view.activated.connect(self._on_activated)
        context.theme.dress(self, lambda: self.chart.set_tokens(context.theme.tokens))
        context.selection.changed.connect(self.mark_outdated)
        context.catalogue_changed.connect(self.mark_outdated)
        context.run_view.runs_changed.connect(self.mark_outdated)

    def _content(self) -> QWidget:
        page, right = QWidget(), QWidget()
        texts = page_of(self.words, self.how, self.changes, 1, gap=GAP, role="page")
        buttons = row_of(self.weight, self.set_button, self.cut_button, self.free_button, 1)
        edge = page_of((scrolled(texts), 1), self.problem, buttons, gap=GAP)
        self._side = pages_of(edge, self.chart)
        margins = (EDGE, 0, EDGE, GAP)
        column_of(self.heading, self.switch, (self._side, 1), of=right, margins=margins, gap=GAP)
        right.setMaximumWidth(_SIDE_WIDTH)
        row_of((self.view, 3), (right, 2), of=page, gap=0)
        return page

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column in _SAID_BESIDE:  # names first
            self.view.setColumnHidden(column, self.width() < _ROOM_FOR_ALL)

    def _show_side(self, position: int) -> None:
        self._side.setCurrentIndex(position)

    def buttons(self) -> Sequence[QToolButton]:
        return (self.undo_button, self.build_button)

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        rowids = [int(rowid) for rowid in self.context.selection.rowids()]
        self.newest.ask(
            lambda: look_at_graph(workspace, rowids, chosen_formula(workspace)), self._show
        )

    def _show(self, view: GraphView) -> None:
        self._formula = view.formula
        if view.is_empty or not view.heading:
            sentence = (
                "Which API comes after which: nothing is known yet. Solved runs tell."
                if view.is_empty
                else f"Select an API to see what comes before and after it. {view.words}."
            )
            self.empty.say(sentence, button="Build from runs", run=self._build)
            self.pages.setCurrentIndex(0)
            self.context.transitions.show((), "")
            return
        chosen = self.view.currentIndex().data(KEY_ROLE)
        self._rows = view.rows
        self.model.set_rows([_row(row) for row in view.rows])
        self.view.setColumnHidden(_DECIDED, not any(row.edge.is_decided for row in view.rows))
        self.heading.setText(view.heading)
        self.words.setText(view.words)
        self.undo_button.setEnabled(view.can_undo)
        self._show_scores(view.scores)
        self._show_on_map(view.heading)
        self.pages.setCurrentIndex(1)
        keys = [_key(row) for row in view.rows]
        place = keys.index(chosen) if chosen in keys else 0
        self.view.setCurrentIndex(self.model.index(place, 0))
        self._on_current()

    def _show_scores(self, scores: Sequence[ScorePoint]) -> None:
        bars = [
            ChartBar(
                label=str(number),
                height=point.total,
                is_marked=point.added < 0,
                tooltip=f"{_signed(point.added)}, together {_signed(point.total)}: {point.reason}",
            )
            for number, point in enumerate(scores, start=1)
        ]
        self.chart.show_bars(bars, x="", y="")
        self.switch.setVisible(bool(bars))
        if not bars and self.switch.chosen:
            self.switch.choose(0)

    def _show_on_map(self, heading: str) -> None:
        """Draw the transitions with the greatest weights as arrows on the map."""
        after = [row for row in self._rows if row.is_after and not row.is_cut and row.goes_to]
        arrows = [
            Arrow(row.before, row.after, row.title, round(100 * row.edge.weight))
            for row in after[:_MOST_ARROWS]
        ]
        words = f"What comes after {one_line(heading, 40)}, with weights"
        self.context.transitions.show(arrows, words)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_outdated = True  # who sees it again sees its arrows again
        if self.context.opened is not None:
            self.context.transitions.show((), "")

    def _check_weight(self) -> None:
        """Say in place that a number is no weight."""
        is_wrong = self.weight.value() > _FULL
        self.problem.setText("A weight is a number from 0 to 100" if is_wrong else "")
        self.problem.setVisible(is_wrong)
        self.set_button.setEnabled(not is_wrong and self._current() is not None)

    def _current(self) -> EdgeRow | None:
        place = self.view.currentIndex().row()
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def _on_current(self) -> None:
        row, workspace = self._current(), self.context.workspace
        for button in (self.set_button, self.cut_button, self.free_button, self.weight):
            button.setEnabled(row is not None)
        self.changes.clear()
        if row is None or workspace is None:
            self.how.clear()
            return
        self.cut_button.setEnabled(not row.is_cut)
        self.free_button.setEnabled(row.edge.is_decided)
        self.weight.setValue(round(100 * row.edge.weight))
        where = "After" if row.is_after else "Before"
        self.how.setText(f"{where}: {row.title}\n{edge_in_words(row, self._formula)}")
        self.context.tasks.spawn(self._read_changes(workspace, row), owner=self)

    async def _read_changes(self, workspace: Workspace, row: EdgeRow) -> None:
        formula = self._formula
        lines = await self.context.tasks.in_thread(
            lambda: changes_in_words(workspace, row, formula)
        )
        if self._current() == row:
            self.changes.setText("\n".join(lines))

    def _on_activated(self, index: QModelIndex) -> None:
        row = self._rows[index.row()]
        if row.goes_to is not None:
            rowids = np.array([row.goes_to], np.int64)
            self.context.selection.select_apis(rowids, self, made={"by": "graph"})
            self.mark_outdated()

    def _set(self) -> None:
        self._decide(self.weight.value() / 100)

    def _decide(self, weight: float | Literal["free"] | None) -> None:
        row = self._current()
        if row is not None:
            self.write(lambda file: decide_edge(file, row.before, row.after, weight))

    def _undo(self) -> None:
        self.write(undo_decision)

    def _build(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return

        def work(_progress: Progress) -> tuple[ToolGraph, str]:
            found = list(answered_runs(workspace))
            built = build_graph(workspace, [way for _, way in found if way])
            return built, idle_words([run for run, way in found if not way])

        def then(done: tuple[ToolGraph, str]) -> None:
            built, idle = done
            ways = counted(built.trajectories, "trajectory", "trajectories")
            said = f"The graph was built from {ways} of runs that answered"
            self.context.show_message(f"{said}. {idle}" if idle else said)
            self.mark_outdated()

        self.context.start_job("Building the graph of tools", work, then)


def _signed(score: int) -> str:
    return f"{score:+d}" if score else "0"


def _key(row: EdgeRow) -> str:
    return f"{row.before} {row.after}"


def _row(row: EdgeRow) -> Row:
    icon = "arrow-right" if row.is_after else "arrow-left"
    token = "waiting" if row.is_cut else "dim"
    weight = f"{100 * row.edge.weight:.0f}"
    decided = "cut" if row.is_cut else "set" if row.edge.is_decided else ""
    return Row(
        cells=(row.title, weight, f"{row.edge.times:,}", _signed(row.score), decided),
        key=_key(row),
        icon=lambda: make_icon(icon, token),
        tooltip=f"{'comes after' if row.is_after else 'comes before'}: {row.title}",
    )
