"""The breakpoints of the workspace: what each stops at, how often it was met, on or off."""

from collections.abc import Sequence

from PySide6.QtWidgets import QToolButton, QVBoxLayout

from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.telling.debug_words import say_breakpoint, what_of
from toolplanner_core.words.wording import count
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.viewmodels.debug.saved_breakpoints import EXHAUSTED
from toolplanner_gui.viewmodels.switch_table import SwitchTableModel
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row
from toolplanner_gui.widgets.switch_list import SwitchList

_COLUMNS = Columns(titles=("Stops when", "Condition", "Hits"), numbers=frozenset({2}))


class BreakpointsPanel(Panel):
    """Lists `context.debug.breakpoints` and changes them; a run that goes on follows at once."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.model = SwitchTableModel(_COLUMNS, self)
        self.list = SwitchList(
            self.model,
            key_role=KEY_ROLE,
            name="Breakpoints",
            noun="breakpoint",
            shares={1: 0.34, 2: 0.1},
        )
        breakpoints = context.debug.breakpoints
        self.list.empty.say(
            "Hold a run where it gets interesting.",
            button="Break when a toolkit is exhausted",
            run=self._break_when_exhausted,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.list.add_clicked.connect(lambda: self._edit(""))
        self.list.edit_clicked.connect(self._edit)
        self.list.remove_clicked.connect(breakpoints.remove)
        self.list.all_switched.connect(lambda is_on: breakpoints.switch_all(is_on=is_on))
        self.model.switched.connect(lambda text, is_on: breakpoints.switch(text, is_on=is_on))
        context.debug.breakpoints_changed.connect(self._refresh)
        context.workspace_changed.connect(self._refresh)
        self.retheme()
        self._refresh()

    def buttons(self) -> Sequence[QToolButton]:
        return self.list.buttons

    def retheme(self) -> None:
        self.list.set_icons(
            add=self.icon("plus"),
            all_off=self.icon("circle-off-outline"),
            empty=self.icon("circle-outline"),
        )
        self.list.view.viewport().update()

    def focus_list(self) -> None:
        """Put the keyboard into the list."""
        self.list.focus()

    def _refresh(self) -> None:
        self.setEnabled(self.context.workspace is not None)
        items = self.context.debug.breakpoints.items
        on = frozenset(item.text for item in items if item.is_on)
        self.model.show_rows([self._row(item) for item in items], on)

    def _row(self, item: Breakpoint) -> Row:
        icon, token = ("message-text-outline", "fell_back") if item.log else ("circle", "failed")
        conditions = [item.parts[name] for name in ("if",) if name in item.parts]
        if item.parts.get("hits", "1") != "1":
            conditions.append(f"from hit {item.parts['hits']} on")
        if item.log:
            conditions.append(f"says “{item.log}”")
        is_on = item.is_on
        return Row(
            cells=(
                what_of(item.parts),
                ", ".join(conditions),
                count(self.context.debug.hits_of(item.text)),
            ),
            key=item.text,
            icon=lambda: self.icon(icon, token if is_on else "waiting"),
            tooltip=f"{say_breakpoint(item)}\n{item.text}",
        )

    def _edit(self, text: str) -> None:
        if self.context.shell is not None:
            self.context.shell.show_breakpoint(text)

    def _break_when_exhausted(self) -> None:
        self.context.debug.breakpoints.put(EXHAUSTED)


PLUGIN = PanelPlugin(
    id="breakpoints",
    title="Breakpoints",
    icon="circle-outline",
    area="bottom",
    order=8,
    make=BreakpointsPanel,
)
