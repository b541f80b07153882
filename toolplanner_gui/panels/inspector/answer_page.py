"""Answer in the place of an API or a model, or let it fail."""

from PySide6.QtWidgets import QComboBox

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.telling.stop_choices import failures, first_answer
from toolplanner_gui.panels.inspector.decision_page import DecisionPage
from toolplanner_gui.panels.inspector.spoken import offered_functions
from toolplanner_gui.widgets.json_editor import JsonEditor
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.turn_editor import TurnEditor


class AnswerPage(DecisionPage):
    """A result or an answer as JSON; in a dialogue text and calls."""

    def __init__(self) -> None:
        super().__init__()
        self._is_dialogue = False
        self.json = JsonEditor("What the run goes on with", takes_text=True)
        self.json.edited.connect(self.changed)
        self.turn = TurnEditor("What the assistant says")
        self.turn.changed.connect(self.changed)
        self.stack(self.json, self.turn)

    @property
    def misfit(self) -> str:
        return self.turn.misfit if self._is_dialogue else self.json.problem

    def shows_problem(self, sentence: str) -> bool:
        # The editor says itself what is no JSON; what does not fit otherwise, it does not know.
        return not self._is_dialogue and sentence == self.json.note

    def show_stop(self, stop: Stop) -> None:
        self._is_dialogue = stop.is_dialogue
        self.json.setVisible(not stop.is_dialogue)
        self.turn.setVisible(stop.is_dialogue)
        value = first_answer(stop)
        if stop.is_dialogue:
            self.turn.show_turn(value["text"], value["calls"], offered_functions(stop))
        elif value is not None:
            self.json.set_value(value)
        else:
            self.json.set_text("")

    def decision(self) -> StopDecision | None:
        value = self.turn.value if self._is_dialogue else self.json.value
        return StopDecision(choice=Choice.ANSWER, value=value)


class FailurePage(DecisionPage):
    """The class of a failure."""

    def __init__(self) -> None:
        super().__init__()
        self._explanations = dict(failures())
        self.error = QComboBox()
        self.error.setAccessibleName("Error class")
        for error in self._explanations:
            self.error.addItem(error.value.replace("_", " ").capitalize(), error)
        self.about = text_label(role="dim", is_wrapped=True)
        self.error.currentIndexChanged.connect(lambda _: self._on_chosen())
        self.error.setCurrentIndex(self.error.findData(ErrorClass.SERVER_ERROR))
        self.stack(self.error, self.about)

    def show_stop(self, stop: Stop) -> None:
        """The class that was chosen last stays."""

    def decision(self) -> StopDecision | None:
        return StopDecision(choice=Choice.FAIL, error=self.error.currentData())

    def _on_chosen(self) -> None:
        self.about.setText(self._explanations[self.error.currentData()])
        self.changed.emit()
