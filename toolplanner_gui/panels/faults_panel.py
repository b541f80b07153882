"""The fault plan of the workspace: which calls are made to fail, how, and how often they were."""

from collections.abc import Sequence

from PySide6.QtWidgets import QToolButton, QVBoxLayout

from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.telling.debug_words import (
    FAULT_WORDS,
    how_often,
    say_fault,
    target_words,
)
from toolplanner_core.words.wording import count
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.viewmodels.switch_table import SwitchTableModel
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row
from toolplanner_gui.widgets.switch_list import SwitchList

_COLUMNS = Columns(titles=("Fault", "Of", "How often", "Struck"), numbers=frozenset({3}))


class FaultsPanel(Panel):
    """Lists `context.debug.faults` and changes them; a run that goes on follows at once."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.model = SwitchTableModel(_COLUMNS, self)
        self.list = SwitchList(
            self.model,
            key_role=KEY_ROLE,
            name="Faults",
            noun="fault",
            shares={1: 0.34, 2: 0.22, 3: 0.1},
        )
        faults = context.debug.faults
        self.list.empty.say(
            "Make calls fail, and see how the plan copes.", button="Add a fault", run=self._add
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.list.add_clicked.connect(self._add)
        self.list.edit_clicked.connect(self._edit)
        self.list.remove_clicked.connect(faults.remove)
        self.list.all_switched.connect(lambda is_on: faults.switch_all(is_on=is_on))
        self.model.switched.connect(lambda text, is_on: faults.switch(text, is_on=is_on))
        self._unfit: dict[str, str] = {}
        faults.changed.connect(self._check)
        context.catalogue_changed.connect(self._check)
        context.debug.faults_changed.connect(self._refresh)
        context.workspace_changed.connect(self._refresh)
        self.retheme()
        self._refresh()
        self._check()

    def buttons(self) -> Sequence[QToolButton]:
        return self.list.buttons

    def retheme(self) -> None:
        self.list.set_icons(
            add=self.icon("plus"),
            all_off=self.icon("flash-off-outline"),
            empty=self.icon("lightning-bolt-outline"),
        )
        self.list.view.viewport().update()

    def focus_list(self) -> None:
        """Put the keyboard into the list."""
        self.list.focus()

    def _refresh(self) -> None:
        self.setEnabled(self.context.workspace is not None)
        faults = self.context.debug.faults
        rows = [self._row(text, is_on=is_on) for text, is_on in faults.items.items()]
        self.model.show_rows(rows, frozenset(faults.active))

    def _check(self) -> None:
        """Find the faults that fit nothing in the catalogue: a wrong name would go unnoticed."""
        workspace = self.context.workspace
        if workspace is not None and self.context.debug.faults.items:
            self.context.tasks.spawn(self._read_unfit(workspace), owner=self)

    async def _read_unfit(self, workspace: Workspace) -> None:
        from toolplanner_core.runs.debugging.fault_targets import warn_of_faults

        texts = list(self.context.debug.faults.items)

        def read() -> dict[str, str]:
            found = {text: warn_of_faults(workspace, [text]) for text in texts}
            return {text: warnings[0] for text, warnings in found.items() if warnings}

        unfit = await self.context.tasks.in_thread(read)
        if unfit != self._unfit and workspace is self.context.workspace:
            self._unfit = unfit
            self._refresh()

    def _row(self, text: str, *, is_on: bool) -> Row:
        rule = parse_fault(text)
        struck = self.context.debug.fired.get(text, 0)
        unfit = self._unfit.get(text, "")
        return Row(
            cells=(
                FAULT_WORDS[rule.kind],
                f"{target_words(rule)} · fits nothing here" if unfit else target_words(rule),
                how_often(rule),
                count(struck) if struck else "",
            ),
            key=text,
            icon=lambda: self.icon("lightning-bolt", "fell_back" if is_on else "waiting"),
            tooltip=f"{say_fault(rule)}\n{text}" + (f"\n{unfit}" if unfit else ""),
        )

    def _add(self) -> None:
        self._edit("")

    def _edit(self, text: str) -> None:
        if self.context.shell is not None:
            self.context.shell.show_fault(text)


PLUGIN = PanelPlugin(
    id="faults",
    title="Faults",
    icon="lightning-bolt-outline",
    area="bottom",
    order=9,
    make=FaultsPanel,
)
