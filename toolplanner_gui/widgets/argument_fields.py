"""One field of a form made from a JSON schema: a text, a number, a choice, or a piece of JSON.

What does not fit the type is kept as it was typed, so that nobody's work is lost; whoever uses the
form checks it.
"""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import still

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
    combo = still(QComboBox())
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
