"""The fault plan of the workspace: which calls are made to fail, how, and how often they were."""

from toolplanner_core.runs.debugging.saved_rules import SavedRule
from toolplanner_core.words.wording import count
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.rules.rules_view import RulesView, RuleWords
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.table_model import Row

_WORDS = RuleWords(
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
        super().__init__(context, _WORDS, context.debug.faults)
        context.debug.faults_changed.connect(self.refresh)
        self.refresh()

    def row(self, rule: SavedRule) -> Row:
        from toolplanner_core.runs.debugging.faults import parse_fault
        from toolplanner_core.runs.telling.debug_words import (
            FAULT_WORDS,
            how_often,
            say_fault,
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
            tooltip=f"{say_fault(fault)}\n{rule.text}\n{self.unfit.get(rule.text, '')}".strip(),
        )

    def edit(self, text: str) -> None:
        self.context.shell.open("fault", text=text)
