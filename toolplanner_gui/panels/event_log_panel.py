"""The event log of a run: every event in order, filterable; each leads to node and cause."""

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.domain.ids import NodePath, RunId, nearest_known
from toolplanner_core.runs.events.event import Record, line_of, type_words
from toolplanner_core.words.formatting import count, counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import HeadRow, read_heads, read_records
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.debug.event_log_model import (
    PAGE,
    Column,
    EventFilter,
    EventLogModel,
    LogIndex,
    build_log_index,
)
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTable

_WIDTHS = {
    int(Column.SEQ): 60,
    int(Column.TIME): 104,
    int(Column.TYPE): 124,
    int(Column.ACTOR): 80,
    int(Column.CAUSE): 68,
}
_NODE_SHARE = 0.19
_ROOM_FOR_WHO = 760
"""Below it what an event says comes before who did it, which is in the filter, too."""
_STORED_WITHIN_S = 0.05
"""After this time a live event has reached the disk: the pause of the log's batches."""


class EventLogPanel(Panel):
    """Reads a log when it is looked at; while it stands open, live events come by themselves.

    Texts are read for the rows in view, and for all when a filter asks for words.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("format-list-bulleted", "Every event of a run is listed here.")
        self.model = EventLogModel(self)
        self.view = QuietTable("Events of the run")
        self.view.set_model(self.model, _WIDTHS, shares={int(Column.NODE): _NODE_SHARE})
        self.field = SearchField("Filter by words of type, node or text", icon="filter-outline")
        self.types = _combo("Types of events")
        self.actors = _combo("Who did it")
        self._count = text_label(role="dim")
        self.pages = pages_of(self._empty, self._make_page(), of=self)
        self._run: RunId | None = None
        self._reading: asyncio.Task[None] | None = None
        self._arrived: list[Record] = []
        self._pages: list[int] = []
        self._filling: asyncio.Task[None] | None = None
        self._follows = True
        self._is_moving = False

        run_view = context.run_view
        run_view.run_changed.connect(self._on_run_changed)
        run_view.records_arrived.connect(self._on_records)
        run_view.node_changed.connect(self._on_node_changed)
        self.model.page_wanted.connect(self._on_page_wanted)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.view.clicked.connect(self._on_clicked)
        self.view.activated.connect(self._on_activated)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.field.searched.connect(lambda _text: self._on_filter())
        self.field.left_down.connect(self.view.setFocus)
        self.types.activated.connect(lambda _row: self._on_filter())
        self.actors.activated.connect(lambda _row: self._on_filter())
        self._on_run_changed()

    @property
    def is_idle(self) -> bool:
        return all(t is None or t.done() for t in (self._reading, self._filling))

    def find(self) -> None:
        """Put the cursor into the filter."""
        self.field.find()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.view.setColumnHidden(int(Column.ACTOR), self.width() < _ROOM_FOR_WHO)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read_if_wanted()

    def _make_page(self) -> QWidget:
        parts = ((self.field, 1), self.types, self.actors, self._count)
        row = row_of(*parts, margins=(EDGE, SPACE, EDGE, SPACE), gap=GAP)
        return page_of(row, (self.view, 1))

    def _on_run_changed(self) -> None:
        for task in (self._reading, self._filling):
            if task is not None:
                task.cancel()
        run_view = self.context.run_view
        self._follows = True
        self._arrived, self._pages = [], []
        # A run that has just begun has nothing to be read.
        self._run = run_view.run if run_view.last_seq == 0 else None
        self.model.set_events([], run_view.nodes)
        self._show_state()
        if self.isVisible():
            self._read_if_wanted()

    def _read_if_wanted(self) -> None:
        """A log is read when it is looked at, not with every run that is shown."""
        run_view = self.context.run_view
        workspace, run = run_view.workspace, run_view.run
        if workspace is None or run is None or run == self._run:
            return
        self._run = run
        self._arrived = []
        self._reading = self.context.tasks.spawn(self._read(workspace, run), owner=self)

    async def _read(self, workspace: Workspace, run: RunId) -> None:
        in_thread = self.context.tasks.in_thread
        upto = self.context.run_view.last_seq
        heads, facts = await in_thread(lambda: _read_heads(workspace, run))
        while self.context.run_view.is_run_live and (not heads or heads[-1].seq < upto):
            await self.context.tasks.pause(_STORED_WITHIN_S)
            heads, facts = await in_thread(lambda: _read_heads(workspace, run))
        self.model.set_events(heads, self.context.run_view.nodes, facts)
        self.model.append(self._arrived)
        self._arrived = []
        self._show_state()
        self._show_node(self.context.run_view.node)
        self._want_all_for_words()

    def _on_page_wanted(self, page: int) -> None:
        self._pages.append(page)
        run_view = self.context.run_view
        workspace, run = run_view.workspace, run_view.run
        is_reading = self._filling is not None and not self._filling.done()
        if workspace is not None and run is not None and not is_reading:
            self._filling = self.context.tasks.spawn(self._fill(workspace, run), owner=self)

    async def _fill(self, workspace: Workspace, run: RunId) -> None:
        while self._pages:
            after = self.model.seq_before(self._pages.pop())
            seqs, texts = await self.context.tasks.in_thread(
                lambda after=after: _read_texts(workspace, run, after)
            )
            self.model.fill(seqs, texts)
        self.model.refilter()
        self._show_state()

    def _want_all_for_words(self) -> None:
        """Words are looked for in all texts, so all must be there."""
        if self.field.text().strip():
            for page in reversed(self.model.missing_pages()):
                self._on_page_wanted(page)

    def _on_records(self, records: Sequence[Record]) -> None:
        if self._reading is not None and not self._reading.done():
            self._arrived += records
        elif self.isVisible() and self._run == self.context.run_view.run:
            self.model.append(records)
            self._show_state()
        else:
            self._run = None  # read anew when somebody looks

    def _on_filter(self) -> None:
        current = self.model.head(self.view.currentIndex())
        self.model.set_filter(
            EventFilter(
                text=self.field.text(),
                type=str(self.types.currentData() or ""),
                actor=str(self.actors.currentData() or ""),
            )
        )
        self._want_all_for_words()
        self._show_state()
        if current is not None:
            self._go_to(current.seq)

    def _show_state(self) -> None:
        _offer(self.types, "All types", [(t, type_words(t)) for t in self.model.types()])
        _offer(self.actors, "Everybody", [(a, a.capitalize()) for a in self.model.actors()])
        shown, there = self.model.rowCount(), self.model.n_events
        self._count.setText(
            counted(there, "event")
            if shown == there
            else f"{count(shown)} of {counted(there, 'event')}"
        )
        self.pages.setCurrentIndex(1 if there else 0)
        if self._follows:
            self._is_moving = True
            self.view.scrollToBottom()
            self._is_moving = False

    def _on_scrolled(self) -> None:
        """The person has taken the view into their own hands; at the end it follows again."""
        if not self._is_moving:
            bar = self.view.verticalScrollBar()
            self._follows = bar.value() >= bar.maximum()

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        head = self.model.head(current)
        if head is not None and not self._is_moving:
            self._follows = False
            self.context.run_view.select_node(
                nearest_known(head.path, self.context.run_view.nodes), self
            )

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == Column.CAUSE:
            self._on_activated(index)

    def _on_activated(self, index: QModelIndex) -> None:
        """Go to the cause of an event: a click on the link, or Enter."""
        head = self.model.head(index)
        if head is None or head.cause is None:
            return
        if self.model.row_of(head.cause) is None:
            self.field.clear()
            self.types.setCurrentIndex(0)
            self.actors.setCurrentIndex(0)
            self._on_filter()
        self._go_to(head.cause)
        self._on_current(self.view.currentIndex(), QModelIndex())

    def _on_node_changed(self, origin: object) -> None:
        if origin is not self:
            self._show_node(self.context.run_view.node)

    def _show_node(self, path: NodePath | None) -> None:
        """Go to the first event of a node; the run itself leaves the view where it is."""
        seq = self.model.first_of(path) if path else None
        if seq is not None:
            self._follows = False
            self._go_to(seq)

    def _go_to(self, seq: int) -> None:
        row = self.model.row_of(seq)
        if row is None:
            return
        index = self.model.index(row, 0)
        self._is_moving = True
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        self._is_moving = False


def _read_heads(workspace: Workspace, run: RunId) -> tuple[list[HeadRow], LogIndex]:
    heads = read_heads(workspace, run)
    return heads, build_log_index(heads)


def _read_texts(workspace: Workspace, run: RunId, after: int) -> tuple[list[int], list[str]]:
    from toolplanner_core.runs.log.stored_runs import typed

    records = typed(read_records(workspace, run, after_seq=after, limit=PAGE))
    return [r.seq for r in records], [line_of(r.event) for r in records]


def _combo(name: str) -> QComboBox:
    combo = named(QComboBox(), name, tip=name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(13)
    combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return combo


def _offer(combo: QComboBox, everything: str, entries: Sequence[tuple[str, str]]) -> None:
    """Fill a combo box anew where its entries are others, keeping what was chosen."""
    wanted = ["", *(value for value, _ in entries)]
    if [combo.itemData(i) for i in range(combo.count())] == wanted:
        return
    chosen = combo.currentData()
    combo.clear()
    combo.addItem(everything, "")
    for value, title in entries:
        combo.addItem(title, value)
    combo.setCurrentIndex(max(0, combo.findData(chosen)))
