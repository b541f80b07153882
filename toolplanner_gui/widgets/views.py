"""Lists, trees, tables and text fields in the one look the window has.

A long flat table in the look of `QuietTree`; used by the event log. Why not the tree: that asks the
model for every row whenever one is added, 90 ms at 50,000 rows.

The titles of a list whose order a person chooses, with a mark on the one that it has. The style
sheet hides Qt's own mark, which would take room from titles.

Shares the width of a tree between its first column and one other by what both need. Why: a fixed
share cuts causes in the first column while the other one is half empty, or the other way round.
Only rows in view are measured.
"""

from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHeaderView,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QTableView,
    QTreeView,
    QWidget,
)

from toolplanner_gui.theme.tokens import ICON_SIZE, ROW_HEIGHT

_Box = TypeVar("_Box", bound="QComboBox | QDoubleSpinBox")
_NUMBER_MARGIN = 7
_NUMBER_WIDTH = 96


class QuietTree(QTreeView):
    """A tree or a flat table without boxes: rows of one height, columns that share the width."""

    def __init__(self, name: str, *, is_flat: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: dict[int, float] = {}
        self._least: dict[int, int] = {}
        self.setAccessibleName(name)
        self.setProperty("flat", is_flat)
        self.setUniformRowHeights(True)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setRootIsDecorated(not is_flat)
        self.setItemsExpandable(not is_flat)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0 if is_flat else 18)
        make_quiet(self)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAllColumnsShowFocus(True)
        self.setAlternatingRowColors(False)

    def keep_both_ends(self) -> None:
        """Cut long texts in the middle: for "Tool · API", where both ends say what it is."""
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def set_model(
        self,
        model: QAbstractItemModel,
        widths: dict[int, int],
        *,
        shares: dict[int, float] | None = None,
    ) -> None:
        """Show a model.

        Args:
            widths: columns of a fixed width in pixels; the others share the rest.
            shares: columns that take a share of the whole width, 0 to 1.
        """
        self._shares = shares or {}
        # Else rows that are asked for before the view is shown keep the height of another style.
        self.ensurePolished()
        self.setModel(model)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        size_columns(header, widths, self._shares)

    def show_from(self, column: int, width: int) -> None:
        """Show a column only where the view is so wide, pixels: names come before figures."""
        self._least[column] = width
        self.setColumnHidden(column, self.width() < width)

    def event(self, event: QEvent) -> bool:
        return takes_select_all(self, event) or super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, least in self._least.items():
            self.setColumnHidden(column, self.width() < least)
        for column, share in self._shares.items():
            self.header().resizeSection(column, round(self.viewport().width() * share))


def takes_select_all(view: QAbstractItemView, event: QEvent) -> bool:
    """Keep "select all" for a view whose rows can be selected together, as fields of text do by
    themselves; else the key would select on the map. To be asked in its `event`."""
    if (
        event.type() != QEvent.Type.ShortcutOverride
        or not isinstance(event, QKeyEvent)
        or view.selectionMode() is QAbstractItemView.SelectionMode.SingleSelection
        or not event.matches(QKeySequence.StandardKey.SelectAll)
    ):
        return False
    event.accept()
    return True


def make_quiet(view: QAbstractItemView) -> None:
    """Let a view select whole rows, edit nothing and scroll up and down only."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def size_columns(header: QHeaderView, widths: dict[int, int], shares: dict[int, float]) -> None:
    """Give columns a width in pixels, or a share of the whole; the others share the rest."""
    header.setHighlightSections(False)
    header.setMinimumSectionSize(32)
    for column in range(header.count()):
        if column in shares:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        elif column in widths:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, widths[column])
        else:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


def code_view(name: str) -> QPlainTextEdit:
    """A read-only field of plain text in a fixed-width font, for JSON and messages."""
    field = QPlainTextEdit()
    field.setReadOnly(True)
    field.setAccessibleName(name)
    field.setProperty("role", "code")
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(field.font().pointSizeF())
    field.setFont(font)
    field.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    field.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return field


def scrolled(page: QWidget) -> QScrollArea:
    """A page that scrolls up and down in its place, without a frame."""
    area = QScrollArea()
    scroll_vertically(area)
    area.setWidget(page)
    return area


class CappedScrollArea(QScrollArea):
    """As high as its page, which may grow; from a height on the page scrolls, and where room is
    short from a third of that height on.

    Args:
        highest: that height, in pixels.
    """

    def __init__(self, page: QWidget, *, highest: int) -> None:
        super().__init__()
        self._highest = highest
        scroll_vertically(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(page)

    def sizeHint(self) -> QSize:
        page = self.widget()
        height = page.sizeHint().height() if page is not None else 0  # pyright: ignore[reportUnnecessaryComparison]
        return QSize(super().sizeHint().width(), min(self._highest, height))

    def minimumSizeHint(self) -> QSize:
        low = min(self._highest // 3, self.sizeHint().height())
        return QSize(super().minimumSizeHint().width(), low)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def scroll_vertically(area: QScrollArea) -> None:
    """Let an area scroll up and down only, as wide as its place."""
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def ignore_wheel(box: _Box) -> _Box:
    """The same box, which the wheel does not change: it scrolls the form around it."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.wheelEvent = lambda event: event.ignore()  # type: ignore[method-assign]
    return box


def compact_spin_box(spin: QSpinBox | QDoubleSpinBox) -> None:
    """Give a spin box the margin of a text field and the width of a number.

    Qt lays the text of a spin box at its very edge when a style sheet is set, and hides it
    altogether with `NoButtons`: so the style sheet makes the buttons thin.
    """
    spin.lineEdit().setTextMargins(_NUMBER_MARGIN, 0, 0, 0)
    spin.setFixedWidth(_NUMBER_WIDTH)


class QuietTable(QTableView):
    """Rows of one height, whole rows selected, columns that share the width."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: dict[int, float] = {}
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        make_quiet(self)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(ROW_HEIGHT)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def set_model(
        self, model: QAbstractItemModel, widths: dict[int, int], *, shares: dict[int, float]
    ) -> None:
        """Show a model.

        Args:
            widths: columns of a width in pixels.
            shares: columns that take a share of the whole width, 0 to 1; others share the rest.
        """
        self._shares = shares
        self.setModel(model)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        size_columns(header, widths, shares)

    def event(self, event: QEvent) -> bool:
        return takes_select_all(self, event) or super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, share in self._shares.items():
            self.horizontalHeader().resizeSection(column, round(self.viewport().width() * share))


class SortHeader(QHeaderView):
    """Titles that are clicked to order by them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803 - the name of Qt
    ) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        dim = self.palette().color(QPalette.ColorRole.PlaceholderText)
        paint_sort_mark(self, painter, rect, logicalIndex, colour=dim)


def paint_sort_mark(
    header: QHeaderView, painter: QPainter, title: QRect, column: int, *, colour: QColor
) -> None:
    """Mark a title if the list is ordered by it: whether it rises or falls."""
    if not header.isSortIndicatorShown() or header.sortIndicatorSection() != column:
        return
    is_rising = header.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
    painter.setPen(colour)
    place = title.adjusted(0, 0, -4, 0)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
    painter.drawText(place, right, "▴" if is_rising else "▾")


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
