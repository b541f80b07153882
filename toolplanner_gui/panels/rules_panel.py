"""Breakpoints beside faults: where a run shall hold, and which of its calls shall fail."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.rules.breakpoint_rules import BreakpointRules
from toolplanner_gui.panels.rules.fault_rules import FaultRules
from toolplanner_gui.widgets.boxes import column_of


class RulesPanel(Panel):
    """Two lists side by side."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.breakpoints, self.faults = BreakpointRules(context), FaultRules(context)
        sides = QSplitter(Qt.Orientation.Horizontal)
        sides.setChildrenCollapsible(False)
        for side in (self.breakpoints, self.faults):
            sides.addWidget(side)
        column_of(sides, of=self)

    @property
    def is_idle(self) -> bool:
        return super().is_idle and self.breakpoints.is_idle and self.faults.is_idle

    def focus_breakpoints(self) -> None:
        """Put the keyboard into the list of breakpoints, or on the button that fills it."""
        self.breakpoints.focus_list()

    def focus_faults(self) -> None:
        """As `focus_breakpoints`, of faults."""
        self.faults.focus_list()
