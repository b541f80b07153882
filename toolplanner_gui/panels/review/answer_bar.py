"""The answers to a question as buttons; each has a single key in the Review menu."""

from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.review_answers import Answers
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button


class AnswerBar(QWidget):
    """Accept, reject, skip, never; and taking the last answer back."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.accept_button = push_button("Accept (A)", answers.accept, role="primary")
        self.reject_button = push_button("Reject (R)", answers.reject)
        self.skip_button = push_button("Skip (S)", answers.skip)
        self.never_button = push_button("Never (N)", answers.never)
        self.back_button = push_button("Take back (Z)", answers.take_back)
        self._answers = (
            self.accept_button,
            self.reject_button,
            self.skip_button,
            self.never_button,
        )
        for button, tip in (
            (self.accept_button, "Make the edit that is described above (A)"),
            (self.reject_button, "Leave it as it is; asked again when the evidence changes (R)"),
            (self.skip_button, "Put it off; find it later under “Skipped” (S)"),
            (self.never_button, "Reject it, and keep every later clustering from it, too (N)"),
            (self.back_button, "Take back the last answer and undo its edit (Z)"),
        ):
            button.setToolTip(f"<p>{tip}</p>")
        row_of(
            *self._answers, 1, self.back_button, of=self, margins=(EDGE, GAP, EDGE, GAP), gap=GAP
        )

    def enable(self, *, is_open: bool, has_last: bool) -> None:
        """Whether a question waits for an answer, and whether there is one to take back."""
        for button in self._answers:
            button.setEnabled(is_open)
        self.back_button.setEnabled(has_last)
