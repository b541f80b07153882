"""The messages of a request, each to be edited in its place: texts, and calls of an assistant.

The first ones of a long conversation are folded; they stay as they are until they are shown.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.boxes import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.growing_text import GrowingText
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.turn_editor import OfferedFunction, TurnEditor

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
