"""The legend of the map: a line at the bottom left, and a card of categories or a scale.

One row of the legend: what a colour means, and at the right how many points have it. Beside the
card, which chooses by its rows: this one only shows.

What the colours mean when they are not toolkits: a row a category, or a scale. A row is a button:
it shows only the points of its category (a filter), so the legend is also the quickest way to look
at one. Shift adds a category to those shown, Ctrl turns one round; a field finds categories by
name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QLinearGradient, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.words.formatting import counted
from toolplanner_core.words.glossary import explain_concept, explain_term
from toolplanner_gui.map.column_colours import ColumnColouring, LegendRow
from toolplanner_gui.map.overlay_cards import paint_card_background
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, RADIUS, SPACE, Tokens


class MapTextLine(QLabel):
    """A line of plain text on the colour of the map.

    It is opaque: Qt then leaves it out of the map's frames.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMargin(SPACE // 2)
        self._ground = self._pen = QColor()

    def set_colours(self, ground: str, text: str) -> None:
        """Take other colours, "#rrggbb"."""
        self._ground, self._pen = QColor(ground), QColor(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Not by its palette: with a style sheet Qt puts an old one back in another dock."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ground)
        painter.setPen(self._pen)
        place = self.rect().adjusted(self.margin(), 0, -self.margin(), 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self.text())

    def fit(self, text: str, room: int) -> None:
        """Show as much of a text as there is room for, pixels."""
        mode = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(text, mode, max(room, 1)))
        # Of a fixed size: a text that has the room of the one before lays nothing out anew.
        self.setFixedSize(self.sizeHint())


class LegendLine(MapTextLine):
    """How much is shown, and what the colours mean."""

    whole = ""
    """The line without regard to room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, on=False)

    def tell(self, points: MapPoints, meaning: str, held: str = "", found_by: str = "") -> None:
        """Say how many points are shown.

        Args:
            points: the points.
            meaning: of the colours; may be empty.
            held: how well the selection holds together; may be empty.
            found_by: whose hits are ringed; may be empty.
        """
        shown = " shown" if points.is_filtered else ""
        # What changes first: where room is short, what is always so is cut.
        parts: list[str] = []
        if points.selection.count:
            parts.append(f"{points.selection.count:,} selected{f', {held}' if held else ''}")
        if points.found_count:
            parts.append(
                f"{points.found_count:,} found{f' {found_by}' if found_by else ''}, ringed"
            )
        parts.append(f"{points.shown_count:,} of {counted(points.total, 'API')}{shown}")
        parts.append(counted(points.shown_toolkit_count, "toolkit"))
        if meaning:
            parts.append(meaning)
        self.whole = " · ".join(parts)
        self.setText(self.whole)
        said = escape("\n".join([self.whole, *_placeless(points), *_explained(meaning, held)]))
        self.setToolTip(f'<p style="white-space:pre-wrap">{said}</p>')

    def place(self, width: int, height: int) -> None:
        """Go to the bottom left of a window of this size."""
        self.fit(self.whole, width - 2 * EDGE)
        self.move(EDGE - SPACE, height - self.height() - SPACE)


def _placeless(points: MapPoints) -> Iterator[str]:
    """A sentence about the APIs that are not on the map."""
    if n := points.total - len(points):
        yield f"{counted(n, 'API')} of the catalogue {'has' if n == 1 else 'have'} no place yet."


def _explained(meaning: str, held: str) -> Iterator[str]:
    """A sentence for each word of the line that has a meaning of its own."""
    for part in meaning.split(" · "):
        said = explain_term(part.removeprefix("coloured by "))
        if said:
            yield f"{part[:1].upper()}{part[1:]}: {said}"
    if held:
        yield f"{held[:1].upper()}{held[1:]}: {explain_concept('togetherness')}"


ROW = 20
SWATCH = 10
_WIDEST_NAME = 190
"""Pixels; "Alone: no fallback possible" fits, a region's name ends in an ellipsis."""
_HOW = "Click to show only these, again to show all; Shift adds, Ctrl turns round"


class LegendEntry(QToolButton):
    """A button of one height; its check mark is set by who follows the filter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = self._number = ""
        self._pen = QColor()
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Fixed)
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def say(self, row: LegendRow, shown: int | None = None) -> None:
        """Show what a row means.

        Args:
            shown: of its points those that the filters of other columns let through; None = all.
        """
        count = row.count if shown is None else shown
        is_part = count != row.count
        mode = Qt.TextElideMode.ElideRight
        self._name = self.fontMetrics().elidedText(row.text, mode, _WIDEST_NAME)
        self._number = f"{count:,}"
        self.setText(f"{self._name}  {self._number}".replace("&", "&&"))
        self.setAccessibleName(f"Show only {row.text}  {self._number}")
        of = f" of {row.count:,}, by the other filters" if is_part else ""
        self.setToolTip(f"{row.text}  {self._number}{of}\n{_HOW}")
        self.update()

    def set_look(self, colour_swatch: QIcon, pen: QColor) -> None:
        """Take the colour that it explains, and that of its words."""
        self._pen = pen
        self.setIcon(colour_swatch)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ground of a button, and its number at the right end: Qt would put it behind the
        name, so that the numbers of a legend stand anyhow."""
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()  # type: ignore[attr-defined]  # in the stubs: missing
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        inside = self.rect().adjusted(SPACE, 0, -SPACE, 0)
        place = QRect(inside.left(), 0, SWATCH, SWATCH)
        place.moveTop((self.height() - SWATCH) // 2)
        self.icon().paint(painter, place)
        painter.setPen(self._pen)
        inside.setLeft(place.right() + 1 + SPACE)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignLeft, self._name)
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, self._number)
        painter.end()


WIDEST = 220
BAR_HEIGHT = 10


class LegendScale(QWidget):
    """A scale from the low to the high end with a text at each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = ("", "")
        self._colours: tuple[QColor, ...] = ()
        self._pen = QColor()

    def show_scale(
        self, colouring: ColumnColouring, colours: tuple[QColor, ...], tokens: Tokens
    ) -> None:
        """Show the ends of a colouring in the colours of a theme."""
        self._texts = (colouring.low, colouring.high)
        self._colours, self._pen = colours[:-1], QColor(tokens.text)
        wide = sum(self.fontMetrics().horizontalAdvance(text) for text in self._texts)
        self.setFixedSize(
            max(wide + 3 * GAP, 150),
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
        self._colouring: ColumnColouring | None = None
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
        self, colouring: ColumnColouring | None, colours: tuple[QColor, ...], tokens: Tokens
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
            colour_swatch = _swatch(colours[row.colour], self.devicePixelRatioF())
            button.set_look(colour_swatch, QColor(tokens.text))
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
        paint_card_background(self, self._tokens).end()

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


def _says_the_same(one: ColumnColouring | None, other: ColumnColouring | None) -> bool:
    """Whether two colourings have the same legend: after most edits only points differ."""
    if one is None or other is None:
        return one is other
    one_says, other_says = (
        (each.id, each.title, each.scheme, each.rows, each.low, each.high) for each in (one, other)
    )
    return one_says == other_says
