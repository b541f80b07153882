"""Editors of the messages of a request, and of what an assistant answers: texts and function calls.

What an assistant says, to be written by a person: a text, and calls of functions. A call that
nobody touched is given back as it came, to the letter.

The messages of a request, each to be edited in its place: texts, and calls of an assistant. The
first ones of a long conversation are folded; they stay as they are until they are shown.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.input_fields import GrowingText
from toolplanner_gui.widgets.labels import text_label


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


_SHOWN = 3
"""Messages at the end that are not folded."""


class MessageEditor(QWidget):
    """One message.

    Args:
        message: with "role", "content", and "calls" of an assistant.
        who: whose it is, in words.
    """

    changed = Signal()
    removed = Signal()

    def __init__(
        self, message: Mapping[str, Any], who: str, offered: Sequence[OfferedFunction]
    ) -> None:
        super().__init__()
        self._message = message
        text, calls = str(message.get("content", "")), message.get("calls") or ()
        self.turn: TurnEditor | None = None
        if message.get("role") == "assistant":
            self.turn = TurnEditor(who)
            self.turn.show_turn(text, calls, offered)
            self.text = self.turn.text
            self.turn.changed.connect(self.changed)
        else:
            self.text = GrowingText(who, text)
            self.text.textChanged.connect(self.changed)
        head = row_of((text_label(who, role="section"), 1), gap=GAP)
        # Without the result of a call, or the call of a result, no model takes the rest.
        if not calls and message.get("role") != "tool":
            remove = push_button("Remove", self.removed.emit, role="link")
            remove.setAccessibleName(f"Remove: {who}")
            head.addWidget(remove)
        column_of(head, self.turn or self.text, of=self, gap=SPACE)

    @property
    def value(self) -> dict[str, Any]:
        """The message as it is now."""
        if self.turn is None:
            return {**self._message, "content": self.text.toPlainText()}
        said = self.turn.value
        calls = {"calls": said["calls"]} if said["calls"] else {}
        others = {name: part for name, part in self._message.items() if name != "calls"}
        return {**others, "content": said["text"], **calls}

    @property
    def misfit(self) -> str:
        """Why it is no message yet, "" if it is one."""
        if self.turn is not None:
            return self.turn.misfit
        is_needed = self._message.get("role") in ("user", "system")
        if is_needed and not self.text.toPlainText().strip():
            return "A message is empty: write it, or remove it"
        return ""


class MessagesEditor(QWidget):
    """All messages of a request, in order.

    Args:
        who: says whose a message is.
    """

    changed = Signal()
    """A message, or what is shown of them."""

    def __init__(
        self, who: Callable[[Mapping[str, Any]], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._who = who
        self._offered: tuple[OfferedFunction, ...] = ()
        self._folded: list[Mapping[str, Any]] = []
        self.editors: list[MessageEditor] = []
        self.unfold_button = push_button("", self.unfold, role="link")
        self._column = column_of(of=self, gap=2 * GAP)
        left = Qt.AlignmentFlag.AlignLeft
        self._column.addWidget(self.unfold_button, 0, left)
        self._column.addWidget(push_button("Add a message", self.add, role="link"), 0, left)

    def show_messages(
        self, messages: Sequence[Mapping[str, Any]], offered: Sequence[OfferedFunction]
    ) -> None:
        """Begin with these.

        Args:
            offered: functions that an assistant's message may call.
        """
        for editor in tuple(self.editors):
            self._take_away(editor)
        self._offered = tuple(offered)
        n_folded = max(0, len(messages) - _SHOWN)
        self._folded = list(messages[:n_folded])
        words = "1 message" if n_folded == 1 else f"{n_folded:,} messages"
        self.unfold_button.setText(f"Show {words} before")
        self.unfold_button.setVisible(n_folded > 0)
        for message in messages[n_folded:]:
            self._put(message, len(self.editors))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All messages as they are now."""
        return [*map(dict, self._folded), *(editor.value for editor in self.editors)]

    @property
    def misfit(self) -> str:
        """Why they cannot be sent yet, "" if they can."""
        return next((each.misfit for each in self.editors if each.misfit), "")

    def unfold(self) -> None:
        """Make editors of the messages that are folded."""
        folded, self._folded = self._folded, []
        for position, message in enumerate(folded):
            self._put(message, position)
        self.unfold_button.hide()
        self.editors[0].text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def add(self) -> None:
        """Add a message of the user at the end."""
        made = self._put({"role": "user", "content": ""}, len(self.editors))
        made.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _put(self, message: Mapping[str, Any], position: int) -> MessageEditor:
        editor = MessageEditor(message, self._who(message), self._offered)
        editor.changed.connect(self.changed)
        editor.removed.connect(lambda: self._on_removed(editor))
        self.editors.insert(position, editor)
        self._column.insertWidget(position + 1, editor)
        return editor

    def _on_removed(self, editor: MessageEditor) -> None:
        self._take_away(editor)
        self.changed.emit()

    def _take_away(self, editor: MessageEditor) -> None:
        self.editors.remove(editor)
        self._column.removeWidget(editor)
        editor.hide()
        editor.deleteLater()
