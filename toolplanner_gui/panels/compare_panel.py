"""Compare: two runs as one aligned tree, with their totals and the place where they parted."""

import asyncio
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QWidget,
)

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.compare.diff import RunDiff
from toolplanner_core.runs.compare.side_by_side import other_queries_words, way_words
from toolplanner_core.runs.presentation.run_list import examples_words
from toolplanner_core.workspace import Workspace
from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP, ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.debug.compare_model import (
    NUMBER_TOTALS,
    OPTIONAL_TOTALS,
    TOTAL_TITLES,
    CompareColumn,
    CompareModel,
    change_rows,
    total_rows,
    totals_line,
)
from toolplanner_gui.viewmodels.item_models import TableModel
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.diff_view import SideBySide
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import ElidedLabel, rule, text_label
from toolplanner_gui.widgets.views import QuietTree

_SHARES = {
    int(CompareColumn.RELATION): 0.21,
    int(CompareColumn.LEFT): 0.16,
    int(CompareColumn.RIGHT): 0.16,
}


class _Place(NamedTuple):
    run: RunId
    path: NodePath


_LOW = 430
"""Height below which totals make room for the tree, pixels."""
_LOWEST = 350
"""And below which there is no room for a line of them."""


_ROOM_FOR = {"Tokens": 660, "Model calls": 740, "Failed": 800}
"""Width from which a number of the totals is shown: how the runs ended, what their replies show and
what is said of them come first; the tooltip has it all."""


