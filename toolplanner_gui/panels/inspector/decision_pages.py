"""Pages on which a person decides at a stop: alternatives, answer or failure, call, messages."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.stop_points import BEFORE_CALL, Choice
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.presentation.stop_choices import (
    call_decision,
    carried_over,
    failed_apis,
    failures,
    first_answer,
    goal_of,
    taking,
)
from toolplanner_core.words.formatting import one_line, score
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.messages import offered_functions, speaker_name
from toolplanner_gui.theme.tokens import GAP, ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.api_candidates import ApiCandidates
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.choice_list import ChoiceList
from toolplanner_gui.widgets.json_editor import JsonEditor
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.message_editors import MessagesEditor, TurnEditor
from toolplanner_gui.widgets.views import QuietTree


class DecisionPage(QWidget):
    """Emits `changed` when a person wrote or chose something else."""

    changed = Signal()
    listed = Signal()
    """What can be chosen was read."""

    @property
    def is_idle(self) -> bool:
        """Whether all that it shows is there."""
        return True

    @property
    def misfit(self) -> str:
        """Why no decision can come of it yet, "" if one can."""
        return ""

    def show_stop(self, stop: Stop) -> None:
        """Begin with a stop."""
        raise NotImplementedError

    def decision(self) -> StopDecision | None:
        """What the person wants instead, None to go on as it is."""
        raise NotImplementedError

    def shows_problem(self, sentence: str) -> bool:
        """Say in place why the decision does not fit, "" = nothing; False if there is no place."""
        del sentence
        return False

    def stack(self, *widgets: QWidget) -> None:
        """Put widgets one below the other."""
        column_of(*widgets, of=self, gap=SPACE)


_SCORE_WIDTH = 76
_MOST_ROWS = 12


class AlternativesPage(DecisionPage):
    """The alternatives in their order; the first one is what would be taken."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: Stop | None = None
        self.model = TableModel(("Alternative", "Score"), self, numbers=(1,))
        self.view = QuietTree("Alternatives, best first", is_flat=True)
        self.view.set_model(self.model, {1: _SCORE_WIDTH})
        self.view.selectionModel().currentChanged.connect(lambda *_: self.changed.emit())
        self.stack(self.view)

    def show_stop(self, stop: Stop) -> None:
        self._stop = stop
        rows: list[Row] = []
        for each in stop.alternatives:
            parts = " · ".join(f"{name} {part:.2f}" for name, part in each.parts.items())
            points = "" if each.score is None else score(each.score)
            cells = (one_line(each.title), points)
            rows.append(Row(cells=cells, key=each.id, tooltip=f"{each.title}\n{parts}".strip()))
        self.model.set_rows(rows)
        self.view.setColumnHidden(1, not any(row.cells[1] for row in rows))
        self.view.setFixedHeight((min(len(rows), _MOST_ROWS) + 1) * ROW_HEIGHT + GAP)
        self.view.setCurrentIndex(self.model.index(0, 0))

    def decision(self) -> StopDecision | None:
        at = self.view.currentIndex()
        assert self._stop is not None
        return taking(self._stop, self.model.row(at.row()).key) if at.isValid() else None


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


