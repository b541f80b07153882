"""Accept many questions of a kind together: a threshold, the count, and a way back.

Made by `panels/review_panel.py`, which lists exactly those questions while the strip is open.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from toolplanner_core.words.wording import counted
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.curate.review_answers import AnswerBatch, Answers
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label

_FIRST = 0.85


class BatchStrip(QWidget):
    """One line.

    Args:
        answers: gives the answers, stops and undoes them.

    Signals:
        accept_clicked, close_clicked: the buttons.
    """

    accept_clicked = Signal()
    close_clicked = Signal()

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.threshold = QDoubleSpinBox(minimum=0.5, maximum=1.0, singleStep=0.05, value=_FIRST)
        self.threshold.setFixedWidth(64)
        tip = (
            "<p>Least mean of the signals, the evidence on the card, each from 0 to 1; Up and Down"
            " change it</p>"
        )
        named(self.threshold, "Least mean of the signals", tip=tip)
        self.words = text_label()
        self.accept_button = push_button("Accept", self.accept_clicked.emit, role="primary")
        self.stop_button = push_button("Stop", answers.stop_batch)
        tip = "<p>Go back to the point of the history before the batch</p>"
        self.undo_button = push_button("Undo the batch", answers.undo_batch, tip=tip)
        self.close_button = push_button("Close", self.close_clicked.emit)
        # What undoes comes before the others: none of them is then where another one was.
        buttons = (self.undo_button, self.accept_button, self.stop_button, self.close_button)
        parts = (text_label("From a mean signal of"), self.threshold, self.words, 1, *buttons)
        row_of(*parts, of=self, margins=(EDGE, SPACE, EDGE, SPACE), gap=GAP)
        self.show_batch(None)

    def begin(self) -> None:
        """Start with a cautious threshold, whatever was accepted before."""
        self.threshold.setValue(_FIRST)

    def show_count(self, n: int, kind: str) -> None:
        """How many would be accepted."""
        lower = "" if n else ": a lower number lists more"
        listed = f"{counted(n, 'question')} about “{kind.lower()}”, as listed{lower}"
        self.words.setText(listed)
        self.accept_button.setText(f"Accept {n:,}")
        self.accept_button.setEnabled(n > 0)

    def show_batch(self, batch: AnswerBatch | None) -> None:
        """Where a batch stands; None when there is none."""
        is_running = batch is not None and batch.is_running
        self.stop_button.setVisible(is_running)
        self.accept_button.setVisible(not is_running)
        self.threshold.setEnabled(not is_running)
        self.close_button.setEnabled(not is_running)
        self.undo_button.setVisible(batch is not None and not is_running and batch.done > 0)
        if batch is not None:
            why = "settled by others, or to be looked at one by one"
            left = f", {batch.left:,} left: {why}" if batch.left else ""
            self.words.setText(f"{batch.done:,} of {batch.total:,} accepted{left}")
