"""Shares the width of a tree between its first column and one other by what both need.

Why: a fixed share cuts causes in the first column while the other one is half empty, or the other
way round. Only rows in view are measured. Used by the run tree.
"""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QTreeView

_PAUSE_MS = 150
_LEAST_CHANGE_PX = 6
_LEAST_PX = 60


class ColumnFit(QObject):
    """Follows the rows, what is open, and the width of a tree.

    Args:
        column: the other column; its resize mode is "interactive", that of the first "stretch".
        share: of their common width that the other column gets where both need more than there is.
    """

    def __init__(self, tree: QTreeView, *, column: int, share: float) -> None:
        super().__init__(tree)
        self._tree = tree
        self._column = int(column)
        # Qt would measure a thousand rows below those in view: half a second in a long run.
        tree.header().setResizeContentsPrecision(0)
        self._share = share
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.fit)
        model = tree.model()
        for signal in (
            model.modelReset,
            model.rowsInserted,
            model.dataChanged,
            tree.expanded,
            tree.collapsed,
            tree.verticalScrollBar().valueChanged,
        ):
            signal.connect(self._soon)
        tree.viewport().installEventFilter(self)

    def fit(self) -> None:
        """Set the width now."""
        tree, header = self._tree, self._tree.header()
        others = sum(
            header.sectionSize(c)
            for c in range(1, header.count())
            if c != self._column and not header.isSectionHidden(c)
        )
        room = tree.viewport().width() - others
        first, other = tree.sizeHintForColumn(0), tree.sizeHintForColumn(self._column)
        other = max(other, header.sectionSizeHint(self._column), _LEAST_PX)
        if first + other > room:
            least = min(other, round(room * self._share))
            other = max(least, room - first)
        now = header.sectionSize(self._column)
        # A little too wide is left alone: columns that twitch while a run grows are a nuisance.
        if other > now or now - other >= _LEAST_CHANGE_PX:
            header.resizeSection(self._column, other)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._soon()
        return False

    def _soon(self, *_: object) -> None:
        if not self._timer.isActive():
            self._timer.start()
