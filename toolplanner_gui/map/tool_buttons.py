"""The buttons in the corner of the map: which tool the mouse holds, zoom and fit.

The tool in hand is a pressed button, so that it is seen and reached by the Tab key. Called by the
canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import ICON_SIZE, RADIUS, ROW_HEIGHT, SPACE, Tokens

BUTTONS = (
    ("pan", "pan", "Move the map: drag. Click selects an API"),
    ("rectangle", "select-drag", "Select in a rectangle: drag. Shift adds, Alt removes, Esc ends"),
    ("closer", "plus", "Zoom in (+)"),
    ("farther", "minus", "Zoom out (-)"),
    ("fit", "fit-to-screen-outline", "Show the whole map (0); again to include outliers"),
)
NAMES = {
    "pan": "Move the map",
    "rectangle": "Select in a rectangle",
    "closer": "Zoom in",
    "farther": "Zoom out",
    "fit": "Show the whole map",
}


class ToolButtons(QFrame):
    """A column of buttons.

    Signals:
        tool_chosen: `pan` or `rectangle`.
        command_given: `closer`, `farther` or `fit`.
    """

    tool_chosen = Signal(str)
    command_given = Signal(str)

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self.setObjectName("map_tools")
        # Qt then leaves this part out when the map below is drawn, and draws this only when needed.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._tokens = tokens
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE // 2, SPACE // 2, SPACE // 2, SPACE // 2)
        layout.setSpacing(SPACE // 2)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        for name, _icon, hint in BUTTONS:
            button = QToolButton(self)
            button.setToolTip(hint)
            button.setAccessibleName(NAMES[name])
            button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
            button.setFixedSize(ROW_HEIGHT + SPACE // 2, ROW_HEIGHT + SPACE // 2)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if name in ("pan", "rectangle"):
                button.setCheckable(True)
                self._group.addButton(button)
            self._buttons[name] = button
            layout.addWidget(button)
        self._buttons["pan"].setChecked(True)
        self._buttons["pan"].clicked.connect(self._on_pan_clicked)
        self._buttons["rectangle"].clicked.connect(self._on_rectangle_clicked)
        self._buttons["closer"].clicked.connect(self._on_closer_clicked)
        self._buttons["farther"].clicked.connect(self._on_farther_clicked)
        self._buttons["fit"].clicked.connect(self._on_fit_clicked)
        self.set_tokens(tokens)

    def button(self, name: str) -> QToolButton:
        """The button of a tool or command."""
        return self._buttons[name]

    def set_tool(self, tool: Tool) -> None:
        """Show which tool is in hand."""
        self._buttons[tool].setChecked(True)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self.setStyleSheet(
            f"#map_tools QToolButton {{ background: transparent; border: 1px solid transparent;"
            f" border-radius: {RADIUS - 1}px; padding: 0; }}"
            f"#map_tools QToolButton:hover {{ background: {tokens.hover}; }}"
            f"#map_tools QToolButton:checked {{ background: {tokens.selection}; }}"
            f"#map_tools QToolButton:focus {{ border-color: {tokens.accent}; }}"
        )
        for name, icon, _hint in BUTTONS:
            token = "text" if name in ("pan", "rectangle") else "dim"
            self._buttons[name].setIcon(make_icon(icon, tokens, token))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the raised ground of the buttons, the colour of the map at its round corners."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.map))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._tokens.line))
        painter.setBrush(QColor(self._tokens.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.end()

    def _on_pan_clicked(self) -> None:
        self.tool_chosen.emit("pan")

    def _on_rectangle_clicked(self) -> None:
        self.tool_chosen.emit("rectangle")

    def _on_closer_clicked(self) -> None:
        self.command_given.emit("closer")

    def _on_farther_clicked(self) -> None:
        self.command_given.emit("farther")

    def _on_fit_clicked(self) -> None:
        self.command_given.emit("fit")
