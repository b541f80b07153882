"""The breakpoints of the workspace: what each stops at, how often it was met, on or off."""

from toolplanner_core.runs.debugging.saved_rules import SavedRule
from toolplanner_core.words.wording import count
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.rules.rules_view import RulesView, RuleWords
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.table_model import Row

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
        from toolplanner_core.runs.telling.debug_words import say_breakpoint, what_of

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
            tooltip=f"{say_breakpoint(item)}\n{rule.text}\n{self.unfit.get(rule.text, '')}".strip(),
        )

    def edit(self, text: str) -> None:
        self.context.shell.open("breakpoint", text=text)

    def add_first(self) -> None:
        self.context.debug.breakpoints.put("failure=exhausted")
