"""An error in place: what happened, why, what to do; dismissible, details on demand."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.labels import IconLabel, text_label
from toolplanner_gui.widgets.views import scrolled

_MOST_PX = 136
"""What it takes of the page below at most; the rest is scrolled to."""
_MOST_OFFERED = 3


class Banner(QFrame):
    """Hidden until there is something to say."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.setAccessibleName("Problem")
        self._what = text_label(role="heading", is_wrapped=True)
        self._why = text_label(role="dim", is_wrapped=True)
        for label in (self._what, self._why):
            label.setMinimumHeight(1)  # else Qt keeps the height that a narrow one would need
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setProperty("role", "code")
        self._details.setFixedHeight(96)
        self._details.setAccessibleName("Details of the problem")
        self._details.hide()
        self._offered: Sequence[QAction] = ()
        self.offer_buttons = [
            push_button("", partial(self._on_offered, at)) for at in range(_MOST_OFFERED)
        ]
        self._more = push_button("Show details", self._on_more, role="link")
        self.close_button = icon_button("close", "Dismiss", self.dismiss)

        top = Qt.AlignmentFlag.AlignTop
        more = (self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._texts = page_of(self._what, self._why, more, self._details, gap=SPACE)
        self._area = scrolled(self._texts)
        parts = (
            (IconLabel(make_icon("alert-circle", "failed")), 0, top),
            (self._area, 1),
            *((button, 0, top) for button in self.offer_buttons),  # never scrolled out of sight
            (self.close_button, 0, top),
        )
        row_of(*parts, of=self, margins=(EDGE, GAP, GAP, GAP), gap=GAP)
        self.hide()

    def show_problem(
        self, what: str, *, why: str, todo: str, details: str, offered: Sequence[QAction] = ()
    ) -> None:
        """Say what happened, why, and what to do; all plain text. What is offered are buttons."""
        self._offered = offered[:_MOST_OFFERED]
        for at, button in enumerate(self.offer_buttons):
            button.setText(offered[at].text() if at < len(offered) else "")
            button.setVisible(at < len(offered))
        self._what.setText(_sentence(what))
        rest = " ".join(_sentence(part) for part in (why, todo) if part)
        self._why.setText(rest)
        self._why.setVisible(bool(rest))
        self._details.setPlainText(details)
        self._details.hide()
        self._more.setText("Show details")
        self._more.setVisible(bool(details))
        self.show()
        self._fit()
        self._area.verticalScrollBar().setValue(0)

    @property
    def text(self) -> str:
        """What is shown, for tests and screen readers."""
        return f"{self._what.text()} {self._why.text()}".strip()

    def dismiss(self) -> None:
        """Hide it."""
        self.hide()
        self.dismissed.emit()

    def _on_offered(self, at: int) -> None:
        self._offered[at].trigger()

    def _on_more(self) -> None:
        is_shown = self._details.isHidden()
        self._details.setVisible(is_shown)
        self._more.setText("Hide details" if is_shown else "Show details")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wrapped = self._texts.heightForWidth(max(1, self._area.width()))
        tall = max(wrapped, self._texts.minimumSizeHint().height())
        self._area.setFixedHeight(min(tall, _MOST_PX))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."
