"""The panel of breakpoints and faults: two lists of rules side by side.

A list of rules that can be switched, added, changed and removed, with its keys and buttons.
Breakpoints and faults are such lists: each declares its words and says what stands in a row. Space
switches, Return or a double click changes, Delete removes, Insert adds.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSplitter, QWidget

from toolplanner_core.runs.debugging.saved_rules import SavedRule
from toolplanner_core.words.formatting import count
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.debug.rule_list import RuleList
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, on_menu, popup_menu
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWords:
    """What a list of rules declares.

    Attributes:
        noun: what a row is, such as "breakpoint".
        titles: of the columns, the last one for numbers.
        shares: of the columns after the first, of the whole width.
        room: a column, and the width below which it makes room for the others, as it does while it
            is empty; its words stand in the tooltip, too.
        icon_off, icon_empty: of the button that switches all off, of the empty list.
        empty, first: what an empty list says, and what its button says.
    """

    noun: str
    titles: tuple[str, ...]
    shares: dict[int, float]
    room: tuple[int, int]
    icon_off: str
    icon_empty: str
    empty: str
    first: str


class RulesView(Panel):
    """Shows a `RuleList` and changes it; a run that goes on follows at once."""

    def __init__(self, context: AppContext, words: RuleWords, rules: RuleList) -> None:
        super().__init__(context)
        self._words = words
        self._rules = rules
        self.unfit: dict[str, str] = {}
        """By text, why a rule fits nothing in the catalogue: a wrong name would go unnoticed."""
        rules.changed.connect(self._check)
        context.catalogue_changed.connect(self._check)
        noun = words.noun
        self.model = TableModel(words.titles, self, numbers=(len(words.titles) - 1,))
        self.empty = EmptyState(words.icon_empty)
        self.empty.say(words.empty, button=words.first, run=self.add_first)
        self.view = QuietTree(f"{noun.capitalize()}s", is_flat=True)
        self.view.set_model(self.model, {}, shares=words.shares)
        mode = QHeaderView.ResizeMode
        self.view.header().setSectionResizeMode(0, mode.Stretch)
        self.view.header().setSectionResizeMode(len(words.titles) - 1, mode.ResizeToContents)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        on_menu(self.view, self._show_menu)
        self.view.doubleClicked.connect(self._on_double_clicked)
        self.add = icon_button("plus", f"Add a {noun} (Insert)", lambda: self.edit(""))
        self.all = icon_button(words.icon_off, f"Switch all {noun}s off", self._switch_all)
        self._actions = [
            self._action(self, f"Add a {noun} …", "Insert", lambda: self.edit("")),
            # Of the list alone: Return on the button of an empty list presses the button.
            self._action(self.view, f"Change the {noun} …", "Return", self._edit_selected),
            self._action(self.view, f"Remove the {noun}", "Delete", self.remove_selected),
        ]
        self._pages = pages_of(self.empty, self.view)
        title = text_label(f"{noun.capitalize()}s", role="section")
        head = row_of((title, 1), self.add, self.all, margins=(EDGE, SPACE, SPACE, 0))
        column_of(head, (self._pages, 1), of=self, gap=0)
        self._check()
        self.model.switched.connect(lambda text, is_on: rules.switch(text, is_on=is_on))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the columns the room there is."""
        super().resizeEvent(event)
        self._give_room()

    def _give_room(self) -> None:
        """Where it is narrow, what a rule is about comes before how often or on what condition;
        and wherever no rule says any of that."""
        column, least = self._words.room
        is_empty = not any(
            self.model.index(row, column).data() for row in range(len(self._rules.items))
        )
        self.view.setColumnHidden(column, self.width() < least or is_empty)

    def edit(self, text: str) -> None:
        """Open the form of a rule; "" makes a new one."""
        raise NotImplementedError

    def add_first(self) -> None:
        """What the button of the empty list does."""
        self.edit("")

    def row(self, rule: SavedRule) -> Row:
        """What is shown of a rule; its text is the key."""
        raise NotImplementedError

    def note(self, rule: SavedRule) -> str:
        """What stands behind the target of a rule that fits nothing."""
        return " · fits nothing here" if rule.text in self.unfit else ""

    def focus_list(self) -> None:
        """Put the keyboard into the list, or on the button that fills it."""
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))
        (self.view if self.model.rowCount() else self.empty).setFocus()

    def refresh(self) -> None:
        """Show the rules, or what to do while there are none; name the button by what it does."""
        items = self._rules.items
        self.setEnabled(self.context.workspace is not None)
        self.model.update_rows([self.row(rule) for rule in items])
        self._give_room()
        self._pages.setCurrentWidget(self.view if items else self.empty)
        self.all.setEnabled(bool(items))
        name = f"Switch all {self._words.noun}s {'off' if self._rules.active else 'on'}"
        self.all.setToolTip(name)
        self.all.setAccessibleName(name)

    def remove_selected(self) -> None:
        """Take the selected rules away."""
        if self.selected():
            self._rules.remove(self.selected())

    def selected(self) -> list[str]:
        """Texts of the selected rules."""
        return [str(i.data(KEY_ROLE)) for i in self.view.selectionModel().selectedRows()]

    def _check(self) -> None:
        workspace, texts = self.context.workspace, [rule.text for rule in self._rules.items]
        if workspace is not None and texts:

            def read() -> dict[str, str]:
                from toolplanner_core.runs.debugging.saved_rules import warn_of_rules

                return warn_of_rules(workspace, self._rules.kind, texts)

            self.newest.ask(read, self._show_unfit, self.context.report)

    def _show_unfit(self, unfit: dict[str, str]) -> None:
        if unfit != self.unfit:
            self.unfit = unfit
            self.refresh()

    def _action(self, owner: QWidget, title: str, key: str, run: Callable[[], object]) -> QAction:
        action = QAction(title, self)
        action.setShortcut(QKeySequence.fromString(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _=False: run())
        owner.addAction(action)
        return action

    def _show_menu(self, _place: QPoint, at: QPoint) -> None:
        menu = popup_menu(self)
        add, edit, remove = self._actions
        edit.setEnabled(len(self.selected()) == 1)
        remove.setEnabled(bool(self.selected()))
        menu.addActions([edit, remove])
        menu.addSeparator()
        menu.addAction(add)
        menu.aboutToHide.connect(self._enable_keys)
        menu.popup(at)

    def _enable_keys(self) -> None:
        for action in self._actions:
            action.setEnabled(True)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.edit(str(index.data(KEY_ROLE)))

    def _edit_selected(self) -> None:
        if len(self.selected()) == 1:
            self.edit(self.selected()[0])

    def _switch_all(self) -> None:
        self._rules.switch(is_on=not self._rules.active)


_WORDS = RuleWords(
    noun="breakpoint",
    titles=("Stops when", "Condition", "Hits in all"),
    shares={1: 0.3},
    room=(1, 360),
    icon_off="circle-off-outline",
    icon_empty="circle-outline",
    empty="Hold a run where it gets interesting.",
    first="Break when a toolkit is exhausted",
)


class BreakpointRules(RulesView):
    """Shows `context.debug.breakpoints`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, _WORDS, context.debug.breakpoints)
        context.debug.breakpoints_changed.connect(self.refresh)
        self.refresh()

    def row(self, rule: SavedRule) -> Row:
        from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
        from toolplanner_core.runs.presentation.debug_words import describe_breakpoint, what_of

        item = parse_breakpoint(rule.text)
        icon, token = ("message-text-outline", "fell_back") if item.log else ("circle", "failed")
        conditions = [item.parts["if"]] if "if" in item.parts else []
        if item.parts.get("hits", "1") != "1":
            conditions.append(f"from hit {item.parts['hits']} on")
        if item.log:
            conditions.append(f"says “{item.log}”")
        hits = count(self.context.debug.hits_of(rule.text))
        return Row(
            cells=(f"{what_of(item.parts)}{self.note(rule)}", ", ".join(conditions), hits),
            key=rule.text,
            is_on=rule.is_on,
            icon=lambda: make_icon(icon, token if rule.is_on else "waiting"),
            tooltip="\n".join(
                filter(None, (describe_breakpoint(item), rule.text, self.unfit.get(rule.text)))
            ),
        )

    def edit(self, text: str) -> None:
        self.context.shell.open(dialog_commands.edit_breakpoint, text=text)

    def add_first(self) -> None:
        self.context.debug.breakpoints.put("failure=exhausted")


_FAULT_WORDS = RuleWords(
    noun="fault",
    titles=("Fault", "Of", "How often", "Struck"),
    shares={1: 0.3, 2: 0.24},
    room=(2, 460),
    icon_off="flash-off-outline",
    icon_empty="lightning-bolt-outline",
    empty="Make calls fail, and see how the plan copes.",
    first="Add a fault",
)


class FaultRules(RulesView):
    """Shows `context.debug.faults`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, _FAULT_WORDS, context.debug.faults)
        context.debug.faults_changed.connect(self.refresh)
        self.refresh()

    def row(self, rule: SavedRule) -> Row:
        from toolplanner_core.runs.debugging.faults import parse_fault
        from toolplanner_core.runs.presentation.debug_words import (
            FAULT_WORDS,
            describe_fault,
            how_often,
            target_words,
        )

        fault = parse_fault(rule.text)
        struck = self.context.debug.fired.get(rule.text, 0)
        return Row(
            cells=(
                FAULT_WORDS[fault.kind],
                f"{target_words(fault)}{self.note(rule)}",
                how_often(fault),
                count(struck) if struck else "",
            ),
            key=rule.text,
            is_on=rule.is_on,
            icon=lambda: make_icon("lightning-bolt", "fell_back" if rule.is_on else "waiting"),
            tooltip="\n".join(
                filter(None, (describe_fault(fault), rule.text, self.unfit.get(rule.text)))
            ),
        )

    def edit(self, text: str) -> None:
        self.context.shell.open(dialog_commands.edit_fault, text=text)


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
