"""The messages of a question that is held, to be changed before they are sent."""

from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_gui.panels.inspector.decision_page import DecisionPage
from toolplanner_gui.panels.inspector.spoken import offered_functions, who_said
from toolplanner_gui.widgets.messages_editor import MessagesEditor


class MessagesPage(DecisionPage):
    """The messages of a question as they will be sent."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: Stop | None = None
        self.editor = MessagesEditor(who_said)
        self.editor.changed.connect(self.changed)
        self.stack(self.editor)

    @property
    def misfit(self) -> str:
        return self.editor.misfit

    def show_stop(self, stop: Stop) -> None:
        self._stop = stop
        self.editor.show_messages(stop.messages, offered_functions(stop))

    def decision(self) -> StopDecision | None:
        messages = self.editor.messages
        if self._stop is None or messages == [dict(each) for each in self._stop.messages]:
            return None
        return StopDecision(choice=Choice.EDIT, messages=messages)
