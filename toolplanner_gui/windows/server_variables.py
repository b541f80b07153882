"""Asks for the values that a configuration of servers leaves to the person: its variables.

Shown in the import dialog above what would come in. What is written here goes to the reading as
options and is kept by the library: as keys are, or as part of a command that is consented to.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from toolplanner_core.sources.source import AskedValue
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui.forms.option_form import form_label, form_rows
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import CappedScrollArea, ignore_wheel

_HIGHEST = 150
_LONGEST_NAME = 60
_LEFT_OPEN = "leave it open"


class ServerVariables(QWidget):
    """A field for each variable; what is typed stays until another location is read."""

    given = Signal()
    """The person wants the values to be used."""

    def __init__(self) -> None:
        super().__init__()
        self.format_id = ""
        self.fields: dict[str, QLineEdit | QComboBox] = {}
        self._asked: dict[str, AskedValue] = {}
        self._title = text_label(role="section", is_wrapped=True)
        why = text_label(
            "Values of environment variables and headers are kept as keys are, for that server"
            " only. Values of a command or an address are part of what you allow, and are in the"
            " workspace. Servers whose values stay open are left out, or start without them.",
            role="dim",
            is_wrapped=True,
        )
        self._page = QWidget()
        self._rows = form_rows(self._page)
        self.use_button = push_button("Use these values", self.given.emit)
        self.use_button.setAutoDefault(False)
        area = CappedScrollArea(self._page, highest=_HIGHEST)
        column_of(self._title, why, area, row_of(self.use_button, 1, gap=GAP), of=self, gap=GAP)
        self.hide()

    @property
    def values(self) -> dict[str, list[str]]:
        """What was given, as NAME=VALUE by the option that takes it."""
        found: dict[str, list[str]] = {}
        for name, field in self.fields.items():
            text = field.text() if isinstance(field, QLineEdit) else field.currentData()
            if text:
                found.setdefault(self._asked[name].option, []).append(f"{name}={text}")
        return found

    def ask(self, format_id: str, asked: Sequence[AskedValue]) -> None:
        """Show what is left to the person; fields that are there stay as they are."""
        self.format_id = format_id
        for one in asked:
            if one.name not in self._asked:
                self._asked[one.name] = one
                self.fields[one.name] = field = _field(one)
                if isinstance(field, QLineEdit):
                    field.returnPressed.connect(self.given)
                label = form_label(one_line(one.name, _LONGEST_NAME), field)
                self._rows.addRow(label, field)
        n = counted(len(self._asked), "value")
        self._title.setText(f"This configuration leaves {n} to you")
        self.setVisible(bool(self._asked))

    def forget(self) -> None:
        """Another location is read: nothing of what was typed is left."""
        self._asked.clear()
        self.fields.clear()
        while self._rows.rowCount():
            self._rows.removeRow(0)
        self.hide()


def _field(one: AskedValue) -> QLineEdit | QComboBox:
    servers = ", ".join(one.needed_by)
    said = f"{one.explanation}. " if one.explanation else ""
    about = one_line(f"{said}Needed by {servers}", 200)
    if one.choices:
        combo = ignore_wheel(ElidingCombo())
        combo.addItem(f"{_LEFT_OPEN}: {about}", "")
        for choice in one.choices:
            combo.addItem(one_line(choice, 200), choice)
        combo.setCurrentIndex(max(0, combo.findData(one.default)))
        combo.setToolTip(about)
        combo.setAccessibleDescription(about)
        return named(combo, one.name)
    line = QLineEdit(one.default)
    line.setPlaceholderText(about)
    line.setToolTip(about)
    line.setAccessibleDescription(about)
    if one.is_secret:
        line.setEchoMode(QLineEdit.EchoMode.Password)
    return named(line, one.name)
