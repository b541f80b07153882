"""Conversations with models: messages, calls and their results, and a message that is being
written.

Conversations: who said what, with the calls of an assistant as cards and what came of them. What
was said before, in a long or shared beginning, is folded and only made when somebody wants it.
While a conversation grows, what stands there stays: 48 messages take 40 ms to make anew.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.truncated_text import TruncatedText
from toolplanner_gui.widgets.views import scroll_vertically


class GrowingMessage(NamedTuple):
    """What stands in it; `note`: how much has come."""

    who: str
    note: str
    thought: str
    text: str
    calls: str


_LONG_WORD = re.compile(r"(\S{40})(?=\S)")


class LiveBubble(QFrame):
    """Its labels change in place, ten times a second: nothing is made anew."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self.setProperty("speaker", "assistant")
        self._who = text_label(role="section")
        self._note = text_label(role="dim")
        self._thought = text_label(role="dim", is_wrapped=True, name="What it thinks")
        self._text = text_label(is_wrapped=True, name="What it says")
        self._calls = text_label(role="strong", is_wrapped=True, name="What it calls")
        parts = (self._who, self._note, self._thought, self._text, self._calls)
        column_of(*parts, of=self, margins=(GAP, 0, 0, 0), gap=SPACE)

    @property
    def text(self) -> str:
        """All that is shown, as plain text."""
        labels = (self._who, self._note, self._thought, self._text, self._calls)
        return "\n".join(label.text() for label in labels if label.text())

    def show_growing(self, growing: GrowingMessage) -> None:
        """Show it as it is now."""
        labels = (self._who, self._note, self._thought, self._text, self._calls)
        for label, whole in zip(labels, growing, strict=True):
            # A label breaks no words, and JSON may be one: it would push the panel wide.
            words = _LONG_WORD.sub("\\1\u200b", whole)
            if label.text() != words:
                label.setText(words)
            label.setVisible(bool(words))


_MOST_TALKS = 6
_MOST_BUBBLES = 8
"""Conversations, and messages of each, that are made at first; each click makes as many more."""
_NEAR_THE_END = 24


class ShownCall(NamedTuple):
    """A function that was called; `result` is None while there is none."""

    title: str
    arguments: str
    result: str | None


class MessageBubble(NamedTuple):
    """One message.

    Attributes:
        role: "system", "user", "assistant", "tool" or "note": how it looks; `who`: in words.
        note: what else is to be known, such as that later turns do not see it.
        is_dim: drawn back, since it is not part of what goes on.
        thought: what the model thought before, folded.
    """

    role: str
    who: str
    text: str
    cards: tuple[ShownCall, ...] = ()
    note: str = ""
    is_dim: bool = False
    thought: str = ""

    @property
    def plain(self) -> str:
        """All of it as plain text, to be copied."""
        parts = [self.text] if self.text else []
        for card in self.cards:
            parts.append(f"{card.title}\n{card.arguments}")
            parts += [] if card.result is None else [card.result]
        return "\n\n".join(parts)


class ShownConversation(NamedTuple):
    """A conversation; its first `n_before` messages are folded at first."""

    title: str
    bubbles: tuple[MessageBubble, ...]
    n_before: int = 0


class _Piece(NamedTuple):
    """A widget of the column, by what makes it of what: the same piece is made once."""

    make: Callable[[Any], QWidget]
    of: Any


