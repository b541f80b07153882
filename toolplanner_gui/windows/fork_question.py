"""The pages of the fork dialog for the next question: one for its messages, one for its answer."""

from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.spec import ForkEdit
from toolplanner_core.runs.tape.fork_target import question_misfit
from toolplanner_gui.panels.inspector.decision_page import DecisionPage
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import scrolled


class ForkQuestionPage(QWidget):
    """One of both, as at a stop; nothing is changed until a person does."""

    def __init__(self, editor: DecisionPage, explanation: str) -> None:
        super().__init__()
        self.editor = editor
        self._question: Stop | None = None
        self._was: StopDecision | None = None
        self._is_touched = False
        self._title = text_label(role="section", is_wrapped=True)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.setAccessibleName("Why it does not fit")
        self._problem.hide()
        self.about = text_label(explanation, role="dim", is_wrapped=True)
        self.inside = QWidget()
        self.inside.setProperty("role", "page")
        parts = (self._title, self.about, editor, 1)
        column_of(*parts, of=self.inside, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP)
        # Below what scrolls, so that it is seen wherever one writes.
        column_of((scrolled(self.inside), 1), self._problem, of=self, gap=GAP)
        editor.changed.connect(self._on_changed)

    def show_question(self, question: Stop) -> None:
        """Begin with a question as it went."""
        self._question = question
        self._title.setText(question.title)
        self.editor.show_stop(question)
        self._was, self._is_touched = self.editor.decision(), False

    @property
    def edit(self) -> ForkEdit:
        """What a person changed."""
        decision = self.editor.decision() if self._is_touched else None
        if decision is None or decision == self._was:
            return ForkEdit()
        return ForkEdit(messages=decision.messages, answer=decision.value)

    @property
    def misfit(self) -> str:
        """Why what a person wrote cannot be taken, "" if it can."""
        if self._question is None or not self._is_touched:
            return ""
        return self.editor.misfit or question_misfit(self._question, self.edit)

    @property
    def problem(self) -> str:
        """What is said to be wrong."""
        return self._problem.text()

    def show_problem(self, sentence: str) -> None:
        """Say what is wrong, "" = nothing."""
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))

    def _on_changed(self) -> None:
        self._is_touched = True
        self.show_problem("")
