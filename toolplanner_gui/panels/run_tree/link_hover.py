"""The pointer on a link of the run tree: the link is underlined, the row it leads to lights up.

A cause that is folded away or out of sight shows at the nearest row above it that can be seen.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView

from toolplanner_core.domain.ids import ROOT, NodePath, up_from
from toolplanner_gui.viewmodels.debug.run_tree_model import PATH_ROLE, RunTreeModel
from toolplanner_gui.widgets.cause_delegate import CauseDelegate


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
        seen = (at for at in up_from(path) if self._tree.visualRect(model.index_of(at)).isValid())
        return next(seen, ROOT)
