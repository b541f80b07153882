"""Says that faults of the window strike agents, too: what goes wrong, for whom, and how it ends.

A person who debugged yesterday would else not know why an agent is told of failures today.
"""

from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.presentation.debug_words import describe_fault
from toolplanner_core.words.formatting import counted
from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import ElidedLabel, IconLabel


class ServedFaults(QWidget):
    """One line with its two buttons; takes no room while no fault is switched on."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.says = ElidedLabel()
        self.off_button = push_button("Switch off", self._switch_off, role="link")
        self.show_button = push_button("Show", self._show, role="link")
        self.show_button.setToolTip("Show them among breakpoints and faults")
        icon = IconLabel(make_icon("lightning-bolt", "fell_back"))
        parts = (icon, (self.says, 1), self.off_button, self.show_button)
        row_of(*parts, of=self, gap=GAP)
        context.debug.faults_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say which faults are on, and how often they struck."""
        active, fired = self._context.debug.faults.active, self._context.debug.fired
        said = [describe_fault(parse_fault(text)) for text in active]
        struck = sum(fired[text] for text in active)
        if said:
            more = f" and {counted(len(said) - 1, 'more fault')}" if len(said) > 1 else ""
            tail = f" · struck {counted(struck, 'call')}" if struck else ""
            whose = "Your faults strike every agent served here"
            self.says.set_text(f"{whose}: {said[0]}{more}", tail=tail)
            self.says.setToolTip(plain_tooltip("\n".join((f"{whose}:", *said))))
        self.setVisible(bool(said))

    def _switch_off(self) -> None:
        self._context.debug.faults.switch(is_on=False)

    def _show(self) -> None:
        self._context.shell.call_panel(panel_commands.focus_faults)
