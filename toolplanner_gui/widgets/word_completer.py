"""Completes the word at the end of a line, not the whole line; used by search fields."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

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
