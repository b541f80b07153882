"""Fields to type in or choose from: lines, texts that grow, a search field, word completion."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from toolplanner_gui.theme.icons import make_icon


class TextLine(QLineEdit):
    """A `QLineEdit`, which by itself takes the key whatever it could undo."""

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._is_for_the_window(event)
        ):
            event.ignore()
            return True
        return super().event(event)

    def _is_for_the_window(self, event: QKeyEvent) -> bool:
        keys = QKeySequence.StandardKey
        if event.matches(keys.Undo):
            return not self.isUndoAvailable()
        return event.matches(keys.Redo) and not self.isRedoAvailable()


_FEWEST_LINES = 2
_MOST_LINES = 8
_FRAME = 20


class GrowingText(QPlainTextEdit):
    """Plain text; Tab leaves it.

    Args:
        name: for screen readers.
    """

    def __init__(self, name: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "field")
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.setPlainText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """A narrower field has more lines; the document does not say so."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = round(self.document().size().height())  # as they are wrapped
        shown = max(_FEWEST_LINES, min(lines, _MOST_LINES))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * shown + _FRAME)


_MARGIN = 4
"""Between the edge of the field and its text, which styles keep on either side."""


class ElidingCombo(QComboBox):
    """Asks for little width; the list that opens shows all of each text."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room.width() - _MARGIN
        )


_MOST_SHOWN = 12


class WordCompleter(QCompleter):
    """Offers what the last word may become while it is typed.

    Args:
        field: the field it belongs to; becomes its owner.
        suggest: whole text -> what the last word may become, best first.
        last_word: whole text -> the word that is being typed.
    """

    def __init__(
        self,
        field: QLineEdit,
        suggest: Callable[[str], Sequence[str]],
        last_word: Callable[[str], str],
    ) -> None:
        super().__init__(field)
        self._field = field
        self._suggest = suggest
        self._last_word = last_word
        self._words = QStringListModel(self)
        self.setModel(self._words)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        # The words were chosen by `suggest` already.
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.setMaxVisibleItems(_MOST_SHOWN)
        popup = QListView()
        popup.setAccessibleName("Suggestions")
        self.setPopup(popup)
        self._popup = popup
        field.textEdited.connect(self._on_edited)
        field.setCompleter(self)

    @property
    def offered(self) -> list[str]:
        """What is offered now."""
        return self._words.stringList()

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """The whole text with the last word completed; QLineEdit shows it when one is taken."""
        text = self._field.text()
        word = self._last_word(text)
        return f"{text[: len(text) - len(word)]}{index.data()}"

    def _on_edited(self, text: str) -> None:
        at_end = self._field.cursorPosition() == len(text)
        words = list(self._suggest(text)) if at_end else []
        if words == [self._last_word(text)]:
            words = []
        self._words.setStringList(words)
        if not words:
            self._popup.hide()


_PAUSE_MS = 150


class SearchField(TextLine):
    """Emits `searched` with the text, "" when cleared; `left_down` when the results are wanted.

    Args:
        is_all: nothing else stands around it that stays: Escape closes that in place of clearing.
    """

    searched = Signal(str)
    left_down = Signal()

    def __init__(self, placeholder: str, *, icon: str = "magnify", is_all: bool = False) -> None:
        super().__init__()
        self._is_all = is_all
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.addAction(make_icon(icon), QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction(make_icon("close"), "Clear the search", self)
        self._clear.triggered.connect(self.clear)
        self._clear.setVisible(False)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._on_pause)
        self.textChanged.connect(self._on_changed)
        self.returnPressed.connect(self._on_pause)

    def find(self) -> None:
        """Take the keyboard, ready to be written over."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() and not self._is_all:
            self.clear()
            return
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
            return
        super().keyPressEvent(event)

    def _on_changed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        if text:
            self._timer.start()
        else:
            self._timer.stop()
            self.searched.emit("")

    def _on_pause(self) -> None:
        self._timer.stop()
        self.searched.emit(self.text().strip())
