"""The widgets above the map and where they stand: legend, buttons, hint, card, overview.

All are opaque, so that Qt leaves them out of the map's frames, and tell the names which places to
avoid. Called by the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QToolButton, QWidget

from toolplanner_gui.map.column_colours import ColumnColouring
from toolplanner_gui.map.layer_stack import colours_of
from toolplanner_gui.map.legend import LegendCard, LegendLine
from toolplanner_gui.map.minimap import Minimap
from toolplanner_gui.map.overlay_cards import HoverCard, ToolHint
from toolplanner_gui.map.tool_buttons import ToolButtons
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE, Tokens

LEGEND_SHARE = 0.6
"""Of the height of the map that its legend may take."""


class Overlays:
    """Legend line and card, tool buttons, hint, hover card, overview.

    Args:
        canvas: their parent.
        tokens: colours.
    """

    def __init__(self, canvas: QWidget, tokens: Tokens) -> None:
        self._canvas = canvas
        self.legend = LegendLine(canvas)
        self.clear_filter = QToolButton(canvas)
        self.clear_filter.setText("Clear filter")
        self.clear_filter.setToolTip("Show all APIs again (Shift+F)")
        self.clear_filter.setAccessibleName("Clear the filter of the map")
        self.clear_filter.hide()
        self.legend_card = LegendCard(canvas, tokens)
        self.tools = ToolButtons(canvas, tokens)
        self.minimap = Minimap(canvas, tokens)
        self.hint = ToolHint(canvas, tokens)
        self.card = HoverCard(canvas, tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self.legend.set_colours(tokens.map, tokens.dim)
        self.tools.set_tokens(tokens)
        self.hint.set_tokens(tokens)
        self.card.set_tokens(tokens)
        self.clear_filter.setStyleSheet(
            f"QToolButton {{ background: {tokens.map}; color: {tokens.accent};"
            f" border: 1px solid {tokens.map}; padding: 2px {SPACE}px; }}"
            f"QToolButton:hover {{ color: {tokens.accent_hover}; text-decoration: underline; }}"
            f"QToolButton:focus {{ border-color: {tokens.accent}; }}"
        )

    @property
    def explained(self) -> str:
        """Id of the column that the legend card explains, "" for none."""
        return self.legend_card.explained

    def show_colouring(self, colouring: ColumnColouring | None, tokens: Tokens) -> None:
        """Explain what the colours mean."""
        colours = colours_of(colouring, tokens)
        self.legend_card.show_colouring(colouring, colours, tokens)

    def place(self) -> None:
        """Go to the places for the present size of the canvas."""
        width, height = self._canvas.width(), self._canvas.height()
        room = width
        if not self.clear_filter.isHidden():
            self.clear_filter.adjustSize()
            room -= self.clear_filter.width() + GAP
        self.legend.place(room, height)
        if not self.clear_filter.isHidden():
            box = self.legend.geometry()
            middle = box.center().y() - self.clear_filter.height() // 2
            self.clear_filter.move(box.right() + GAP, middle)
        self.tools.fit(height - 2 * EDGE)
        beside_tools = width - self.tools.width() - 3 * EDGE
        self.legend_card.set_room(round(height * LEGEND_SHARE), beside_tools)
        self.legend_card.move(EDGE, self.legend.y() - GAP - self.legend_card.height())
        self.tools.move(width - self.tools.width() - EDGE, EDGE)
        self.minimap.move(
            width - self.minimap.width() - EDGE, height - self.minimap.height() - EDGE
        )
        if self.hint.isVisible():
            self.hint.place()

    def boxes(self) -> list[QRectF]:
        """Where names would be covered."""
        always: list[QWidget] = [self.legend, self.tools]
        sometimes: list[QWidget] = [
            self.legend_card, self.minimap, self.hint, self.card, self.clear_filter,
        ]  # fmt: skip
        shown = [*always, *(widget for widget in sometimes if not widget.isHidden())]
        return [QRectF(widget.geometry()) for widget in shown]
