"""The form of a fault: what goes wrong, for which calls, how often."""

from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.faults import FaultKind, FaultRule, parse_fault
from toolplanner_core.runs.telling.debug_words import FAULT_WORDS, say_fault
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.rule_dialog import RuleDialog

_TARGETS = {"all": "All calls", "api": "Calls of an API", "toolkit": "Calls in a toolkit"}
_OFTEN = {
    "": "Every call",
    "once": "Only the next calls, then no more",
    "next": "Only the first calls of each run",
    "every": "Each so many-th call",
    "p": "By chance",
}
_NUMBERED = ("once", "next", "every")
_WITH_SECONDS = (FaultKind.SLOW, FaultKind.RATE_LIMITED)


class FaultDialog(RuleDialog):
    """Writes a fault."""

    def __init__(self, context: AppContext, parent: QWidget, text: str = "") -> None:
        rules = context.debug.faults
        super().__init__(context, parent, text, noun="fault", rules=rules, say=_say)
        rule = parse_fault(text or "500:all")
        kinds = {kind.value: words for kind, words in FAULT_WORDS.items()}
        self.kind = self.choice("What goes wrong", "What goes wrong", kinds, rule.kind.value)
        self.seconds = self.number("Later by", "Seconds", rule.after_s, 3600, unit=" s")
        target = "api" if rule.api else "toolkit" if rule.toolkit else "all"
        self.target = self.choice("Which calls", "Which calls", _TARGETS, target)
        self.name = self.line("Its name", "Name of the API or toolkit", rule.api or rule.toolkit)
        self.name.setPlaceholderText("A name; * stands for anything, as in Weather*")
        self.complete_names(self.name, target)
        self.often = self.choice("How often", "How often", _OFTEN, _often_of(rule))
        times = rule.next or rule.every or 1
        self.number_of = self.number("How many", "How many calls", times, 100_000, least=1)
        chance = (0.2 if rule.p is None else rule.p) * 100
        self.chance = self.number("Chance", "Chance in percent", round(chance), 100, unit=" %")
        seed = "Seed: the same chance in every run"
        self.seed = self.number("Seed", seed, rule.seed, 1_000_000)
        self.target.currentIndexChanged.connect(
            lambda: self.complete_names(self.name, str(self.target.currentData()))
        )
        self.check()

    @property
    def text(self) -> str:
        target, often = str(self.target.currentData()), str(self.often.currentData())
        name = self.name.text().strip().replace('"', "?")
        parts = ["all" if target == "all" else f'{target}="{name}"']
        if often in _NUMBERED:
            name = "next" if often == "once" else often
            parts.append(f"{name}={self.number_of.value():.0f}")
            parts += ["once"] if often == "once" else []
        elif often == "p":
            parts += [f"p={self.chance.value() / 100:g}", f"seed={self.seed.value():.0f}"]
        if FaultKind(self.kind.currentData()) in _WITH_SECONDS:
            parts.append(f"after={self.seconds.value():g}")
        return f"{self.kind.currentData()}:{','.join(parts)}"

    def check(self) -> None:
        kind, often = FaultKind(self.kind.currentData()), self.often.currentData()
        for field, is_asked in (
            (self.seconds, kind in _WITH_SECONDS),
            (self.name, self.target.currentData() != "all"),
            (self.number_of, often in _NUMBERED),
            (self.chance, often == "p"),
            (self.seed, often == "p"),
        ):
            self.form.setRowVisible(field, is_asked)
        self._title(self.seconds, "Later by" if kind is FaultKind.SLOW else "Retry-After")
        self._title(self.number_of, "Each" if often == "every" else "How many")
        super().check()

    def words_for(self, error: BadInput) -> str:
        is_unnamed = not self.name.text().strip() and self.target.currentData() != "all"
        return "Name the API or toolkit." if is_unnamed else f"{error.what}."

    def _title(self, field: QWidget, words: str) -> None:
        label = self.form.labelForField(field)
        assert isinstance(label, QLabel)
        label.setText(words)


def _say(text: str) -> str:
    return say_fault(parse_fault(text))


def _often_of(rule: FaultRule) -> str:
    if rule.next is not None:
        return "once" if rule.is_once else "next"
    if rule.every is not None:
        return "every"
    return "p" if rule.p is not None else ""


PLUGIN = DialogPlugin(id="fault", make=FaultDialog)
