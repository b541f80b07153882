"""An editable form from a JSON schema with the raw JSON beside it; both stay in step.

One field of a form made from a JSON schema: a text, a number, a choice, or a piece of JSON. What
does not fit the type is kept as it was typed, so that nobody's work is lost; whoever uses the form
checks it.

Why both: a form shows what is allowed, JSON takes what no form can say (nested values, names the
schema does not know). While the JSON is broken the form keeps the last values that could be read.
"""

import json
import re
from collections.abc import Mapping
from enum import Enum
from html import escape
from typing import Any, Final, cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QFormLayout, QLineEdit, QWidget

from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, level
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.json_editor import JsonEditor
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import ignore_wheel

_LONGEST_HINT = 300


class _Missing(Enum):
    """No value: the argument is not given."""

    MISSING = "missing"


MISSING: Final = _Missing.MISSING


class ArgumentField(QWidget):
    """Editor of one argument with its description and, if there is one, its problem.

    Args:
        schema: of the argument; broken ones are taken as "any text".
    """

    edited = Signal()

    def __init__(self, name: str, schema: Mapping[str, Any], *, is_required: bool) -> None:
        super().__init__()
        self.name = name
        self.is_required = is_required
        self._kind = _kind(schema)
        self._value: Any = MISSING
        self._choices = _choices(schema, self._kind)
        self.editor: QLineEdit | QComboBox = _combo(self._choices) if self._choices else QLineEdit()
        self.editor.setAccessibleName(f"{name}, {'required' if is_required else 'optional'}")
        hint = _hint(schema, self._kind)
        self.editor.setAccessibleDescription(hint)
        if isinstance(self.editor, QLineEdit):
            self.editor.setPlaceholderText(_placeholder(schema, is_required=is_required))
            self.editor.textEdited.connect(self._on_edited)
        else:
            self.editor.activated.connect(lambda _position: self._on_edited())
        self.setFocusProxy(self.editor)
        about = text_label(hint, role="dim", is_wrapped=True)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.hide()
        column_of(self.editor, about, self._problem, of=self, gap=SPACE // 2)
        about.setVisible(bool(hint))

    @property
    def value(self) -> Any:
        """The value, `MISSING` when the argument is not given."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show a value that came from elsewhere."""
        self._value = value
        if isinstance(self.editor, QComboBox):
            found = next((i for i, v in enumerate(self._choices) if _same(v, value)), -1)
            if found < 0 and value is not MISSING:
                self._choices.append(value)
                self.editor.addItem(_text(value))
                found = len(self._choices) - 1
            self.editor.setCurrentIndex(max(0, found))
            return
        text = "" if value is MISSING else _text(value)
        if text != self.editor.text():
            self.editor.setText(text)
            self.editor.setCursorPosition(0)

    @property
    def problem(self) -> str:
        """What is said to be wrong with it."""
        return self._problem.text()

    def show_problem(self, text: str) -> None:
        """Say in place what is wrong; "" = nothing."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _on_edited(self) -> None:
        if isinstance(self.editor, QComboBox):
            self._value = self._choices[self.editor.currentIndex()]
        else:
            self._value = _typed(self.editor.text(), self._kind)
        self.edited.emit()


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [k for k in cast("list[Any]", kind) if k != "null"]
        kind = kinds[0] if len(kinds) == 1 else "any"
    if kind is None and ("anyOf" in schema or "oneOf" in schema):
        return "any"
    return kind if isinstance(kind, str) else "string"


def _choices(schema: Mapping[str, Any], kind: str) -> list[Any]:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed:
        return [MISSING, *cast("list[Any]", allowed)]
    return [MISSING, True, False] if kind == "boolean" else []


def _combo(choices: list[Any]) -> QComboBox:
    combo = ignore_wheel(QComboBox())
    combo.setMinimumContentsLength(6)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for choice in choices:
        combo.addItem("not given" if choice is MISSING else _text(choice))
    return combo


def _hint(schema: Mapping[str, Any], kind: str) -> str:
    words = {"string": "", "any": "JSON"}.get(kind, kind if kind != "boolean" else "")
    about = " ".join(str(schema.get("description") or "").split())
    text = " · ".join(part for part in (words, about) if part)
    return text if len(text) <= _LONGEST_HINT else f"{text[: _LONGEST_HINT - 1]}…"


def _placeholder(schema: Mapping[str, Any], *, is_required: bool) -> str:
    if "default" in schema:
        return f"not given: {_text(schema['default'])}"
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        return f"such as {_text(examples[0])}"
    return "" if is_required else "not given"


def _typed(text: str, kind: str) -> Any:
    """What was typed, in the type of the schema where that is possible."""
    if not text:
        return MISSING
    if kind == "string":
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    fits: dict[str, type | tuple[type, ...]] = {
        "integer": int,
        "number": (int, float),
        "array": list,
        "object": dict,
    }
    if kind in fits and (not isinstance(value, fits[kind]) or isinstance(value, bool)):
        return text
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _same(one: Any, other: Any) -> bool:
    # In Python True == 1, in JSON not.
    return type(one) is type(other) and one == other


_SIDE_BY_SIDE_PX = 620
_NAMED = re.compile(r'"([^"]+)"')


class ArgumentForm(QWidget):
    """Fields by the schema's properties, JSON of all arguments."""

    changed = Signal()
    """The person changed an argument."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, Any] = {}
        self._before: dict[str, Any] = {}
        self._fields: dict[str, ArgumentField] = {}
        self._labels: dict[str, QWidget] = {}
        self._form_place = column_of()
        self._form = QWidget()
        self._form_place.addWidget(self._form)
        self._form_place.addStretch(1)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.hide()
        self._restore = push_button("Restore what it was", self.restore, role="link")
        self._restore.hide()
        self.json = JsonEditor("Arguments as JSON")
        self.json.edited.connect(self._on_json)
        side = column_of(text_label("As JSON", role="section"), self.json, 1, gap=SPACE)
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(EDGE)
        self._sides.addLayout(self._form_place, 1)
        self._sides.addLayout(side, 1)
        column_of(self._problem, self._restore, self._sides, of=self, gap=SPACE)

    def show_arguments(
        self,
        schema: Mapping[str, Any],
        values: Mapping[str, Any],
        *,
        before: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the fields of a schema and fill them.

        Args:
            before: what it would be without the person, if it is not `values`.
        """
        self._values = dict(values)
        self._before = dict(values if before is None else before)
        self._make_fields(schema)
        self._fill_fields()
        self.json.set_value(self._values)
        self.show_problem("")
        self._mark_changes()

    @property
    def values(self) -> dict[str, Any]:
        """All arguments that are given, as they can be read."""
        return dict(self._values)

    @property
    def is_changed(self) -> bool:
        """Whether it differs from what it was."""
        return self._values != self._before or bool(self.json.problem)

    @property
    def misfit(self) -> str:
        """Why there is nothing to send, before anybody checks it against the schema."""
        if not self.json.problem and not isinstance(self.json.value, dict):
            return "Arguments are a JSON object: {…}"
        return self.json.problem

    @property
    def problem(self) -> str:
        """What is said to be wrong."""
        shown = [f.problem for f in self._fields.values() if f.problem]
        return " ".join([*shown, self._problem.text()]).strip()

    @property
    def wrong(self) -> ArgumentField | None:
        """The field at which something is said to be wrong."""
        return next((field for field in self._fields.values() if field.problem), None)

    def field(self, name: str) -> ArgumentField:
        """The field of an argument."""
        return self._fields[name]

    def show_problem(self, sentence: str) -> None:
        """Say what is wrong, at the field that the sentence names in quotes; "" = nothing."""
        named = [n for n in _NAMED.findall(sentence) if n.partition(".")[0] in self._fields]
        first = named[0].partition(".")[0] if named else ""
        for name, field in self._fields.items():
            field.show_problem(sentence if name == first else "")
        self._problem.setText("" if first else sentence)
        self._problem.setVisible(bool(sentence) and not first)

    def restore(self) -> None:
        """Take everything back to what it was."""
        self._values = dict(self._before)
        self._fill_fields()
        self.json.set_value(self._values)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= _SIDE_BY_SIDE_PX
        self._sides.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )

    def _make_fields(self, schema: Mapping[str, Any]) -> None:
        old, self._form = self._form, QWidget()
        self._form_place.replaceWidget(old, self._form)
        old.hide()
        old.deleteLater()
        rows = QFormLayout(self._form)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GAP)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._fields, self._labels = {}, {}
        found = schema.get("properties")
        properties = cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
        required = schema.get("required")
        needed = set(cast("list[Any]", required)) if isinstance(required, list) else set[Any]()
        for name, of_one in properties.items():
            details = cast("Mapping[str, Any]", of_one) if isinstance(of_one, Mapping) else {}
            field = ArgumentField(name, details, is_required=name in needed)
            label = text_label(f"{name} *" if name in needed else name)
            label.setToolTip("Required" if name in needed else "May be left out")
            label.setBuddy(field.editor)
            level(label, field.editor)
            rows.addRow(label, field)
            field.edited.connect(lambda f=field: self._on_field(f))
            self._fields[name], self._labels[name] = field, label
        if not self._fields:
            rows.addRow(text_label("No arguments are documented.", role="dim"))

    def _fill_fields(self) -> None:
        for name, field in self._fields.items():
            field.set_value(self._values.get(name, MISSING))

    def _on_field(self, field: ArgumentField) -> None:
        if field.value is MISSING:
            self._values.pop(field.name, None)
        else:
            self._values[field.name] = field.value
        self.json.set_value(self._values)
        self._tell()

    def _on_json(self) -> None:
        value = self.json.value
        if isinstance(value, dict):
            self._values = cast("dict[str, Any]", value)
            self._fill_fields()
        self._tell()

    def _tell(self) -> None:
        self.show_problem("" if self.json.problem else self.misfit)
        self._mark_changes()
        self.changed.emit()

    def _mark_changes(self) -> None:
        for name, label in self._labels.items():
            was, now = self._before.get(name, MISSING), self._values.get(name, MISSING)
            is_changed = (was is MISSING) != (now is MISSING) or was != now
            font = label.font()
            font.setBold(is_changed)
            label.setFont(font)
            words = "Required" if self._fields[name].is_required else "May be left out"
            if is_changed:
                words += f". It was {'not given' if was is MISSING else escape(repr(was)[:200])}"
            label.setToolTip(f"<p>{words}</p>")
        self._restore.setVisible(self.is_changed)
