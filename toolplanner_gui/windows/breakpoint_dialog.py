"""The form of a breakpoint: where to stop, under which condition; checked while it is written."""

from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint, write_breakpoint
from toolplanner_core.runs.telling.debug_words import (
    failure_words_of_breakpoints,
    say_breakpoint,
)
from toolplanner_core.runs.telling.node_subject import api_titles
from toolplanner_core.strategies.declared import stop_points
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.name_completer import name_completer
from toolplanner_gui.widgets.number_field import quiet_number
from toolplanner_gui.windows.dialog import Dialog

_WIDTH = 560
_FIELDS = (
    "Fields: error, message, toolkit, api, tool, risk, arguments.NAME, value.NAME, data.NAME,"
    " question, title, kind, point, path.\n"
    "Words: and, or, not, in, == != < <= > >=, ( ), [ ], true, false, null."
)


class BreakpointDialog(Dialog):
    """Adds a breakpoint, or changes the one of the given text."""

    def __init__(self, context: AppContext, parent: QWidget, text: str = "") -> None:
        super().__init__(context, parent, "Change a breakpoint" if text else "New breakpoint")
        self._text = text
        parts = dict(parse_breakpoint(text).parts) if text else {"at": "before_call"}
        self.event_choice = _combo("When it stops")
        for key, words in _events().items():
            self.event_choice.addItem(words, key)
        event = _event_of(parts)
        self.event_choice.setCurrentIndex(max(0, self.event_choice.findData(event)))
        self.api = _field("API", "Any; * stands for anything, as in Weather*", parts.get("api", ""))
        names = [toolkit.name for toolkit in context.catalogue.toolkits]
        self.toolkit = _field("Toolkit", "Any", parts.get("toolkit", ""))
        self.toolkit.setCompleter(name_completer(names, self.toolkit))
        self.api.setCompleter(name_completer(api_titles(context.run_view.nodes), self.api))
        self.kind = _choice("Kind of node", _kinds(), parts.get("kind", ""))
        self.risk = _choice("Risk", ("", *Risk), parts.get("risk", ""))
        self.argument = _field(
            "Argument", "Any; a path such as location.city", parts.get("arg", "")
        )
        self.condition = _field(
            "Condition", 'None; such as error == "timeout"', parts.get("if", "")
        )
        self.condition.setToolTip(_FIELDS)
        self.hits = QSpinBox()
        self.hits.setRange(1, 1_000_000)
        quiet_number(self.hits)
        self.hits.setAccessibleName("From which hit on")
        self.hits.setValue(int(parts.get("hits", "1")))
        self.log = _field(
            "Say instead of stopping",
            "Stops; a text such as {title}: {error}",
            parts.get("log", ""),
        )
        self._problem = text_label(role="problem", is_wrapped=True)
        self._preview = text_label(role="dim", is_wrapped=True)
        self._save = push_button("Save" if text else "Add", self.accept, role="primary")
        self._lay_out()
        for field in (self.api, self.toolkit, self.argument, self.condition, self.log):
            field.textChanged.connect(self._check)
        for combo in (self.event_choice, self.kind, self.risk):
            combo.currentIndexChanged.connect(self._check)
        self.hits.valueChanged.connect(self._check)
        self._check()

    @property
    def text(self) -> str:
        """The breakpoint as it is written now.

        Raises:
            BadInput: it is none.
        """
        event = str(self.event_choice.currentData())
        name, _, value = event.partition("=")
        return write_breakpoint(
            {
                "api": self.api.text().strip(),
                "toolkit": self.toolkit.text().strip(),
                "kind": str(self.kind.currentData()),
                "risk": str(self.risk.currentData()),
                "arg": self.argument.text().strip(),
                **({name: value} if value else {}),
                "if": self.condition.text().strip(),
                "hits": str(self.hits.value()) if self.hits.value() > 1 else "",
                "log": self.log.text().strip(),
            }
        )

    @property
    def problem(self) -> str:
        """What is wrong with what is written, "" if nothing is."""
        return self._problem.text()

    def accept(self) -> None:
        """Store the breakpoint and close; stays open while something is wrong."""
        try:
            self.context.debug.breakpoints.put(self.text, instead_of=self._text or None)
        except BadInput as error:
            self._say_problem(error)
            return
        super().accept()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(GAP)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, widget in (
            ("Stop when", self.event_choice),
            ("API", self.api),
            ("Toolkit", self.toolkit),
            ("Kind of node", self.kind),
            ("Risk", self.risk),
            ("With the argument", self.argument),
            ("Only if", self.condition),
            ("From hit number", self.hits),
            ("Say, do not stop", self.log),
        ):
            form.addRow(title, widget)
        self.column.addWidget(self.banner)
        self.column.addLayout(form)
        self.column.addWidget(self._problem)
        self.column.addWidget(self._preview)
        self.add_buttons(self._save)
        self.setMinimumWidth(_WIDTH)

    def _check(self) -> None:
        try:
            made = parse_breakpoint(self.text)
        except BadInput as error:
            self._say_problem(error)
            return
        self._problem.hide()
        self._problem.clear()
        self._preview.setText(f"{say_breakpoint(made)}.")
        self._preview.show()
        self._save.setEnabled(True)

    def _say_problem(self, error: BadInput) -> None:
        self._problem.setText(f"{error.what}. {error.todo}".strip())
        self._problem.show()
        self._preview.hide()
        self._save.setEnabled(False)


def _events() -> dict[str, str]:
    """What a breakpoint may be about: every declared stop point, and the failures."""
    found = {f"at={p.id}": p.event for p in stop_points().values() if not p.failure}
    failures = failure_words_of_breakpoints()
    found |= {f"failure={name}": words for name, words in failures.items()}
    return {key: f"{words[:1].upper()}{words[1:]}" for key, words in found.items()} | {
        "": "Any of these, except failures"
    }


def _kinds() -> tuple[str, ...]:
    return ("", *dict.fromkeys(point.kind for point in stop_points().values()))


def _event_of(parts: dict[str, str]) -> str:
    if "failure" in parts:
        return f"failure={parts['failure']}"
    return f"at={parts['at']}" if "at" in parts else ""


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    return combo


def _choice(name: str, values: tuple[str, ...], chosen: str) -> QComboBox:
    combo = _combo(name)
    for value in values:
        combo.addItem(str(value).capitalize() or "Any", str(value))
    combo.setCurrentIndex(max(0, combo.findData(chosen)))
    return combo


def _field(name: str, placeholder: str, text: str) -> QLineEdit:
    field = QLineEdit(text)
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    return field
