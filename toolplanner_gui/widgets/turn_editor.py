"""What an assistant says, to be written by a person: a text, and calls of functions.

A call that nobody touched is given back as it came, to the letter.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.growing_text import GrowingText


class OfferedFunction(NamedTuple):
    """A function that may be called; `schema` is that of its arguments."""

    name: str
    title: str
    schema: Mapping[str, Any]


class FunctionCallEditor(QFrame):
    """One call: its function and its arguments in a form and as JSON."""

    changed = Signal()
    removed = Signal()

    def __init__(self, call: Mapping[str, Any], offered: Sequence[OfferedFunction]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._call = call
        self._is_touched = "name" not in call
        name = str(call.get("name", offered[0].name if offered else ""))
        known = {each.name: each for each in offered}
        self._offered = [*offered, *([] if name in known else [OfferedFunction(name, name, {})])]
        self.function = QComboBox()
        self.function.setAccessibleName("Function")
        self.function.addItems([each.title for each in self._offered])
        self.function.setCurrentIndex([each.name for each in self._offered].index(name))
        self.form = ArgumentForm()
        given = call.get("arguments", "")
        values = _values(given)
        self._given = values or {}
        self.form.show_arguments(self._chosen.schema, self._given)
        if values is None:
            self.form.json.set_text(str(given))
        head = row_of((self.function, 1))
        self.remove_button = push_button("Remove", self.removed.emit, role="link")
        self.remove_button.setAccessibleName(f"Remove the call of {self._chosen.title}")
        head.addWidget(self.remove_button)
        column_of(head, self.form, of=self, margins=(GAP, GAP, GAP, GAP), gap=GAP)
        self.function.currentIndexChanged.connect(self._on_function)
        self.form.changed.connect(self._on_edited)

    @property
    def value(self) -> Mapping[str, Any]:
        """The call as it is now."""
        if not self._is_touched:
            return self._call
        return {**self._call, "name": self._chosen.name, "arguments": self.form.values}

    @property
    def misfit(self) -> str:
        """Why it is no call yet, "" if it is one."""
        return self.form.misfit if self._is_touched else ""

    @property
    def _chosen(self) -> OfferedFunction:
        return self._offered[self.function.currentIndex()]

    def _on_function(self) -> None:
        schema, values = self._chosen.schema, {**self._given, **self.form.values}
        if isinstance(schema.get("properties"), Mapping):
            values = {name: value for name, value in values.items() if name in schema["properties"]}
        self.form.show_arguments(schema, values)
        self._on_edited()

    def _on_edited(self) -> None:
        self._is_touched = True
        required = self._chosen.schema.get("required")
        names = cast("list[Any]", required) if isinstance(required, list) else []
        missing = [f'"{name}"' for name in names if name not in self.form.values]
        # No misfit: a person may want to see what the run makes of such a call.
        if missing and not self.misfit:
            be = "is" if len(missing) == 1 else "are"
            self.form.show_problem(f"{', '.join(missing)} {be} required and not given")
        self.changed.emit()


class TurnEditor(QWidget):
    """Text and calls."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = GrowingText(name)
        self.text.textChanged.connect(self.changed)
        self.calls: list[FunctionCallEditor] = []
        self._offered: tuple[OfferedFunction, ...] = ()
        self.add_button = push_button("Add a call", self.add_call, role="link")
        self._column = column_of(
            self.text, (self.add_button, 0, Qt.AlignmentFlag.AlignLeft), of=self, gap=SPACE
        )

    def show_turn(
        self,
        text: str,
        calls: Sequence[Mapping[str, Any]],
        offered: Sequence[OfferedFunction],
    ) -> None:
        """Begin with a turn.

        Args:
            calls: each with "name" and "arguments", an object or its JSON text.
            offered: functions that may be called.
        """
        for editor in tuple(self.calls):
            self._take_away(editor)
        self._offered = tuple(offered)
        self.add_button.setVisible(bool(offered))
        self.text.setPlainText(text)
        for call in calls:
            self._put(call)

    @property
    def value(self) -> dict[str, Any]:
        """The turn: {"text": ..., "calls": [...]}."""
        return {"text": self.text.toPlainText(), "calls": [dict(c.value) for c in self.calls]}

    @property
    def misfit(self) -> str:
        """Why it is no turn yet, "" if it is one."""
        return next((call.misfit for call in self.calls if call.misfit), "")

    def add_call(self) -> None:
        """Add a call of the first function."""
        self._put({}).function.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _put(self, call: Mapping[str, Any]) -> FunctionCallEditor:
        editor = FunctionCallEditor(call, self._offered)
        editor.changed.connect(self.changed)
        editor.removed.connect(lambda: self._on_removed(editor))
        self.calls.append(editor)
        self._column.insertWidget(len(self.calls), editor)
        return editor

    def _on_removed(self, editor: FunctionCallEditor) -> None:
        self._take_away(editor)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _take_away(self, editor: FunctionCallEditor) -> None:
        self.calls.remove(editor)
        self._column.removeWidget(editor)
        editor.hide()
        editor.deleteLater()


def _values(arguments: Any) -> Mapping[str, Any] | None:
    """Arguments as an object; None when they are none."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            return None
    return cast("Mapping[str, Any]", arguments) if isinstance(arguments, Mapping) else None