class ConversationView(QScrollArea):
    """Messages one below the other; each can be copied, long ones unfolded.

    Args:
        name: for screen readers.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        scroll_vertically(self)
        self.setAccessibleName(name)
        self._talks: tuple[ShownConversation, ...] = ()
        self._folded: list[ShownConversation] = []
        self._live: list[LiveBubble] = []
        self._pieces: list[tuple[_Piece, QWidget]] = []
        page = QWidget()
        page.setProperty("role", "page")
        self._column = column_of(1, of=page, margins=(EDGE, EDGE, EDGE, EDGE), gap=EDGE)
        self.setWidget(page)

    @property
    def text(self) -> str:
        """All that is shown, as plain text."""
        shown = [bubble for talk in self._folded for bubble in talk.bubbles[talk.n_before :]]
        told = [f"{bubble.who} {bubble.note}\n{bubble.plain}" for bubble in shown]
        return "\n".join([*told, *(bubble.text for bubble in self._live)])

    @property
    def unfold_button(self) -> QPushButton | None:
        """Shows more of what was said before; the last of them, None if all is shown."""
        links = [widget for piece, widget in self._pieces if piece.make == self._unfold_link]
        return links[-1].findChild(QPushButton) if links else None

    def show_talks(self, talks: Sequence[ShownConversation]) -> None:
        """Show other conversations; the same again change nothing, so that reading goes on."""
        if tuple(talks) != self._talks:
            self._talks = tuple(talks)
            self._folded = [
                talk._replace(n_before=max(talk.n_before, len(talk.bubbles) - _MOST_BUBBLES))
                for talk in talks[-_MOST_TALKS:]
            ]
            self._fill()

    def show_growing(self, growing: Sequence[GrowingMessage]) -> None:
        """Show what is being said right now below all that was said; whoever reads the end of it
        stays there."""
        bar = self.verticalScrollBar()
        follows = bar.value() >= bar.maximum() - _NEAR_THE_END
        if len(growing) != len(self._live):
            for bubble in self._live:
                bubble.hide()
                bubble.deleteLater()
            self._live = [LiveBubble() for _ in growing]
            self._add_live()
        for bubble, each in zip(self._live, growing, strict=True):
            bubble.show_growing(each)
        if follows and growing:
            QTimer.singleShot(0, self, lambda: bar.setValue(bar.maximum()))

    def _add_live(self) -> None:
        for bubble in self._live:
            self._column.insertWidget(self._column.count() - 1, bubble)  # before the stretch

    def unfold(self) -> None:
        """Show more of what was said before."""
        n_talks = len(self._talks) - len(self._folded)
        more = [
            talk._replace(n_before=max(0, len(talk.bubbles) - _MOST_BUBBLES))
            for talk in self._talks[max(0, n_talks - _MOST_TALKS) : n_talks]
        ]
        opened = [
            talk._replace(n_before=max(0, talk.n_before - _MOST_BUBBLES)) for talk in self._folded
        ]
        self._folded = more + opened
        self._fill()
        self.verticalScrollBar().setValue(0)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self) -> None:
        """Make what is new, take away what is gone, and leave the rest as a person has it."""
        spare: defaultdict[_Piece, list[QWidget]] = defaultdict(list)
        for piece, widget in self._pieces:
            spare[piece].append(widget)
        self._pieces = [
            (piece, spare[piece].pop(0) if spare[piece] else piece.make(piece.of))
            for piece in self._wanted()
        ]
        for widget in (widget for left in spare.values() for widget in left):
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        is_other = not any(self._column.indexOf(widget) >= 0 for _, widget in self._pieces)
        for place, (_, widget) in enumerate(self._pieces):
            item = self._column.itemAt(place)
            if item is None or item.widget() is not widget:
                self._column.removeWidget(widget)
                self._column.insertWidget(place, widget)
        if is_other:
            self.verticalScrollBar().setValue(0)

    def _wanted(self) -> list[_Piece]:
        """What is to be seen, from the top."""
        n_talks = len(self._talks) - len(self._folded)
        pieces = [_Piece(self._unfold_link, (n_talks, "question"))] if n_talks else []
        for talk in self._folded:
            if len(self._talks) > 1:
                pieces.append(_Piece(_heading, talk.title))
            if talk.n_before:
                pieces.append(_Piece(self._unfold_link, (talk.n_before, "message")))
            pieces += [_Piece(_bubble, bubble) for bubble in talk.bubbles[talk.n_before :]]
        return pieces

    def _unfold_link(self, folded: tuple[int, str]) -> QWidget:
        n, word = folded
        words = f"1 {word}" if n == 1 else f"{n:,} {word}s"
        row = QWidget()
        row_of(push_button(f"Show {words} before", self.unfold, role="link"), 1, of=row)
        return row


def _heading(title: str) -> QWidget:
    return text_label(title, role="heading", is_wrapped=True)


def _bubble(bubble: MessageBubble) -> QWidget:
    frame = QFrame()
    frame.setProperty("role", "message")
    frame.setProperty("speaker", bubble.role)
    name = f"Copy: {bubble.who}"
    copy = push_button("Copy", lambda: _copy(bubble.plain), role="link", name=name)
    note = text_label(bubble.note, role="dim", is_wrapped=True)
    head = row_of(text_label(bubble.who, role="section"), (note, 1), copy, gap=GAP)
    column = column_of(head, of=frame, margins=(GAP, 0, 0, 0), gap=SPACE)
    if bubble.thought:
        column.addWidget(TruncatedText(f"Thoughts of {bubble.who}", bubble.thought, role="dim"))
    if bubble.text:
        column.addWidget(
            TruncatedText(bubble.who, bubble.text, role="dim" if bubble.is_dim else "")
        )
    for card in bubble.cards:
        column.addWidget(_card(card, is_dim=bubble.is_dim))
    return frame


def _card(card: ShownCall, *, is_dim: bool) -> QWidget:
    frame = QFrame()
    frame.setProperty("role", "card")
    name, role = f"Arguments of {card.title}", "dim" if is_dim else ""
    column = column_of(
        text_label(card.title, role=role or "strong", is_wrapped=True),
        TruncatedText(name, card.arguments, role=role, is_code=True),
        text_label("No result" if card.result is None else "Result", role="dim"),
        of=frame,
        margins=(GAP, GAP, GAP, GAP),
        gap=SPACE,
    )
    if card.result is not None:
        name = f"Result of {card.title}"
        column.addWidget(TruncatedText(name, card.result, role=role, is_code=True))
    return frame


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
