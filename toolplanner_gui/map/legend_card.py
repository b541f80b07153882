"""What the colours mean when they are not toolkits: a row a category, or a scale.

A row is a button: it shows only the points of its category (a filter), so the legend is also the
quickest way to look at one. Called by the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QLinearGradient, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from toolplanner_gui.map.colouring import Colouring, LegendRow
from toolplanner_gui.map.raised import paint_raised
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP, RADIUS, SPACE, Tokens

WIDEST = 220
ROW = 20
SWATCH = 10
BAR_HEIGHT = 10


class LegendCard(QFrame):
    """A raised card; hidden while the map is coloured by toolkit.

    Signals:
        row_chosen: categories of the row that was pressed, as a tuple of int.
        resized: it needs another place.
    """

    row_chosen = Signal(object)
    resized = Signal()

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self.setObjectName("map_legend")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Legend of the map")
        self._tokens = tokens
        self._colouring: Colouring | None = None
        self._colours: tuple[QColor, ...] = ()
        self._title = QToolButton(self)
        self._title.setObjectName("title")
        self._title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._title.setAutoRaise(True)
        self._title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title.setToolTip("Show or hide the legend")
        self._title.clicked.connect(self._on_title_clicked)
        self._is_open = True
        self._room = ROW * 20
        self._bar = _Bar(self)
        self._rows: list[QToolButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(GAP, SPACE + 2, GAP, SPACE + 2)
        self._column.setSpacing(0)
        self._column.addWidget(self._title)
        self._column.addWidget(self._bar)
        self.hide()

    @property
    def explained(self) -> str:
        """Id of the column, "" for none."""
        return "" if self._colouring is None else self._colouring.id

    @property
    def rows(self) -> list[QToolButton]:
        """The buttons of the categories, most frequent first."""
        return list(self._rows)

    def show_colouring(
        self, colouring: Colouring | None, colours: tuple[QColor, ...], tokens: Tokens
    ) -> None:
        """Explain a colouring in the colours of a theme; none hides the card."""
        self._tokens, self._colours = tokens, colours
        if colouring is not self._colouring:
            self._colouring = colouring
            self._build()
        self.setVisible(colouring is not None)
        if colouring is None:
            return
        self.setStyleSheet(
            f"#map_legend QToolButton#title {{ color: {tokens.dim}; font-weight: 600; }}"
            f"#map_legend QToolButton {{ color: {tokens.text}; background: transparent;"
            f" border: 1px solid transparent; border-radius: {RADIUS - 1}px; padding: 0 3px; }}"
            f"#map_legend QToolButton:hover {{ background: {tokens.hover}; }}"
            f"#map_legend QToolButton:checked {{ background: {tokens.selection}; }}"
            f"#map_legend QToolButton:focus {{ border-color: {tokens.accent}; }}"
        )
        for button, row in zip(self._rows, colouring.rows, strict=True):
            button.setIcon(_swatch(colours[row.colour], self.devicePixelRatioF()))
        self._bar.show_scale(colouring, colours, tokens)
        self._open_or_close()

    def set_open(self, is_open: bool) -> None:
        """Show all rows, or the title alone."""
        self._is_open = is_open
        self._open_or_close()

    def set_room(self, height: int) -> None:
        """Say how tall it may be; rows that do not fit are left out."""
        if height != self._room:
            self._room = height
            self._open_or_close()

    def set_chosen(self, codes: tuple[int, ...] | None) -> None:
        """Mark the row whose points alone are shown; none marks no row."""
        rows = self._colouring.rows if self._colouring is not None else ()
        for button, row in zip(self._rows, rows, strict=True):
            button.setChecked(codes is not None and row.codes == codes)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground."""
        paint_raised(self, self._tokens).end()

    def _build(self) -> None:
        for button in self._rows:
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._rows = []
        colouring = self._colouring
        if colouring is None:
            return
        self._title.setText(colouring.title)
        self._title.setAccessibleName(f"Legend: {colouring.title}")
        for row in colouring.rows:
            button = self._button(row)
            self._column.addWidget(button)
            self._rows.append(button)

    def _open_or_close(self) -> None:
        colouring = self._colouring
        if colouring is None:
            return
        icon = "chevron-down" if self._is_open else "chevron-right"
        self._title.setIcon(make_icon(icon))
        is_scale = colouring.scheme == "ramp" and bool(colouring.low)
        self._bar.setVisible(self._is_open and is_scale)
        fitting = max((self._room - 3 * ROW) // ROW, 1)
        for number, button in enumerate(self._rows):
            button.setVisible(self._is_open and number < fitting)
        self._column.activate()
        self.adjustSize()
        self.update()

    def _on_title_clicked(self) -> None:
        self.set_open(not self._is_open)
        self.resized.emit()

    def _button(self, row: LegendRow) -> QToolButton:
        button = QToolButton(self)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(SWATCH, SWATCH))
        button.setFixedHeight(ROW)
        button.setAutoRaise(True)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        text = f"{row.text}  {row.count:,}"
        metrics = button.fontMetrics()
        elided = metrics.elidedText(row.text, Qt.TextElideMode.ElideRight, WIDEST - 80)
        button.setText(f"{elided}  {row.count:,}".replace("&", "&&"))
        button.setAccessibleName(f"Show only {text}")
        button.setToolTip(f"{text}\nClick to show only these, again to show all")
        # The check mark follows the filter, not the click.
        button.clicked.connect(lambda checked, codes=row.codes: self._on_clicked(codes, checked))
        return button

    def _on_clicked(self, codes: tuple[int, ...], checked: bool) -> None:
        self.row_chosen.emit(codes if checked else ())


class _Bar(QWidget):
    """A scale from the low to the high end with a text at each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = ("", "")
        self._colours: tuple[QColor, ...] = ()
        self._pen = QColor()

    def show_scale(self, colouring: Colouring, colours: tuple[QColor, ...], tokens: Tokens) -> None:
        self._texts = (colouring.low, colouring.high)
        self._colours, self._pen = colours[:-1], QColor(tokens.text)
        wide = sum(self.fontMetrics().horizontalAdvance(text) for text in self._texts)
        self.setFixedSize(
            min(max(wide + 3 * GAP, 150), WIDEST),
            BAR_HEIGHT + self.fontMetrics().height() + 2 * SPACE,
        )
        self.setAccessibleName(f"Scale from {colouring.low} to {colouring.high}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the colours and the texts below."""
        if not self._colours:
            return
        painter = QPainter(self)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        for number, colour in enumerate(self._colours):
            gradient.setColorAt(number / (len(self._colours) - 1), colour)
        painter.fillRect(QRectF(0, SPACE, self.width(), BAR_HEIGHT), gradient)
        painter.setPen(self._pen)
        below = QRectF(0, SPACE + BAR_HEIGHT, self.width(), self.height() - SPACE - BAR_HEIGHT)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignLeft, self._texts[0])
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignRight, self._texts[1])
        painter.end()


def _swatch(colour: QColor, ratio: float) -> QIcon:
    picture = QPixmap(round(SWATCH * ratio), round(SWATCH * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QRectF(0, 0, SWATCH, SWATCH))
    painter.end()
    return QIcon(picture)
