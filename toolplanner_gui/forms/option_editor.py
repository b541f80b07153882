"""The editor of one option: a box, a number, a choice or a text, as its declaration says."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QWidget

from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import OptionField, OptionKind
from toolplanner_core.options.values import read_option
from toolplanner_core.sources.source import Offered
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import compact_spin_box, ignore_wheel

_FARTHEST = 1e9
"""Bound of numbers that declare none."""
_DECIMALS = 6
_AROUND = 40
"""Pixels of a number's field beside its text."""
_NARROWEST = 6
"""Characters of a choice that are always seen; the list that opens shows all of it."""


class OptionEditor(QWidget):
    """A field, and under it what is wrong with what it holds.

    Args:
        of: whose option it is, for messages.
    """

    edited = Signal()

    def __init__(self, option: OptionField, *, of: str) -> None:
        super().__init__()
        self.option = option
        self._of = of
        self.field = self._make_field()
        self._dress(self.field)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.hide()
        self._column = column_of(self.field, self._problem, of=self, gap=SPACE // 2)
        self.put(option.default)

    def _dress(self, field: QWidget) -> None:
        option = self.option
        field.setAccessibleName(option.title)
        field.setAccessibleDescription(f"{option.explanation} {option.fits}.")
        field.setToolTip(f"<p>{option.explanation}</p><p>Fits: {option.fits}.</p>")

    @property
    def problem(self) -> str:
        """What is said to be wrong, "" = nothing."""
        return self._problem.text()

    @property
    def given(self) -> Any:
        """What stands in the field, not yet read as the option's type."""
        match self.field:
            case QCheckBox():
                return self.field.isChecked()
            case QComboBox():
                return self.field.currentData()
            case NumberBox():
                return self.field.number
            case _:
                return self.field.text()

    def put(self, value: Any) -> None:
        """Show a value."""
        value = getattr(value, "value", value)
        match self.field:
            case QCheckBox():
                self.field.setChecked(bool(value))
            case QComboBox():
                self.field.setCurrentIndex(max(0, self.field.findData(value)))
            case NumberBox():
                self.field.put(value)
            case _:
                items = value if isinstance(value, list | tuple) else [value]
                texts = [str(getattr(item, "value", item)) for item in items if item is not None]
                self.field.setText(", ".join(texts))
                self.field.setCursorPosition(0)
        self._check()

    def offer(self, offered: Offered | None) -> None:
        """Let choose from what there is instead of writing; None = nothing is known to choose from.

        What stood here goes unless it is among the new values.
        """
        combo = self.field if isinstance(self.field, QComboBox) else self._put_combo_for_line()
        entries = [("", "")]
        if offered is not None:
            entries = [(f"{offered.guessed} (guessed)" if offered.guessed else "none", "")]
            entries += [(value, value) for value in offered.values]
            entries += [("none", offered.none)] if offered.guessed and offered.none else []
        if entries == [(combo.itemText(n), combo.itemData(n)) for n in range(combo.count())]:
            return
        before = combo.currentData()
        with QSignalBlocker(combo):
            combo.clear()
            for words, value in entries:
                combo.addItem(words, value)
            combo.setCurrentIndex(max(0, combo.findData(before)))
        self._check()

    def _put_combo_for_line(self) -> QComboBox:
        line, combo = self.field, self._combo([])
        self.field = combo
        self._dress(combo)
        self._column.replaceWidget(line, combo)
        QWidget.setTabOrder(line, combo)
        line.hide()
        line.deleteLater()
        return combo

    def _make_field(self) -> "QCheckBox | QComboBox | NumberBox | QLineEdit":
        option = self.option
        is_box = option.kind is OptionKind.BOOL
        if option.is_list:
            field = QLineEdit()
            field.setPlaceholderText("several, with commas between them")
        elif is_box and not option.is_optional:
            field = QCheckBox()
            field.toggled.connect(self._on_edited)
            return field
        elif is_box or option.kind is OptionKind.CHOICE:
            words = [("on", True), ("off", False)] if is_box else []
            nothing = [(option.none_means or "none", None)] if option.is_optional else []
            return self._combo([*nothing, *words, *((c.words, c.value) for c in option.choices)])
        elif option.kind in (OptionKind.INT, OptionKind.FLOAT):
            field = ignore_wheel(NumberBox(option))
            field.valueChanged.connect(self._on_edited)
            return field
        else:
            field = QLineEdit()
            field.setPlaceholderText(option.none_means)
        field.textEdited.connect(self._on_edited)
        return field

    def _combo(self, choices: list[tuple[str, Any]]) -> QComboBox:
        combo = ignore_wheel(ElidingCombo())
        combo.setMinimumContentsLength(_NARROWEST)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for words, value in choices:
            combo.addItem(words, value)
        combo.currentIndexChanged.connect(self._on_edited)
        return combo

    def _on_edited(self) -> None:
        self._check()
        self.edited.emit()

    def _check(self) -> None:
        problem = ""
        try:
            read_option(self.option, self.given, of=self._of)
        except BadInput as error:
            problem = f"{error.todo}."
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))


class NumberBox(QDoubleSpinBox):
    """A whole or broken number within the option's bounds; emptied = none, where that fits."""

    def __init__(self, option: OptionField) -> None:
        super().__init__()
        is_whole = option.kind is OptionKind.INT
        low = -_FARTHEST if option.minimum is None else option.minimum
        high = _FARTHEST if option.maximum is None else option.maximum
        self._none_at = low - 1 if option.is_optional else None
        self._is_whole = is_whole
        self.setDecimals(0 if is_whole else _DECIMALS)
        self.setRange(low if self._none_at is None else self._none_at, high)
        self.setSingleStep(1 if is_whole or high > 1 else 0.05)
        self.setGroupSeparatorShown(is_whole)
        self.setSuffix(f" {option.unit}" if option.unit else "")
        if option.is_optional:
            self.setSpecialValueText(option.none_means or "none")
        compact_spin_box(self)
        words = self.fontMetrics().horizontalAdvance(self.specialValueText())
        self.setFixedWidth(max(self.minimumWidth(), words + _AROUND))

    @property
    def number(self) -> float | None:
        """The number, None for none."""
        if self.value() == self._none_at:
            return None
        return round(self.value()) if self._is_whole else self.value()

    def put(self, number: float | None) -> None:
        """Show a number."""
        self.setValue(self.minimum() if number is None else number)

    def textFromValue(self, value: float) -> str:
        return super().textFromValue(value) if self._is_whole else f"{value:g}"

    def valueFromText(self, text: str) -> float:
        return self.minimum() if not text.strip() else super().valueFromText(self._pointed(text))

    def validate(self, text: str, position: int) -> object:
        if not text.strip() and self._none_at is not None:
            return QValidator.State.Acceptable, text, position
        return super().validate(self._pointed(text), position)

    def _pointed(self, text: str) -> str:
        """Half is "0,5" for half of the world; Qt would pass over the comma and read 5."""
        return text if self._is_whole else text.replace(",", self.locale().decimalPoint())
