"""The forms of a breakpoint and of a fault: written by fields, checked while they are written."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import (
    AS_TEXT,
    never_known,
    parse_breakpoint,
    write_breakpoint,
)
from toolplanner_core.runs.debugging.faults import FaultKind, FaultRule, parse_fault
from toolplanner_core.runs.presentation.debug_words import (
    FAULT_WORDS,
    describe_breakpoint,
    describe_fault,
    failure_words_of_breakpoints,
)
from toolplanner_core.runs.presentation.node_subject import api_titles
from toolplanner_core.strategies.interface.strategy import stop_points
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug.rule_list import RuleList
from toolplanner_gui.widgets.box_layouts import add_field, form_of, page_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import compact_spin_box
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

if TYPE_CHECKING:
    from toolplanner_core.runs.debugging.saved_rules import Unknown

_WIDTH = 560
_LINES = 3
"""For which there is always room below the form."""


class RuleDialog(Dialog):
    """Adds a rule, or changes the one of the given text.

    Args:
        text: the rule to change, "" for a new one.
        noun: what it is, such as "fault".
        rules: where it is put.
        say: the rule as a sentence; raises BadInput for what is none.
    """

    def __init__(
        self,
        context: AppContext,
        parent: QWidget,
        text: str,
        *,
        noun: str,
        rules: RuleList,
        say: Callable[[str], str],
    ) -> None:
        super().__init__(context, parent, f"Change a {noun}" if text else f"New {noun}")
        self._rules = rules
        self._say = say
        self._old = text
        self.form = form_of()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._preview = text_label(role="dim", is_wrapped=True)
        self._fitting = LatestRequest(context.tasks, self)
        said = page_of(self._problem, self._preview, 1)
        # The button must not move from under the hand that is about to press it.
        said.setMinimumHeight(_LINES * self.fontMetrics().lineSpacing())
        self._save = push_button("Save" if text else "Add", self.accept, role="primary")
        self.add(self.banner, self.form, said, 1)
        self.add_buttons(self._save)
        self.setMinimumWidth(_WIDTH)

    @property
    def text(self) -> str:
        """The rule as it is written now.

        Raises:
            BadInput: it is none.
        """
        raise NotImplementedError

    @property
    def preview(self) -> str:
        """What the rule does, and what speaks against it."""
        return self._preview.text()

    @property
    def problem(self) -> str:
        """What is wrong with what is written, "" if nothing is."""
        return self._problem.text()

    def accept(self) -> None:
        """Store the rule and close; stays open while something is wrong."""
        try:
            self._rules.put(self.text, instead_of=self._old or None)
        except BadInput as error:
            self._tell(problem=self.words_for(error))
            return
        super().accept()

    def words_for(self, error: BadInput) -> str:
        """What is wrong, in the words of the form."""
        return error.short

    def check(self) -> None:
        """Say what is written, or what is wrong with it; each change of a field calls it."""
        self._fitting.forget()
        try:
            text = self.text
            said = f"{self._say(text)}."
        except BadInput as error:
            self._tell(problem=self.words_for(error))
            return
        self._tell(preview=said)
        workspace, kind = self.context.workspace, self._rules.kind
        if workspace is not None:

            def unknown() -> "Unknown | None":
                from toolplanner_core.runs.debugging.saved_rules import unknown_targets

                return unknown_targets(workspace, kind, [text]).get(text)

            self._fitting.ask(unknown, lambda found: self._warn(said, found))

    def _warn(self, said: str, unknown: "Unknown | None") -> None:
        """Say beside what it does that it names what is not there, or not yet."""
        if unknown is not None:
            words = unknown.words
            self._tell(preview=f"{said} Note: {words[:1].upper()}{words[1:]}.")

    def choice(self, title: str, name: str, entries: Mapping[str, str], chosen: str) -> QComboBox:
        """A row of the form: one of some entries, words by key."""
        combo = QComboBox()
        for key, words in entries.items():
            combo.addItem(words, key)
        combo.setCurrentIndex(max(0, combo.findData(chosen)))
        combo.currentIndexChanged.connect(self.check)
        self._add(title, name, combo)
        return combo

    def line(self, title: str, name: str, text: str, *, placeholder: str = "") -> QLineEdit:
        """A row of the form: a text."""
        field = QLineEdit(text)
        field.setPlaceholderText(placeholder)
        field.textChanged.connect(self.check)
        self._add(title, name, field)
        return field

    def number(
        self, title: str, name: str, value: float, most: int, *, least: int = 0, unit: str = ""
    ) -> QDoubleSpinBox:
        """A row of the form: a number, whole unless it is seconds."""
        spin = QDoubleSpinBox()
        spin.setDecimals(2 if unit == " s" else 0)
        spin.setRange(least, most)
        spin.setSuffix(unit)
        spin.setValue(value)
        spin.valueChanged.connect(self.check)
        compact_spin_box(spin)
        self._add(title, name, spin)
        return spin

    def complete_names(self, field: QLineEdit, kind: str) -> None:
        """Propose names of APIs ("api") or toolkits, wherever in them the typed text stands."""
        context = self.context
        names: Iterable[str] = (
            api_titles(context.run_view.nodes)
            if kind == "api"
            else (toolkit.name for toolkit in context.catalogue.toolkits)
        )
        completer = QCompleter(sorted(names), field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        field.setCompleter(completer)

    def _add(self, title: str, name: str, field: QWidget) -> None:
        field.setAccessibleName(name)
        add_field(self.form, title, field)

    def _tell(self, *, problem: str = "", preview: str = "") -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._preview.setText(preview)
        self._preview.setVisible(bool(preview))
        self._save.setEnabled(not problem)


_FIELDS = (
    "Fields: error, message, toolkit, api, tool, risk, arguments.NAME, value.NAME, data.NAME,"
    " question, title, kind, point, path.\n"
    "Words: and, or, not, in, == != < <= > >=, ( ), [ ], true, false, null."
)


class BreakpointDialog(RuleDialog):
    """Writes a breakpoint."""

    def __init__(self, context: AppContext, parent: QWidget, text: str = "") -> None:
        rules = context.debug.breakpoints
        super().__init__(context, parent, text, noun="breakpoint", rules=rules, say=_say)
        parts = dict(parse_breakpoint(text).parts) if text else {"at": "before_call"}
        event = next((f"{name}={parts[name]}" for name in ("failure", "at") if name in parts), "")
        kinds = _any_of(point.kind for point in stop_points().values())

        def line(title: str, name: str, part: str, placeholder: str) -> QLineEdit:
            return self.line(title, name, parts.get(part, ""), placeholder=placeholder)

        self.event_choice = self.choice("Stop when", "When it stops", _events(), event)
        self.api = line("API", "API", "api", "Any; * stands for anything, as in Weather*")
        self.toolkit = line("Toolkit", "Toolkit", "toolkit", "Any")
        self.complete_names(self.api, "api")
        self.complete_names(self.toolkit, "toolkit")
        self.kind = self.choice("Kind of node", "Kind of node", kinds, parts.get("kind", ""))
        self.risk = self.choice("Risk", "Risk", _any_of(Risk), parts.get("risk", ""))
        self.argument = line(
            "With the argument", "Argument", "arg", "Any; a path such as location.city"
        )
        self.client = line("Of the agent", "Agent", "client", "Any run; such as Cursor*")
        self.condition = line("Only if", "Condition", "if", 'None; such as error == "timeout"')
        self.condition.setToolTip(_FIELDS)
        hits = int(parts.get("hits", "1"))
        self.hits = self.number("From hit number", "From which hit on", hits, 1_000_000, least=1)
        self.log = line(
            "Say, do not stop",
            "Say instead of stopping",
            "log",
            "Stops; a text such as {title}: {error}",
        )
        self.check()

    @property
    def text(self) -> str:
        name, _, value = str(self.event_choice.currentData()).partition("=")
        hits = self.hits.value()
        return write_breakpoint(
            {
                "api": self.api.text().strip(),
                "toolkit": self.toolkit.text().strip(),
                "kind": str(self.kind.currentData()),
                "risk": str(self.risk.currentData()),
                "arg": self.argument.text().strip(),
                "client": self.client.text().strip(),
                **({name: value} if value else {}),
                "if": self.condition.text().strip(),
                "hits": f"{hits:.0f}" if hits > 1 else "",
                "log": self.log.text().strip(),
            }
        )

    def words_for(self, error: BadInput) -> str:
        return f"{error.what}." if error.todo == AS_TEXT else error.short


def _say(text: str) -> str:
    item = parse_breakpoint(text)
    said, empty = describe_breakpoint(item), never_known(item.parts)
    if not empty:
        return said
    verb = "is" if len(empty) == 1 else "are"
    return f"{said}. Note: {' and '.join(empty)} {verb} not known yet at this place"


def _any_of(values: Iterable[str]) -> dict[str, str]:
    return {"": "Any"} | {str(value): str(value).capitalize() for value in values}


def _events() -> dict[str, str]:
    """What a breakpoint may be about: every declared stop point, and the failures."""
    found = {f"at={p.id}": p.event for p in stop_points().values() if not p.failure}
    failures = failure_words_of_breakpoints()
    found |= {f"failure={name}": words for name, words in failures.items()}
    return {key: f"{words[:1].upper()}{words[1:]}" for key, words in found.items()} | {
        "": "Any of these, except failures"
    }


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
        super().__init__(context, parent, text, noun="fault", rules=rules, say=_fault_say)
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


def _fault_say(text: str) -> str:
    return describe_fault(parse_fault(text))


def _often_of(rule: FaultRule) -> str:
    if rule.next is not None:
        return "once" if rule.is_once else "next"
    if rule.every is not None:
        return "every"
    return "p" if rule.p is not None else ""


PLUGINS = (
    DialogPlugin.of(dialog_commands.edit_breakpoint, BreakpointDialog),
    DialogPlugin.of(dialog_commands.edit_fault, FaultDialog),
)
