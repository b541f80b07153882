"""A text that is read like a label and edited in place: Return keeps, Escape gives up.

A double click, Return or the key of its command begins; a click only where there is nothing yet,
since who clicks a text by chance and goes on by keys would write over it without a look.
Used for names, descriptions and notes. It only asks: what is shown changes when the owner says so.
"""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import breakable, text_label

_LINES = 4
_FRAME = 14


class EditableText(QWidget):
    """Emits `edited` with the new text when a person has changed it.

    Args:
        name: what the text is, for screen readers and the tooltip: "Name of the toolkit".
        placeholder: shown dim while there is no text.
        role: style of the label.
        is_long: several lines; Ctrl+Return or leaving the field keeps them.
    """

    edited = Signal(str)

    def __init__(
        self,
        name: str,
        *,
        placeholder: str = "",
        role: str = "",
        is_long: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._placeholder = placeholder
        self._role = role
        self._text = ""
        self._is_giving_up = False
        self.label = text_label(role=role, is_wrapped=True)
        self.label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.label.setCursor(Qt.CursorShape.IBeamCursor)
        self.label.installEventFilter(self)
        self.field: QLineEdit | QPlainTextEdit = self._make_field(is_long=is_long)
        self.field.setAccessibleName(name)
        self.field.installEventFilter(self)
        self.field.hide()
        column_of(self.label, self.field, of=self, gap=SPACE)
        self.set_text("")

    @property
    def is_editing(self) -> bool:
        """Whether a person is writing."""
        return not self.field.isHidden()

    def text(self) -> str:
        """What is shown."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text; what somebody is writing is left alone."""
        self._text = text
        self.label.setText(breakable(text) or self._placeholder)
        role = self._role if text else "dim"
        if self.label.property("role") != role:
            self.label.setProperty("role", role)
            self.label.style().unpolish(self.label)
            self.label.style().polish(self.label)
        self.label.setAccessibleName(f"{self._name}: {text}" if text else self._name)
        click = "Double-click" if text else "Click"
        self.label.setToolTip(f"<p>{self._name}. {click} to edit it</p>")

    def begin(self) -> None:
        """Let a person write: all of a name is chosen, of a longer text nothing."""
        if self.is_editing:
            return
        if isinstance(self.field, QLineEdit):
            self.field.setText(self._text)
        else:
            self.field.setPlainText(self._text)
        self.label.hide()
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(self.field, QLineEdit):
            self.field.selectAll()
        else:
            self.field.moveCursor(QTextCursor.MoveOperation.End)

    def keep(self) -> None:
        """Take what was written."""
        if not self.is_editing:
            return
        field = self.field
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        self._end()
        if text.strip() != self._text:
            self.edited.emit(text.strip())

    def give_up(self) -> None:
        """Forget what was written."""
        if self.is_editing:
            self._end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.label:
            return self._on_label(event)
        if event.type() == QEvent.Type.FocusOut and self.is_editing and not self._is_giving_up:
            self.keep()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _make_field(self, *, is_long: bool) -> QLineEdit | QPlainTextEdit:
        if not is_long:
            return QLineEdit()
        field = QPlainTextEdit()
        field.setProperty("role", "field")
        field.setTabChangesFocus(True)
        field.setFixedHeight(_LINES * field.fontMetrics().lineSpacing() + _FRAME)
        return field

    def _on_label(self, event: QEvent) -> bool:
        kind = event.type()
        begins = QEvent.Type.MouseButtonDblClick if self._text else QEvent.Type.MouseButtonRelease
        is_click = (
            isinstance(event, QMouseEvent)
            and kind == begins
            and event.button() == Qt.MouseButton.LeftButton
        )
        is_key = (
            isinstance(event, QKeyEvent)
            and kind == QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        )
        if is_click or is_key:
            self.begin()
        return is_click or is_key

    def _on_key(self, event: QKeyEvent) -> bool:
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
            return True
        if is_return and (has_control or isinstance(self.field, QLineEdit)):
            self.keep()
            return True
        return False

    def _end(self) -> None:
        # Hiding takes the focus away, which must not keep what is given up.
        self._is_giving_up = True
        self.field.hide()
        self._is_giving_up = False
        self.label.show()
