"""Changes by words: as rich text, and as two sides beside each other."""

import html
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTextBrowser

from toolplanner_gui.theme.tokens import GAP, SPACE

_TAGS = {"[-": "<s>", "-]": "</s>", "{+": "<b><u>", "+}": "</u></b>"}


def diff_as_html(marked: str) -> str:
    """A text with the marks of `words/word_diff.py`; the words of strangers stay plain text."""
    text = html.escape(marked)
    for mark, tag in _TAGS.items():
        text = text.replace(mark, tag)
    return text


_MOST_PX = 168


class SideBySide(QTextBrowser):
    """A table of three columns, as high as its texts up to some lines."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.most_px = _MOST_PX
        self.hide()

    def show_rows(self, titles: Sequence[str], rows: Sequence[tuple[str, str, str]]) -> None:
        """Show these; hidden without any.

        Args:
            titles: of the three columns.
            rows: what it is, and both sides with the marks of changes by words.
        """
        heads = "".join(f"<th align='left'>{html.escape(title)}</th>" for title in titles)
        lines = "".join(
            f"<tr><td>{html.escape(what)}</td><td>{diff_as_html(one)}</td>"
            f"<td>{diff_as_html(other)}</td></tr>"
            for what, one, other in rows
        )
        columns = "<col width='18%'/><col width='41%'/><col width='41%'/>"
        self.setHtml(
            f"<table width='100%' cellpadding='{SPACE}'>{columns}<tr>{heads}</tr>{lines}</table>"
        )
        self.setVisible(bool(rows))
        self._fit()

    def set_most(self, height: int | None) -> None:
        """How high it may be, pixels; None = as always."""
        self.most_px = _MOST_PX if height is None else height
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        tall = round(self.document().size().height()) + GAP
        self.setFixedHeight(min(tall, self.most_px))
