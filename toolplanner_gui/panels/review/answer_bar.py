"""The answers to a question as buttons; each has a single key in the Review menu."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.review_answers import Answers
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button


class AnswerBar(QWidget):
    """Accept, reject, skip, never; and taking the last answer back.

    Where there is no room for all of it, the buttons leave out their keys, which the tooltips say.
    """

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        tip = "<p>Make the edit that is described above (A)</p>"
        self.accept_button = push_button("Accept (A)", answers.accept, role="primary", tip=tip)
        tip = "<p>Leave it as it is; asked again when the evidence changes (R)</p>"
        self.reject_button = push_button("Reject (R)", answers.reject, tip=tip)
        tip = "<p>Put it off; find it later under “Skipped” (S)</p>"
        self.skip_button = push_button("Skip (S)", answers.skip, tip=tip)
        tip = "<p>Reject it, and keep every later clustering from it, too (N)</p>"
        self.never_button = push_button("Never (N)", answers.never, tip=tip)
        tip = "<p>Take back the last answer and undo its edit (Z)</p>"
        self.back_button = push_button("Take back (Z)", answers.take_back, tip=tip)
        self._answers = (
            self.accept_button, self.reject_button, self.skip_button, self.never_button,
        )  # fmt: skip
        parts = (*self._answers, 1, self.back_button)
        row_of(*parts, of=self, margins=(EDGE, GAP, EDGE, GAP), gap=GAP)
        self._texts = {button: button.text() for button in (*self._answers, self.back_button)}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button, text in self._texts.items():
            button.setText(text)
        if self.sizeHint().width() > event.size().width():
            for button, text in self._texts.items():
                button.setText(text.partition(" (")[0])

    def enable(self, *, is_open: bool, is_read: bool, has_last: bool) -> None:
        """Whether a question waits for an answer, whether what it is answered by is shown, and
        whether there is an answer to take back."""
        for button in self._answers:
            button.setEnabled(is_open and (is_read or button is self.skip_button))
        self.back_button.setEnabled(has_last)
