"""Choose the API and edit the arguments of a call that is held, or only the API of a fallback."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.stop_points import BEFORE_CALL
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.telling.stop_choices import (
    call_decision,
    carried_over,
    failed_apis,
    goal_of,
    taking,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.decision_page import DecisionPage
from toolplanner_gui.viewmodels.api_candidates import ApiCandidates
from toolplanner_gui.viewmodels.table_model import KEY_ROLE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.choice_list import ChoiceList
from toolplanner_gui.widgets.labels import text_label


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
