"""The form of a rule, a breakpoint or a fault: written by fields, checked while it is written."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.telling.node_subject import api_titles
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug.rule_list import RuleList
from toolplanner_gui.widgets.boxes import add_field, form_of, page_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import quiet_number
from toolplanner_gui.windows.dialog import Dialog

if TYPE_CHECKING:
    from toolplanner_core.runs.debugging.rule_targets import Unknown

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
        self._fitting = Newest(context.tasks, self)
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
                from toolplanner_core.runs.debugging.rule_targets import unknown_targets

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
        quiet_number(spin)
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
