"""The bar above everything: layouts, the query, how to run it, Run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from toolplanner_core.domain.cases import Case
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import LAYOUTS
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, ICON_SIZE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button, set_icon
from toolplanner_gui.widgets.input_fields import TextLine
from toolplanner_gui.windows.run_options import RunOptionsButton

if TYPE_CHECKING:
    # Loaded with all that can be chosen, when somebody looks at it.
    pass


_ROOM_FOR_NAMES = 1080
"""Width from which the buttons have their names, pixels."""
_RUNS = "Run the query (F5, Ctrl+Return). While a run is held, F5 continues it."
_STOPS = "Stop the run for good (Shift+F5)"


class QueryBar(QToolBar):
    """Emits `layout_chosen` with a layout's id, `run_clicked`, `step_clicked`, `stop_clicked`."""

    layout_chosen = Signal(str)
    run_clicked = Signal()
    step_clicked = Signal()
    """The run shall be held at its first stop point."""
    stop_clicked = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("Query", parent)
        self._context = context
        self.setObjectName("query-bar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._layouts = self._add_layouts()
        self.query = TextLine()
        self.query.setPlaceholderText("Ask something that needs tools (Ctrl+L)")
        self.query.setAccessibleName("Query")
        self.query.setMinimumWidth(160)
        self.query.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.query.returnPressed.connect(self.run_clicked)
        self._examples = QAction(make_icon("lightbulb-outline"), "Choose an example query", self)
        self._examples.triggered.connect(self._show_examples)
        self._examples.setVisible(False)
        self.query.addAction(self._examples, QLineEdit.ActionPosition.TrailingPosition)
        self._cases: Sequence[Case] = ()
        self.options = RunOptionsButton(context)
        set_icon(self.options, make_icon("tune-variant"))
        self.faults = push_button(
            "", lambda: context.shell.call_panel(panel_commands.focus_faults), role="link"
        )
        set_icon(self.faults, make_icon("lightning-bolt", "fell_back"))
        self.run = push_button("Run", self._on_run, role="primary")
        says, do = "Run the query, held at its first step (F10)", self.step_clicked.emit
        self.step = icon_button("debug-step-over", says, do, token="accent")
        self.step.setText("Step")
        self.step.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.step.setProperty("role", "field")
        middle = QWidget()
        parts = ((self.query, 1), self.options, self.faults, self.step, self.run)
        row_of(*parts, of=middle, margins=(EDGE, 0, GAP, 0), gap=GAP)
        self.addWidget(middle)

        context.debug.faults_changed.connect(self._show_faults)
        context.run_view.live_changed.connect(self._on_state_changed)
        self.query.textChanged.connect(self._on_state_changed)
        self.options.changed.connect(self._on_state_changed)
        self._on_state_changed()
        self._show_faults()

    def _add_layouts(self) -> dict[str, QToolButton]:
        buttons: dict[str, QToolButton] = {}
        group = QButtonGroup(self)
        group.setExclusive(True)
        for layout in LAYOUTS:
            button = QToolButton()
            button.setIcon(make_icon(layout.icon, "text"))
            button.setText(layout.title)
            button.setToolTip(f"{layout.title} ({layout.shortcut})")
            button.setAccessibleName(f"Layout {layout.title}")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setProperty("role", "tab")
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, i=layout.id: self.layout_chosen.emit(i))
            group.addButton(button)
            buttons[layout.id] = button
            self.addWidget(button)
        return buttons

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names of buttons go before the query or Run would."""
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        has_room = self.width() >= _ROOM_FOR_NAMES
        named = style.ToolButtonTextBesideIcon if has_room else style.ToolButtonIconOnly
        for button in (*self._layouts.values(), self.options, self.step):
            if button.toolButtonStyle() != named:
                button.setToolButtonStyle(named)

    def show_layout(self, layout: str) -> None:
        """Mark a layout as the one shown."""
        self._layouts[layout].setChecked(True)

    def set_examples(self, cases: Sequence[Case]) -> None:
        """The saved queries of the workspace, offered at the end of the query field."""
        self._cases = cases
        self._examples.setVisible(bool(cases))

    def run_first_example(self) -> None:
        """Put the first saved query into the field and run it."""
        if self._cases:
            self.query.setText(self._cases[0].query)
            self.run_clicked.emit()

    @property
    def has_examples(self) -> bool:
        """Whether the workspace has saved queries."""
        return bool(self._cases)

    def _show_examples(self) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for case in self._cases:
            action = menu.addAction(one_line(case.query, 90).replace("&", "&&"))
            action.setToolTip(plain_tooltip(f"{case.title}\n{case.query}"))
            action.triggered.connect(lambda _=False, q=case.query: self._on_example(q))
        menu.popup(self.query.mapToGlobal(self.query.rect().bottomLeft()))

    def _on_example(self, query: str) -> None:
        self.query.setText(query)
        self.query.setCursorPosition(0)
        self.query.setFocus(Qt.FocusReason.OtherFocusReason)

    def spec(self) -> RunSpec:
        """What stands in the bar.

        Raises:
            BadInput: an option does not fit.
        """
        return self.options.spec(self.query.text().strip())

    def _on_run(self) -> None:
        if self._context.run_view.is_live:
            self.stop_clicked.emit()
        else:
            self.run_clicked.emit()

    def _on_state_changed(self) -> None:
        is_live = self._context.run_view.is_live
        can_run = bool(self.query.text().strip()) and not self.options.problem
        self.run.setEnabled(is_live or can_run)
        self.step.setEnabled(not is_live and can_run)
        self.run.setText("Stop" if is_live else "Run")
        self.run.setToolTip(_STOPS if is_live else _RUNS)
        token = "on_accent" if self.run.isEnabled() else "waiting"
        set_icon(self.run, make_icon("stop" if is_live else "play", token))

    def _show_faults(self) -> None:
        """Say that calls will be made to fail, beside the button that makes them."""
        active = self._context.debug.faults.active
        words = f"{counted(len(active), 'fault')} active"
        self.faults.setText(words)
        self.faults.setAccessibleName(f"{words}: show the faults")
        self.faults.setToolTip("\n".join(("Calls are made to fail:", *active)))
        self.faults.setVisible(bool(active))
