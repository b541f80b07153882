"""The buttons at the top right of the map: tools, zoom, fit, switches; visible ways for every key.

A column on a raised ground, opaque so that Qt leaves it out of the map's frames. Called by the
canvas.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QToolButton, QWidget

from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.map.overlay_cards import paint_card_background
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import ICON_SIZE, RADIUS, ROW_HEIGHT, SPACE, Tokens

_SIDE = ROW_HEIGHT + SPACE // 2
_STEP = _SIDE + SPACE // 2


class ButtonLook(NamedTuple):
    """A button as data.

    Attributes:
        name: what is emitted.
        kind: one of several tools, a command, or a switch.
        icon: name in the icon font.
        title: accessible name.
        hint: shown below the title, with the key.
    """

    name: str
    kind: Literal["tool", "command", "switch"]
    icon: str
    title: str
    hint: str


BUTTONS = (
    ButtonLook(
        "pan", "tool", "pan", "Move the map",
        "Drag moves the map, click selects an API,\n"
        "drag from the selection carries it onto a toolkit (H)",
    ),
    ButtonLook(
        "rectangle", "tool", "select-drag", "Select in a rectangle",
        "Drag. Shift adds, Alt removes, Ctrl turns round, Esc ends (R)",
    ),
    ButtonLook(
        "lasso", "tool", "lasso", "Select with a lasso",
        "Draw around APIs. Shift adds, Alt removes, Ctrl turns round, Esc ends (L)",
    ),
    ButtonLook("closer", "command", "plus", "Zoom in", "Zoom in (+)"),
    ButtonLook("farther", "command", "minus", "Zoom out", "Zoom out (-)"),
    ButtonLook(
        "fit", "command", "fit-to-screen-outline", "Show the whole map",
        "Once for most of it, again with outliers (0)",
    ),
    ButtonLook(
        "minimap", "switch", "picture-in-picture-bottom-right", "Overview in the corner",
        "Show where you are on the map (O)",
    ),
    ButtonLook(
        "contours", "switch", "chart-bubble", "Lines of density",
        "Show where APIs stand close together, of those that are shown (C)",
    ),
    ButtonLook(
        "hulls", "switch", "vector-polygon", "Outlines of toolkits",
        "Show where the toolkits in view lie; those that lie scattered have none (B)",
    ),
    ButtonLook(
        "plan", "switch", "map-marker-path", "Plan of the run",
        "Show the plan that is looked at as a path over its toolkits (P)",
    ),
)  # fmt: skip


class ToolButtons(QFrame):
    """A column of buttons.

    Signals:
        tool_chosen: a `Tool`.
        command_given: `closer`, `farther` or `fit`.
        switch_turned: name of a switch and whether it is on.
    """

    tool_chosen = Signal(str)
    command_given = Signal(str)
    switch_turned = Signal(str, bool)

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self.setObjectName("map_tools")
        # Qt then leaves this part out when the map below is drawn, and draws this only when needed.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._tokens = tokens
        self._rows = 0
        self._grid = layout = QGridLayout(self)
        layout.setContentsMargins(SPACE // 2, SPACE // 2, SPACE // 2, SPACE // 2)
        layout.setSpacing(SPACE // 2)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        for look in BUTTONS:
            button = QToolButton(self)
            hint = look.hint if look.hint.startswith(look.title) else f"{look.title}\n{look.hint}"
            button.setToolTip(hint)
            button.setAccessibleName(look.title)
            button.setIcon(make_icon(look.icon, "dim" if look.kind == "command" else "text"))
            button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
            button.setFixedSize(_SIDE, _SIDE)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setCheckable(look.kind != "command")
            if look.kind == "tool":
                self._group.addButton(button)
            self._connect(look, button)
            self._buttons[look.name] = button
        self.fit(len(BUTTONS) * _STEP)
        self._buttons["pan"].setChecked(True)
        self.set_tokens(tokens)

    def button(self, name: str) -> QToolButton:
        """The button of a tool, command or switch."""
        return self._buttons[name]

    def fit(self, height: int) -> None:
        """Stand in as many columns as it takes to be no higher than this, if one row may be."""
        rows = min(len(BUTTONS), max(1, (height - SPACE // 2) // _STEP))
        if rows != self._rows:
            self._rows = rows
            for place, button in enumerate(self._buttons.values()):
                self._grid.addWidget(button, place % rows, place // rows)
        self.adjustSize()

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the raised ground of the buttons, the colour of the map at its round corners."""
        paint_card_background(self, self._tokens).end()

    def _connect(self, look: ButtonLook, button: QToolButton) -> None:
        name = look.name
        if look.kind == "tool":
            button.clicked.connect(lambda: self.tool_chosen.emit(name))
        elif look.kind == "command":
            button.clicked.connect(lambda: self.command_given.emit(name))
        else:
            button.toggled.connect(lambda on: self.switch_turned.emit(name, on))
