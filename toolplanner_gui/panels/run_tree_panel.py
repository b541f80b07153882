"""The run as a tree, growing while it runs: plans, steps, attempts, questions and calls.

The line below a long stored run: how many of its rows are left out, and a way to show them all.
Stands below the tree in the panel of a run.

The pointer on a link of the run tree: the link is underlined, the row it leads to lights up. A
cause that is folded away or out of sight shows at the nearest row above it that can be seen.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
)
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem, QTreeView, QWidget

from toolplanner_core.domain.ids import ROOT, NodePath, RunId, path_and_ancestors
from toolplanner_core.runs.presentation.node_subject import subject_of
from toolplanner_core.runs.presentation.tree_rows import (
    OpenRows,
    RowChanges,
    active_rows,
    forked_from,
    row_to_follow,
)
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.run_header import RunHeader, StoryCache
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.debug.run_tree_model import (
    CAUSE_ROLE,
    DIM_ROLE,
    PATH_ROLE,
    RunColumn,
    RunTreeModel,
)
from toolplanner_gui.viewmodels.debug.run_view import RunView
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import on_menu, popup_menu, push_button
from toolplanner_gui.widgets.cause_delegate import CauseDelegate
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.pulse_animation import PulseAnimation
from toolplanner_gui.widgets.views import ColumnFit, QuietTree


class AutoScroll(QObject):
    """Scrolls the tree with a live run, until the person scrolls or selects; at the end of the tree
    it follows again."""

    def __init__(self, tree: QTreeView, model: RunTreeModel, view: RunView) -> None:
        super().__init__(tree)
        self._tree, self._model, self._view = tree, model, view
        self._follows, self._is_ours, self._followed = True, False, ROOT
        tree.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def begin(self) -> None:
        """Another run is shown."""
        self._follows, self._followed = True, ROOT

    def end(self) -> None:
        """The run is over: go back to the selected row, which the inspector shows."""
        if self._follows:
            with self.ours():
                self._tree.scrollTo(self._tree.currentIndex())

    def stop(self) -> None:
        """The person looks at something."""
        if self._view.is_run_live and not self._is_ours:
            self._follows = False

    @contextmanager
    def ours(self) -> Generator[None]:
        """What scrolls or selects inside is not the person."""
        before, self._is_ours = self._is_ours, True
        try:
            yield
        finally:
            self._is_ours = before

    @contextmanager
    def growing(self, paths: Iterable[NodePath]) -> Generator[None]:
        """Rows are added inside: go to what runs, or let nothing move that is looked at."""
        held = QPersistentModelIndex() if self._follows else self._looked_at()
        top = self._top(held)
        with self.ours():
            yield
            if self._follows:
                self._go_to(row_to_follow(self._view.nodes, paths, self._followed))
            elif moved := self._top(held) - top:
                bar = self._tree.verticalScrollBar()
                bar.setValue(bar.value() + moved)

    def _go_to(self, path: NodePath | None) -> None:
        if path is not None:
            self._followed = path
            self._tree.scrollTo(self._model.index_of(path))

    def _looked_at(self) -> QPersistentModelIndex:
        """The selected row if it is in view, else the uppermost one."""
        current = self._tree.currentIndex()
        inside = self._tree.visualRect(current).intersects(self._tree.viewport().rect())
        return QPersistentModelIndex(current if inside else self._tree.indexAt(QPoint(0, 0)))

    def _top(self, index: QPersistentModelIndex) -> int:
        return self._tree.visualRect(index).top() if index.isValid() else 0

    def _on_scrolled(self) -> None:
        if not self._is_ours and self._view.is_run_live:
            bar = self._tree.verticalScrollBar()
            self._follows = bar.value() >= bar.maximum()


class HiddenRowsNotice(QWidget):
    """Follows the rows of a tree; hidden while all of them are there."""

    def __init__(self, tree: QTreeView, model: RunTreeModel) -> None:
        super().__init__()
        self._model = model
        self._words = text_label(role="dim")
        show_all = push_button("Show all", model.show_all, role="link")
        row_of(self._words, show_all, 1, of=self, margins=(EDGE, SPACE, EDGE, SPACE))
        self.soon = QTimer(self, singleShot=True)
        """Counts once the rows of the moment are there."""
        self.soon.timeout.connect(self._count)
        model.rowsInserted.connect(lambda *_: self.soon.start())
        tree.expanded.connect(lambda *_: self.soon.start())

    def _count(self) -> None:
        n_hidden = self._model.n_hidden
        self.setVisible(n_hidden > 0)
        self._words.setText(f"{counted(n_hidden, 'row')} of this long run left out.")


class LinkHover(QObject):
    """Watches the pointer over a tree.

    Args:
        cause_of: the node that the link of a node leads to.
    """

    def __init__(
        self,
        tree: QTreeView,
        delegate: CauseDelegate,
        cause_of: Callable[[NodePath], NodePath | None],
    ) -> None:
        super().__init__(tree)
        self._tree = tree
        self._delegate = delegate
        self._cause_of = cause_of
        self.hovered: NodePath | None = None
        self.target: NodePath | None = None
        viewport = tree.viewport()
        viewport.setMouseTracking(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._show(self._link_at(event.position().toPoint()))
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._show(None)
        return super().eventFilter(watched, event)

    def _link_at(self, place: QPoint) -> NodePath | None:
        index = self._tree.indexAt(place)
        if not index.isValid() or index.column() != 0:
            return None
        option = QStyleOptionViewItem()
        option.initFrom(self._tree)
        option.widget = self._tree
        option.rect = self._tree.visualRect(index)
        is_on = self._delegate.has_link_at(option, index, place)
        return index.data(PATH_ROLE) if is_on else None

    def _show(self, hovered: NodePath | None) -> None:
        if hovered == self.hovered:
            return
        self.hovered = hovered
        self.target = None if hovered is None else self._seen(self._cause_of(hovered))
        self._delegate.set_link(hovered, self.target)
        viewport = self._tree.viewport()
        if hovered is None:
            viewport.unsetCursor()
        else:
            viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        viewport.update()

    def _seen(self, path: NodePath | None) -> NodePath | None:
        """The row of a node, or the nearest above it that is not folded away."""
        model = self._tree.model()
        if path is None or not isinstance(model, RunTreeModel):
            return None
        seen = (
            at
            for at in path_and_ancestors(path)
            if self._tree.visualRect(model.index_of(at)).isValid()
        )
        return next(seen, ROOT)


_NUMBERS = (int(RunColumn.TIME), int(RunColumn.TOKENS), int(RunColumn.COST))
_NUMBER_WIDTH, _TOLD_WIDTH = 72, 58
_STATE_WIDTH = 160
_STATE_SHARE = 0.3
"""Of the width of both, for the states even where titles and causes need more."""
_TICK_MS = 250
_LOW = 420
"""Height below which the texts above the tree are cut to two lines, pixels."""
_MOST_WRAPPED = 150
"""Rows of a stored run whose texts go on in a second line: Qt measures each row of such a tree anew
with every change, and a row that grows would move what is looked at in a live run."""


class RunTreePanel(Panel):
    """Header with what the run is and its answer, the tree below."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("file-tree-outline")
        self.model = RunTreeModel(
            self, now_ns=context.run_view.now_ns, so_far=context.run_view.words.progress_at
        )
        self.tree = QuietTree("Run tree")
        told = range(len(RunColumn), self.model.columnCount())
        widths = {
            int(RunColumn.STATE): _STATE_WIDTH,
            **dict.fromkeys(_NUMBERS, _NUMBER_WIDTH),
            **dict.fromkeys(told, _TOLD_WIDTH),
        }
        self.tree.set_model(self.model, widths)
        header = self.tree.header()
        for column in told:  # strategies name them: the name is seen whole
            header.resizeSection(column, max(_TOLD_WIDTH, header.sectionSizeHint(column)))
        self._delegate = CauseDelegate(self, cause_role=CAUSE_ROLE, dim_role=DIM_ROLE)
        self.tree.setItemDelegate(self._delegate)
        self._link_hover = LinkHover(self.tree, self._delegate, self._cause_of)
        self._pulse = PulseAnimation(self.tree)
        self._pulse.beaten.connect(self._on_beat)
        self._active: dict[NodePath, str] = {}
        self.tree.header().sectionResized.connect(self._on_section_resized)
        self._fit = ColumnFit(self.tree, column=RunColumn.STATE, share=_STATE_SHARE)
        self._open_rows = OpenRows(folds_finished=context.choices.folds_finished)
        self.head = RunHeader(folds_finished=self._open_rows.folds_finished)
        self.head.fold_toggled.connect(self._on_fold_toggled)
        self._story = StoryCache(self.newest, self)
        self._story.told.connect(self._show_head)
        self._left_out = HiddenRowsNotice(self.tree, self.model)
        self._run_page = page_of(self.head, rule(), (self.tree, 1), self._left_out)
        self.pages = pages_of(self._empty, self._run_page, of=self)
        self._following = AutoScroll(self.tree, self.model, context.run_view)
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self.model.tick)

        view = context.run_view
        self._delegate.cause_clicked.connect(self._on_cause_clicked)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.tree.activated.connect(self._on_activated)
        self.tree.doubleClicked.connect(self._on_activated)
        view.run_changed.connect(self._on_run_changed)
        view.nodes_changed.connect(self._on_nodes_changed)
        view.node_changed.connect(self._on_node_changed)
        view.live_changed.connect(self._on_live_changed)
        view.runs_changed.connect(self._show_head)
        context.debug.held_changed.connect(self._show_head)
        on_menu(self.tree, self._show_menu)
        self._on_run_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the panel is low its rows matter more than the texts above them."""
        super().resizeEvent(event)
        self.head.set_low(event.size().height() < _LOW)
        self._show_head()

    def focus_tree(self) -> None:
        """Put the keyboard into the tree."""
        self.tree.setFocus()

    def _on_section_resized(self, *_: object) -> None:
        if not self.tree.uniformRowHeights():
            self.tree.scheduleDelayedItemsLayout()

    def _wrap_short_run(self) -> None:
        view = self.context.run_view
        is_plain = view.is_run_live or len(view.nodes) > _MOST_WRAPPED
        if is_plain != self.tree.uniformRowHeights():
            with self._following.growing(()):
                self._delegate.set_wrapped_columns(0 if is_plain else int(RunColumn.STATE) + 1)
                self.tree.setUniformRowHeights(is_plain)
                self.tree.doItemsLayout()

    def _on_run_changed(self) -> None:
        view = self.context.run_view
        self._following.begin()
        self.model.set_nodes(view.nodes, is_live=view.is_run_live)
        self._open_rows.begin()
        self._show_rows(self._open_rows.decide(view.nodes, view.nodes))
        self._left_out.soon.start()
        shell = self.context.shell
        self._empty.say(
            "Ask something, and see here how it is solved.",
            button="Write a query",
            run=shell.focus_query,
        )
        self.pages.setCurrentWidget(self._run_page if view.nodes or view.run else self._empty)
        self._on_live_changed()
        with self._following.ours():
            self.tree.scrollToTop()
        if view.nodes and view.node is None:
            view.select_node(NodePath(""))

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        with self._following.growing(paths):
            self.model.update(paths)
            self._show_rows(self._open_rows.decide(paths, self.context.run_view.nodes))
        self._show_head()
        self._mark_active(paths)
        if self.context.run_view.node is None and not self.context.debug.is_paused:
            self.context.run_view.select_node(NodePath(""))

    def _on_live_changed(self) -> None:
        was_live, is_live = self._timer.isActive(), self.context.run_view.is_run_live
        if is_live:
            self._timer.start()
        else:
            self._timer.stop()
            self.model.end()
            self._mark_active(())
        self._wrap_short_run()
        self._show_head()
        if was_live and not is_live:
            self._following.end()

    def _show_rows(self, changes: RowChanges) -> None:
        for path in changes.opened:
            self.tree.expand(self.model.index_of(path))
        looked_at = self.context.run_view.node or ""
        for path in changes.folded:
            if not looked_at.startswith(f"{path}/"):
                self.tree.collapse(self.model.index_of(path))

    def _on_fold_toggled(self, is_on: bool) -> None:
        self.context.choices.folds_finished = is_on
        self._open_rows.folds_finished = is_on
        self._show_rows(self._open_rows.refold(self.context.run_view.nodes))

    def _mark_active(self, changed: Sequence[NodePath]) -> None:
        view = self.context.run_view
        self._active = active_rows(view.nodes, self._active, changed) if view.is_run_live else {}
        self._delegate.set_marks(self._active, role=PATH_ROLE)
        self._pulse.set_active(bool(self._active))
        self.tree.viewport().update()

    def _on_beat(self) -> None:
        self._delegate.set_strength(self._pulse.strength)
        for path in self._active:
            self.tree.viewport().update(self.tree.visualRect(self.model.index_of(path)))

    def _show_head(self) -> None:
        view = self.context.run_view
        root = view.nodes.get(NodePath(""))
        if root is None:
            return
        is_held = view.run in self.context.debug.held_runs
        story = self._story.of(view.nodes, view.last_seq, is_live=view.is_run_live)
        self.head.show_run(view.run, root, view.summary, is_held=is_held, story=story)
        # The offline planner uses no tokens, a local model costs nothing that is known: an empty
        # column says nothing.
        self.tree.setColumnHidden(RunColumn.TOKENS, not root.tokens)
        self.tree.setColumnHidden(RunColumn.COST, not self.model.has_cost)
        for column, shown in enumerate(self.model.told, len(RunColumn)):
            self.tree.setColumnHidden(column, not self.model.has_column(shown))

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._following.stop()
        self.context.run_view.select_node(self.model.path_of(current), self)

    def _on_node_changed(self, origin: object) -> None:
        path = self.context.run_view.node
        if origin is self or path is None:
            return
        if isinstance(origin, Panel):  # a person chose it there, as in the timeline
            self._following.stop()
        index = self.model.index_of(path)
        flag = QItemSelectionModel.SelectionFlag
        with self._following.ours():
            self.tree.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
            self.tree.scrollTo(index)

    def _on_cause_clicked(self, index: QModelIndex) -> None:
        path = self.model.path_of(index)
        if path is not None:
            self._follow_link(path)

    def _cause_of(self, path: NodePath) -> NodePath | None:
        """The node that a link leads to."""
        view = self.context.run_view
        node = view.nodes.get(path)
        if node is None or node.cause is None or not node.cause_text:
            return None
        return view.node_of_event(node.cause)

    def _follow_link(self, path: NodePath) -> None:
        """Look at the cause of a node, or at the run that was left there."""
        view = self.context.run_view
        cause = self._cause_of(path)
        parent = forked_from(view.nodes[path], view.nodes)
        if cause is not None:
            view.select_node(cause)
        elif parent is not None:
            view.show_run(RunId(parent))

    def _on_activated(self, index: QModelIndex) -> None:
        path = self.model.path_of(index)
        if path is not None:
            self._show_on_map(path)

    def _show_on_map(self, path: NodePath) -> None:
        """Select on the map what a node is about."""
        subject = subject_of(self.context.run_view.nodes, path)
        workspace = self.context.workspace
        if subject.api is not None and workspace is not None:
            rows = rowids_of(workspace, [subject.api]).values()
            if rows:
                self.context.selection.select_apis(rows)
            else:
                self.context.show_message("This API is not in the catalogue any more.")
        elif subject.toolkit is not None:
            self.context.selection.select_toolkit(subject.toolkit)

    def menu(self, path: NodePath) -> QMenu:
        """What can be done at a node."""
        menu = popup_menu(self)
        shown = menu.addAction(make_icon("map-marker-outline"), "Show on the map  (Return)")
        shown.triggered.connect(lambda: self._show_on_map(path))
        subject = subject_of(self.context.run_view.nodes, path)
        shown.setEnabled(subject.target is not None)
        if self._cause_of(path) is not None:
            why = menu.addAction(make_icon("arrow-left-top"), "Show what made this necessary")
            why.triggered.connect(lambda: self._follow_link(path))
        menu.addSeparator()
        shell = self.context.shell
        shell.fill_menu(menu, "node", path)
        return menu

    def _show_menu(self, place: QPoint, at: QPoint) -> None:
        path = self.model.path_of(self.tree.indexAt(place))
        if path is None:  # by the key for menus, with the pointer elsewhere
            path = self.model.path_of(self.tree.currentIndex())
        if path is not None:
            self.menu(path).popup(at)
