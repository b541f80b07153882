"""The form of a fault: what goes wrong, for which calls, how often."""

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.faults import FaultKind, FaultRule, parse_fault
from toolplanner_core.runs.telling.debug_words import FAULT_WORDS, say_fault
from toolplanner_core.runs.telling.node_subject import api_titles
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.name_completer import name_completer
from toolplanner_gui.widgets.number_field import quiet_number
from toolplanner_gui.windows.dialog import Dialog

_TARGETS = {"all": "All calls", "api": "Calls of an API", "toolkit": "Calls in a toolkit"}
_OFTEN = {
    "": "Every call",
    "next": "Only the next calls",
    "every": "Each so many-th call",
    "p": "By chance",
}
_WITH_SECONDS = (FaultKind.SLOW, FaultKind.RATE_LIMITED)
_WIDTH = 480


class FaultDialog(Dialog):
    """Adds a fault, or changes the one of the given text."""

    def __init__(self, context: AppContext, parent: QWidget, text: str = "") -> None:
        super().__init__(context, parent, "Change a fault" if text else "New fault")
        self._text = text
        rule = parse_fault(text or "500:all")
        self.kind = _combo("What goes wrong", {k.value: words for k, words in FAULT_WORDS.items()})
        self.kind.setCurrentIndex(self.kind.findData(rule.kind.value))
        self.target = _combo("Which calls", _TARGETS)
        chosen = "api" if rule.api else "toolkit" if rule.toolkit else "all"
        self.target.setCurrentIndex(self.target.findData(chosen))
        self.name = QLineEdit(rule.api or rule.toolkit)
        self.name.setAccessibleName("Name of the API or toolkit")
        names = [toolkit.name for toolkit in context.catalogue.toolkits]
        self._toolkits = name_completer(names, self.name)
        self._apis = name_completer(api_titles(context.run_view.nodes), self.name)
        self.often = _combo("How often", _OFTEN)
        self.often.setCurrentIndex(self.often.findData(_often_of(rule)))
        self.number = QSpinBox()
        self.number.setRange(1, 100_000)
        self.number.setAccessibleName("How many calls")
        self.number.setValue(rule.next or rule.every or 1)
        self.chance = QSpinBox()
        self.chance.setRange(0, 100)
        self.chance.setSuffix(" %")
        self.chance.setAccessibleName("Chance in percent")
        self.chance.setValue(round((0.2 if rule.p is None else rule.p) * 100))
        self.seed = QSpinBox()
        self.seed.setRange(0, 1_000_000)
        self.seed.setAccessibleName("Seed: the same chance in every run")
        self.seed.setValue(rule.seed)
        self.seconds = QDoubleSpinBox()
        self.seconds.setRange(0, 3600)
        self.seconds.setSuffix(" s")
        self.seconds.setAccessibleName("Seconds")
        self.seconds.setValue(rule.after_s)
        for spin in (self.number, self.chance, self.seed, self.seconds):
            quiet_number(spin)
        self._form = QFormLayout()
        self._seconds_label = QLabel()
        self._number_label = QLabel()
        self._problem = text_label(role="problem", is_wrapped=True)
        self._preview = text_label(role="dim", is_wrapped=True)
        self._save = push_button("Save" if text else "Add", self.accept, role="primary")
        self._lay_out()
        for combo in (self.kind, self.target, self.often):
            combo.currentIndexChanged.connect(self._check)
        for spin in (self.number, self.chance, self.seed, self.seconds):
            spin.valueChanged.connect(self._check)
        self.name.textChanged.connect(self._check)
        self._check()

    @property
    def text(self) -> str:
        """The fault as it is written now."""
        target = str(self.target.currentData())
        name = self.name.text().strip().replace('"', "?")
        parts = ["all" if target == "all" else f'{target}="{name}"']
        often = str(self.often.currentData())
        if often in ("next", "every"):
            parts.append(f"{often}={self.number.value()}")
        elif often == "p":
            parts += [f"p={self.chance.value() / 100:g}", f"seed={self.seed.value()}"]
        if FaultKind(self.kind.currentData()) in _WITH_SECONDS:
            parts.append(f"after={self.seconds.value():g}")
        return f"{self.kind.currentData()}:{','.join(parts)}"

    @property
    def problem(self) -> str:
        """What is wrong with what is written, "" if nothing is."""
        return self._problem.text()

    def accept(self) -> None:
        """Store the fault and close; stays open while something is wrong."""
        try:
            self.context.debug.faults.put(self.text, instead_of=self._text or None)
        except BadInput as error:
            self._say_problem(error)
            return
        super().accept()

    def _lay_out(self) -> None:
        self._form.setSpacing(GAP)
        grow = QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow
        self._form.setFieldGrowthPolicy(grow)
        self._form.addRow("What goes wrong", self.kind)
        self._form.addRow(self._seconds_label, self.seconds)
        self._form.addRow("Which calls", self.target)
        self._form.addRow("Its name", self.name)
        self._form.addRow("How often", self.often)
        self._form.addRow(self._number_label, self.number)
        self._form.addRow("Chance", self.chance)
        self._form.addRow("Seed", self.seed)
        self.column.addWidget(self.banner)
        self.column.addLayout(self._form)
        self.column.addWidget(self._problem)
        self.column.addWidget(self._preview)
        self.column.addStretch(1)
        self.add_buttons(self._save)
        self.setMinimumWidth(_WIDTH)

    def _check(self) -> None:
        kind = FaultKind(self.kind.currentData())
        target, often = str(self.target.currentData()), str(self.often.currentData())
        self._form.setRowVisible(self.seconds, kind in _WITH_SECONDS)
        self._seconds_label.setText("Later by" if kind is FaultKind.SLOW else "Retry-After")
        self._form.setRowVisible(self.name, target != "all")
        self.name.setPlaceholderText("A name; * stands for anything, as in Weather*")
        self.name.setCompleter(self._toolkits if target == "toolkit" else self._apis)
        self._form.setRowVisible(self.number, often in ("next", "every"))
        self._number_label.setText("How many" if often == "next" else "Each")
        for spin in (self.chance, self.seed):
            self._form.setRowVisible(spin, often == "p")
        try:
            rule = parse_fault(self.text)
        except BadInput as error:
            self._say_problem(error)
            return
        self._problem.hide()
        self._problem.clear()
        self._preview.setText(f"{say_fault(rule)}.")
        self._preview.show()
        self._save.setEnabled(True)

    def _say_problem(self, error: BadInput) -> None:
        is_unnamed = not self.name.text().strip() and self.target.currentData() != "all"
        self._problem.setText("Name the API or toolkit." if is_unnamed else f"{error.what}.")
        self._problem.show()
        self._preview.hide()
        self._save.setEnabled(False)


def _often_of(rule: FaultRule) -> str:
    if rule.next is not None:
        return "next"
    if rule.every is not None:
        return "every"
    return "p" if rule.p is not None else ""


def _combo(name: str, entries: dict[str, str]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for key, words in entries.items():
        combo.addItem(words, key)
    return combo