class ComparePanel(Panel):
    """Shows `RunView.compared`; stands in the centre of the Debug layout when it is asked for."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("compare")
        self.model = CompareModel(self)
        self.tree = QuietTree("Both runs as one tree")
        self.tree.set_model(self.model, {}, shares=_SHARES)
        self.totals_model = TableModel(TOTAL_TITLES, self, numbers=NUMBER_TOTALS)
        self.totals = QuietTree("Totals of both runs", is_flat=True)
        self.totals.set_model(self.totals_model, {})
        for column in range(len(TOTAL_TITLES) - 1):
            resized = QHeaderView.ResizeMode.ResizeToContents
            self.totals.header().setSectionResizeMode(column, resized)
        for title, room in _ROOM_FOR.items():
            self.totals.show_from(TOTAL_TITLES.index(title), room)
        self.totals.setFixedHeight(3 * ROW_HEIGHT + GAP)
        self.changes = SideBySide("What differs at the chosen place")
        self._head = ElidedLabel(role="heading")
        self.counts = ElidedLabel(role="dim")
        self.brief = ElidedLabel(role="dim")
        """The totals in a line, where the table has no room."""
        self.sentence = text_label(is_wrapped=True)
        self.warning = text_label(role="problem", is_wrapped=True)
        self.jump_button = push_button("Show the first difference", self.show_first)
        self.only = QCheckBox("Differences only")
        self._swap = push_button("Swap sides", self._on_swap, role="link")
        self._back = push_button("Back to the run", self._on_back, role="link")
        self._reading: asyncio.Task[None] | None = None
        self.pages = pages_of(self._empty, self._make_page(), of=self)
        context.run_view.compared_changed.connect(self.show_pair)
        context.run_view.run_changed.connect(self._on_run_changed)
        self.only.toggled.connect(lambda _on: self._fill())
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.tree.activated.connect(self._on_activated)
        self.tree.doubleClicked.connect(self._on_activated)
        self.show_pair()

    @property
    def is_idle(self) -> bool:
        return self._reading is None or self._reading.done()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the panel is low, rows of the tree come before totals."""
        super().resizeEvent(event)
        height = event.size().height()
        self.totals.setVisible(height >= _LOW)
        self.brief.setVisible(_LOWEST <= height < _LOW)
        self.changes.set_most(None if height >= _LOW else height // 4)

    def focus_tree(self) -> None:
        """Put the keyboard into the tree."""
        self.tree.setFocus()

    def show_pair(self) -> None:
        """Compare the two runs that were chosen."""
        run_view = self.context.run_view
        if self._reading is not None:
            self._reading.cancel()
        self.model.set_diff(None)
        self._empty.say(
            "Choose two runs in the list, and compare them.",
            button="Back to the run",
            run=self._on_back,
        )
        self.pages.setCurrentIndex(0)
        workspace, pair = run_view.workspace, run_view.compared
        if workspace is not None and pair is not None:
            self._empty.say(f"Comparing run {pair[0]} with run {pair[1]} …")
            self._reading = self.context.tasks.spawn(self._read(workspace, *pair), owner=self)
        elif self.isVisible():  # a run has begun, or one of the two is gone
            self.context.shell.call_panel(panel_commands.show_run_tree)

    def show_first(self) -> None:
        """Go to the place where the runs first went different ways."""
        diff = self.model.diff
        if diff is not None and diff.first is not None:
            index = self.model.index_of(diff.first.node)
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)
            self.tree.setFocus()

    def _make_page(self) -> QWidget:
        jump = (self.jump_button, 0, Qt.AlignmentFlag.AlignTop)
        head = column_of(
            row_of((self._head, 1), self._swap, self._back, gap=GAP),
            self.warning,
            row_of((self.sentence, 1), jump, gap=GAP),
            row_of((self.counts, 1), self.only, gap=GAP),
            self.brief,
            margins=(EDGE, GAP, EDGE, GAP),
            gap=SPACE,
        )
        return page_of(head, self.totals, rule(), (self.tree, 1), rule(), self.changes)

    async def _read(self, workspace: Workspace, left: RunId, right: RunId) -> None:
        from toolplanner_core.runs.compare.diff import diff_runs

        try:
            diff = await self.context.tasks.in_thread(lambda: diff_runs(workspace, left, right))
        except Exception:
            self._empty.say("The runs could not be compared.")
            raise
        self._show(diff)

    def _show(self, diff: RunDiff) -> None:
        left, right = diff.left.run, diff.right.run
        self.model.set_diff(diff)
        said = (f"Run {left} compared with run {right}", examples_words(diff.left, diff.right))
        self._head.set_text(" · ".join(filter(None, said)))
        first = diff.first
        self.sentence.setText(way_words(diff))
        self.warning.setText(other_queries_words(diff))
        self.warning.setVisible(bool(self.warning.text()))
        self.jump_button.setVisible(first is not None)
        self.only.setVisible(first is not None)
        self.counts.set_text(self.model.counts)
        totals = total_rows(diff)
        self.totals_model.set_rows(totals)
        for column in OPTIONAL_TOTALS:
            self.totals.setColumnHidden(column, not any(row.cells[column] for row in totals))
        self.brief.set_text(totals_line(diff))
        self._fill()
        self.pages.setCurrentIndex(1)
        self.show_first()

    def _fill(self) -> None:
        position = self.model.value_of(self.tree.currentIndex())
        self.model.set_diff(self.model.diff, differences_only=self.only.isChecked())
        for index in self.model.differing():
            self.tree.expand(index)
        if position is not None:
            self.tree.setCurrentIndex(self.model.index_of(position))
        self._show_changes()

    def _show_changes(self) -> None:
        rows = change_rows(self.model.node_of(self.tree.currentIndex()))
        self.changes.show_rows(("What differs here", "On the left", "On the right"), rows)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        """Look at the chosen place: inspector, menus and keys mean the row that is selected."""
        self._show_changes()
        place = self._place_of(current)
        if place is None:
            return
        if place.run == self.context.run_view.run:
            self.context.run_view.select_node(place.path, self)
        else:
            self.context.tasks.spawn(self._look_at(place), owner=self)

    def _place_of(self, index: QModelIndex) -> _Place | None:
        """A run that has the place: the one that is looked at, else the left one, else the
        right one."""
        node, pair = self.model.node_of(index), self._pair()
        if node is None or pair is None:
            return None
        sides = zip(pair, (node.left, node.right), strict=True)
        there = [_Place(run, path) for run, path in sides if path is not None]
        return min(there, key=lambda each: each.run != self.context.run_view.run, default=None)

    async def _look_at(self, place: _Place) -> None:
        await self.context.run_view.shown(place.run)
        if self._place_of(self.tree.currentIndex()) == place:  # no other row was chosen meanwhile
            self.context.run_view.select_node(place.path, self)

    def _on_activated(self, index: QModelIndex) -> None:
        """Open the place in a run that has it."""
        place = self._place_of(index)
        if place is not None:
            self.context.tasks.spawn(self._open(place), owner=self)

    async def _open(self, place: _Place) -> None:
        view = self.context.run_view
        await view.shown(place.run)
        self._on_back()
        view.select_node(place.path, self)

    def _on_run_changed(self) -> None:
        """Who chooses a run that is not compared wants to see that one; both stay compared in
        their tab."""
        pair, run = self.context.run_view.compared, self.context.run_view.run
        if self.isVisible() and pair is not None and run is not None and run not in pair:
            self.context.shell.call_panel(panel_commands.show_run_tree)

    def _pair(self) -> tuple[RunId, RunId] | None:
        diff = self.model.diff
        return None if diff is None else (diff.left.run, diff.right.run)

    def _on_swap(self) -> None:
        pair = self._pair()
        if pair is not None:
            self.context.run_view.compare(pair[1], pair[0])

    def _on_back(self) -> None:
        self.context.shell.call_panel(panel_commands.focus_run_tree)
