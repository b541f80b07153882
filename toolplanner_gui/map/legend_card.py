"""What the colours mean when they are not toolkits: a row a category, or a scale.

A row is a button: it shows only the points of its category (a filter), so the legend is also the
quickest way to look at one. Shift adds a category to those shown, Ctrl turns one round; a field
finds categories by name. Called by the canvas.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from toolplanner_gui.map.colouring import Colouring
from toolplanner_gui.map.legend_entry import ROW, SWATCH, LegendEntry
from toolplanner_gui.map.legend_scale import WIDEST, LegendScale
from toolplanner_gui.map.raised import paint_raised
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP, RADIUS, SPACE, Tokens

_LEAST_WIDTH, _LEAST_HEIGHT = 130, 6 * ROW
"""In less room the card is folded."""
SEARCHED_FROM = 12
"""Of so many rows and more one is found by typing."""


class LegendCard(QFrame):
    """A raised card; hidden while the map is coloured by toolkit.

    Signals:
        row_chosen: categories that alone are to be shown, as a tuple of int; empty for all.
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
        self._styled_for: Tokens | None = None
        self._title = QToolButton(self)
        self._title.setObjectName("title")
        self._title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._title.setAutoRaise(True)
        self._title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title.setToolTip("Show or hide the legend")
        self._title.clicked.connect(self._on_title_clicked)
        self._is_open = True
        self._room, self._wide = ROW * 20, 2 * WIDEST
        self._bar = LegendScale(self)
        self._rows: list[LegendEntry] = []
        self._chosen: frozenset[int] = frozenset()
        self._counts: Sequence[int] | None = None
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Find in the legend")
        self.search.setAccessibleName("Find in the legend")
        self.search.setToolTip("Return shows only what was found")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _text: self._open_or_close())
        self._list = QWidget()
        self._list.setObjectName("rows")
        self._lines = QVBoxLayout(self._list)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(0)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self._list)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(GAP, SPACE + 2, GAP, SPACE + 2)
        self._column.setSpacing(0)
        self._column.addWidget(self._title)
        for part in (self.search, self._bar, self._scroll):
            self._column.addWidget(part)
        self.hide()

    @property
    def explained(self) -> str:
        """Id of the column, "" for none."""
        return "" if self._colouring is None else self._colouring.id

    @property
    def rows(self) -> list[LegendEntry]:
        """The buttons of the categories, most frequent first."""
        return list(self._rows)

    def show_colouring(
        self, colouring: Colouring | None, colours: tuple[QColor, ...], tokens: Tokens
    ) -> None:
        """Explain a colouring in the colours of a theme; none hides the card."""
        looks, before = (colours, tokens), (self._colours, self._tokens)
        self._tokens, self._colours = tokens, colours
        if looks == before and _says_the_same(colouring, self._colouring):
            self._colouring = colouring
            return
        if colouring is not self._colouring:
            self._colouring, self._counts = colouring, None
            self._build()
        self.setVisible(colouring is not None)
        if colouring is None:
            return
        self._style(tokens)
        for button, row in zip(self._rows, colouring.rows, strict=True):
            swatch = _swatch(colours[row.colour], self.devicePixelRatioF())
            button.set_look(swatch, QColor(tokens.text))
        self._bar.show_scale(colouring, colours, tokens)
        self._open_or_close()

    def set_open(self, is_open: bool) -> None:
        """Show all rows, or the title alone."""
        self._is_open = is_open
        self._open_or_close()

    def set_room(self, height: int, width: int) -> None:
        """Say how tall it may be; rows that do not fit are left out."""
        if (height, width) != (self._room, self._wide):
            self._room, self._wide = height, width
            self._open_or_close()

    def set_chosen(self, codes: tuple[int, ...] | None) -> None:
        """Mark the rows whose points alone are shown; none marks no row."""
        self._chosen = frozenset(codes or ())
        rows = self._colouring.rows if self._colouring is not None else ()
        for button, row in zip(self._rows, rows, strict=True):
            button.setChecked(self._chosen.issuperset(row.codes))

    def set_counts(self, counts: Sequence[int] | None) -> None:
        """Say of each row how many of its points are shown; None = all of them."""
        rows = self._colouring.rows if self._colouring is not None else ()
        if counts == self._counts or (counts is not None and len(counts) != len(rows)):
            return
        self._counts = counts
        for at, (button, row) in enumerate(zip(self._rows, rows, strict=True)):
            button.say(row, None if counts is None else counts[at])
        self._open_or_close()
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the field stay here: Return shows only what was found, Escape finds all again."""
        if self.search.hasFocus() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_found_wanted()
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground."""
        paint_raised(self, self._tokens).end()

    def _style(self, tokens: Tokens) -> None:
        if tokens == self._styled_for:
            return  # it takes 8 ms, and what is built later has it as well
        self._styled_for = tokens
        self.setStyleSheet(
            f"#map_legend QScrollArea, #map_legend #rows {{ background: {tokens.raised}; }}"
            f"#map_legend QToolButton#title {{ color: {tokens.dim}; font-weight: 600; }}"
            f"#map_legend QToolButton {{ color: {tokens.text}; background: transparent;"
            f" border: 1px solid transparent; border-radius: {RADIUS - 1}px; padding: 0 3px; }}"
            f"#map_legend QToolButton:hover {{ background: {tokens.hover}; }}"
            f"#map_legend QToolButton:checked {{ background: {tokens.selection}; }}"
            f"#map_legend QToolButton:focus {{ border-color: {tokens.accent}; }}"
        )

    def _build(self) -> None:
        colouring = self._colouring
        rows = () if colouring is None else colouring.rows
        for button in self._rows[len(rows) :]:
            self._lines.removeWidget(button)
            button.hide()
            button.deleteLater()
        del self._rows[len(rows) :]
        if colouring is None:
            return
        if self._title.text() != colouring.title:
            self.search.clear()
        self._title.setText(colouring.title)
        self._title.setAccessibleName(f"Legend: {colouring.title}")
        while len(self._rows) < len(rows):
            button = self._entry(len(self._rows))
            self._lines.addWidget(button)
            self._rows.append(button)
        for button, row in zip(self._rows, rows, strict=True):
            button.say(row)
            button.setChecked(False)

    def _open_or_close(self) -> None:
        colouring = self._colouring
        if colouring is None:
            return
        is_open = self._is_open and self._room >= _LEAST_HEIGHT and self._wide >= _LEAST_WIDTH
        icon = "chevron-down" if is_open else "chevron-right"
        self._title.setIcon(make_icon(icon))
        is_scale = colouring.scheme == "ramp" and bool(colouring.low)
        self._bar.setVisible(is_open and is_scale)
        self.search.setVisible(is_open and len(self._rows) >= SEARCHED_FROM)
        inner = max(self._wide, _LEAST_WIDTH) - 2 * GAP
        self.search.setMaximumWidth(inner)
        words = self.search.text().casefold().split()
        found = [all(word in row.text.casefold() for word in words) for row in colouring.rows]
        for button, is_found in zip(self._rows, found, strict=True):
            button.setVisible(is_found)
        self._lines.activate()
        fitting = max((self._room - 4 * ROW) // ROW, 1)
        bar = self._scroll.verticalScrollBar().sizeHint().width() * (sum(found) > fitting)
        wide = min(self._list.sizeHint().width() + bar, inner)
        self._scroll.setFixedSize(wide, min(sum(found), fitting) * ROW)
        self._scroll.setVisible(is_open and any(found))
        self._column.activate()
        self.adjustSize()
        self.update()

    def _on_title_clicked(self) -> None:
        self.set_open(not self._is_open)
        self.resized.emit()

    def _entry(self, place: int) -> LegendEntry:
        entry = LegendEntry(self._list)
        # The check mark follows the filter, not the click.
        entry.clicked.connect(lambda _checked: self._on_clicked(place))
        return entry

    def _on_clicked(self, place: int) -> None:
        if self._colouring is None:
            return
        held = QApplication.keyboardModifiers()
        row, before = frozenset(self._colouring.rows[place].codes), self._chosen
        if held & Qt.KeyboardModifier.ShiftModifier:
            wanted = before | row
        elif held & Qt.KeyboardModifier.ControlModifier:
            wanted = before - row if row <= before else before | row
        else:
            wanted = frozenset[int]() if row == before else row
        self._choose(wanted)

    def _on_found_wanted(self) -> None:
        rows = self._colouring.rows if self._colouring is not None else ()
        shown = [row for button, row in zip(self._rows, rows, strict=True) if not button.isHidden()]
        self._choose(frozenset(code for row in shown for code in row.codes))

    def _choose(self, wanted: frozenset[int]) -> None:
        self.row_chosen.emit(tuple(sorted(wanted)))
        # Nothing may have come of it: the marks say what is shown.
        self.set_chosen(tuple(self._chosen))


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


def _says_the_same(one: Colouring | None, other: Colouring | None) -> bool:
    """Whether two colourings have the same legend: after most edits only points differ."""
    if one is None or other is None:
        return one is other
    one_says, other_says = (
        (each.id, each.title, each.scheme, each.rows, each.low, each.high) for each in (one, other)
    )
    return one_says == other_says
