"""Titled texts one below the other: messages, replies, raw requests and responses, reasons."""

from collections.abc import Sequence

from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QWidget

from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.picture_view import PictureView
from toolplanner_gui.widgets.program_view import program_view
from toolplanner_gui.widgets.views import code_view, scroll_vertically

_MOST_LINES = 24
_FRAME = 28
"""Border, padding and document margin of a field, pixels."""
_LIMIT = 200_000
"""Characters shown of one text; a reply may have megabytes, and a label that long stalls."""


class SectionList(QScrollArea):
    """Shows `(title, text, look, picture)` as plain text; a look is "", "code", or "program".

    Args:
        tasks: reads pictures, which are base64; without, they are not shown.
    """

    def __init__(self, *, tasks: Tasks | None = None) -> None:
        super().__init__()
        self._tasks = tasks
        scroll_vertically(self)
        self._shown: list[tuple[str, str, str, str]] = []
        self.show_sections([])

    def show_sections(self, sections: Sequence[tuple[str, str, str, str]]) -> None:
        """Replace what is shown; the same texts again change nothing, so that reading goes on."""
        if list(sections) == self._shown and self.widget() is not None:
            return
        self._shown = list(sections)
        page = QWidget()
        page.setProperty("role", "page")
        column = column_of(of=page, margins=(EDGE, EDGE, EDGE, EDGE), gap=SPACE)
        for position, (title, text, look, picture) in enumerate(self._shown):
            if position:
                column.addSpacing(2 * SPACE)
            column.addWidget(text_label(title, role="section", is_wrapped=True))
            if picture and self._tasks is not None:
                column.addWidget(PictureView(title, picture, self._tasks))
            column.addWidget(self._field(title, text, look=look))
        column.addStretch(1)
        self.setWidget(page)

    @property
    def text(self) -> str:
        """All that is shown, for tests."""
        return "\n".join(f"{title}\n{text}" for title, text, *_ in self._shown)

    def _field(self, title: str, text: str, *, look: str) -> QWidget:
        cut = text if len(text) <= _LIMIT else f"{text[:_LIMIT]}\n… cut, {len(text):,} characters"
        if not look and len(cut) <= 2000:
            return text_label(cut, is_wrapped=True, is_selectable=True)
        if look == "program":
            return program_view(title, cut)
        field = code_view(title)
        field.setPlainText(cut)
        field.setFixedHeight(_height(field, cut))
        return field


def _height(field: QPlainTextEdit, text: str) -> int:
    # Wrapped lines are guessed from the length: the width is not known before the first layout.
    lines = sum(1 + len(line) // 56 for line in text[:8000].splitlines()) or 1
    return field.fontMetrics().lineSpacing() * min(lines, _MOST_LINES) + _FRAME