class CallPage(DecisionPage):
    """A form for the arguments, and a list of other APIs with scores."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._stop: Stop | None = None
        self.api: Api | None = None
        """What would be called."""
        self._goal = ""
        self._wanted: ApiId | None = None
        assert context.workspace is not None
        self.candidates = ApiCandidates(context.tasks, context.workspace, self)
        context.run_view.nodes_changed.connect(self._on_nodes_changed)
        self._title = text_label(role="section", is_wrapped=True)
        self.choose_button = push_button("", self._on_choose, role="link")
        self.choice = ChoiceList(
            "Search in all APIs", self.candidates.model, key_role=int(KEY_ROLE)
        )
        self.form = ArgumentForm()
        self.choose_row = QWidget()
        row_of(self.choose_button, 1, of=self.choose_row)
        self.stack(self._title, self.choose_row, self.choice, self.form)
        self.choice.searched.connect(self.candidates.search)
        self.choice.chosen.connect(self._on_chosen)
        self.candidates.changed.connect(self._on_candidates)
        self.form.changed.connect(self.changed)

    def show_stop(self, stop: Stop) -> None:
        view = self._context.run_view
        self._stop, self.api = stop, stop.api
        self._goal = goal_of(view.nodes, stop.path)
        self._wanted = None
        self.choice.field.clear()
        is_call = stop.point is BEFORE_CALL
        self.form.setVisible(is_call)
        self.choose_row.setVisible(is_call)
        self.choice.setVisible(not is_call)
        self.candidates.forget()
        self.candidates.set_failed(lambda: failed_apis(view.nodes, stop.path))
        if is_call and stop.api is not None:
            self.form.show_arguments(stop.api.parameters, stop.arguments)
        elif stop.alternatives:
            rows = [(ApiId(each.id), each.score or 0.0) for each in stop.alternatives]
            self._wanted = rows[0][0]
            self.candidates.offer(rows)
        else:
            self.candidates.offer_any(goal=self._goal)
        self._say()

    def _on_nodes_changed(self) -> None:
        """Failures, and the step itself, are heard of a moment after the stop."""
        self.candidates.look_for_failed()
        stop = self._stop
        goal = "" if stop is None else goal_of(self._context.run_view.nodes, stop.path)
        if stop is None or goal == self._goal:
            return
        self._goal = goal
        if not self.choice.isHidden() and not stop.alternatives and not self.choice.field.text():
            if stop.point is BEFORE_CALL and stop.api is not None:
                self.candidates.offer_toolkit_of(stop.api, goal=goal)
            else:
                self.candidates.offer_any(goal=goal)

    @property
    def is_idle(self) -> bool:
        return self.candidates.is_idle

    @property
    def misfit(self) -> str:
        if self._stop is not None and self._stop.point is BEFORE_CALL:
            return self.form.misfit
        if self.api is None:
            return "" if self._wanted is not None else "Choose an API from the list"
        return ""

    def decision(self) -> StopDecision | None:
        stop = self._stop
        assert stop is not None
        if stop.point is not BEFORE_CALL:
            return taking(stop, self.api.id) if self.api is not None else None
        if self.api is None:
            return None
        return call_decision(stop, api=self.api, arguments=self.form.values)

    def shows_problem(self, sentence: str) -> bool:
        is_call = self._stop is not None and self._stop.point is BEFORE_CALL
        self.form.show_problem(sentence if is_call else "")
        return is_call

    def choose_other(self) -> None:
        """Open the list of other APIs."""
        if self.choice.isHidden():
            self._on_choose()
        self.choice.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_choose(self) -> None:
        stop = self._stop
        if stop is None or stop.api is None:
            return
        if self.api is not None and self.api.id != stop.api.id:
            self._take(stop.api)
            self.choice.hide()
        else:
            self.choice.setVisible(self.choice.isHidden())
            if not self.choice.isHidden():
                self.candidates.offer_toolkit_of(stop.api, goal=self._goal)
                self.choice.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._say()

    def _on_candidates(self) -> None:
        self.choice.say(self.candidates.note)
        wanted = self.api.id if self.api is not None else self._wanted
        if wanted is not None:
            self.choice.take(wanted)
            if self.api is None:
                self.api = self.candidates.api(wanted)
                self._say()
        self.listed.emit()

    def _on_chosen(self, key: ApiId) -> None:
        api = self.candidates.api(key)
        if api is not None:
            self._take(api)

    def _take(self, api: Api) -> None:
        stop = self._stop
        assert stop is not None
        self.api = api
        if stop.point is BEFORE_CALL:
            is_same = stop.api is not None and api.id == stop.api.id
            values = stop.arguments if is_same else carried_over(api, stop.arguments)
            self.form.show_arguments(api.parameters, values, before=stop.arguments)
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        stop = self._stop
        assert stop is not None
        api, was = self.api, stop.api
        is_other = api is not None and was is not None and api.id != was.id
        self._title.setText(
            f"{api.title}, instead of {was.title}"
            if api is not None and was is not None and is_other
            else api.title
            if api is not None
            else ""
        )
        # The page's heading names the call as it was, the list of fallbacks what is chosen.
        self._title.setVisible(is_other and stop.point is BEFORE_CALL)
        if is_other and was is not None:
            self.choose_button.setText(f"Back to {was.title}")
        else:
            self.choose_button.setText(
                "Call another API …" if self.choice.isHidden() else "Keep this API"
            )


class MessagesPage(DecisionPage):
    """The messages of a question as they will be sent."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: Stop | None = None
        self.editor = MessagesEditor(speaker_name)
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
