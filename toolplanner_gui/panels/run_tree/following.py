"""What stays in view while a run grows: what is done now, or what a person looks at."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from PySide6.QtCore import QObject, QPersistentModelIndex, QPoint
from PySide6.QtWidgets import QTreeView

from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.runs.telling.following import row_to_follow
from toolplanner_gui.viewmodels.debug.run_tree_model import RunTreeModel
from toolplanner_gui.viewmodels.debug.run_view import RunView


class Following(QObject):
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
