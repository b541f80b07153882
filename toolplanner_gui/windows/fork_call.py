"""The page of the fork dialog for the next call: its API and its arguments."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.runs.telling.run_again import changed_arguments
from toolplanner_core.runs.telling.stop_choices import carried_over
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.api_candidates import ApiCandidates
from toolplanner_gui.viewmodels.table_model import KEY_ROLE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.choice_list import ChoiceList
from toolplanner_gui.widgets.labels import text_label


class ForkCallPage(QWidget):
    """Shows the call as it was; nothing is changed until a person does."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._was: Api | None = None
        self._api: Api | None = None
        self._before: Mapping[str, Any] = {}
        self._goal = ""
        assert context.workspace is not None
        self.candidates = ApiCandidates(context.tasks, context.workspace, self)
        self._title = text_label(role="section", is_wrapped=True)
        self.choose_button = push_button("Call another API …", self._on_choose, role="link")
        self.choice = ChoiceList(
            "Search in all APIs", self.candidates.model, key_role=int(KEY_ROLE)
        )
        self.choice.hide()
        self.arguments = ArgumentForm()
        self.setProperty("role", "page")
        choose = (self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self._title, choose, self.choice, self.arguments, 1)
        column_of(*parts, of=self, margins=(EDGE, GAP, EDGE, EDGE), gap=GAP)
        self.choice.searched.connect(self.candidates.search)
        self.choice.chosen.connect(self._on_chosen)
        self.candidates.changed.connect(lambda: self.choice.say(self.candidates.note))

    def show_call(self, api: Api | None, arguments: Mapping[str, Any], *, goal: str) -> None:
        """Begin with a call; None = there is none whose arguments could be changed.

        Args:
            goal: of the step, which the scores of other APIs are for.
        """
        self._was, self._before, self._goal = api, arguments, goal
        self._take(api)

    @property
    def changed_api(self) -> ApiId | None:
        """Another API, None for the one it was."""
        is_other = self._api is not None and self._was is not None and self._api.id != self._was.id
        return self._api.id if self._api is not None and is_other else None

    @property
    def changed_arguments(self) -> dict[str, Any] | None:
        """Arguments to set at the call, None = none."""
        return None if self._api is None else changed_arguments(self._before, self.arguments.values)

    def misfit(self) -> str:
        """Why the changed call would not be sent; one that nobody changed goes as it went."""
        from toolplanner_core.runs.stages.arguments import ArgumentCheck

        if self._api is None:
            return ""
        if self.changed_api is None and self.changed_arguments is None:
            return self.arguments.misfit
        found = ArgumentCheck().check(self._api, self.arguments.values)
        return self.arguments.misfit or ("" if found is None else found.message)

    def _on_choose(self) -> None:
        """Open or close the list; from another API, go back to the one it was."""
        if self._was is None:
            return
        if self.changed_api is not None:
            self.choice.hide()
            self._take(self._was)
            return
        self.choice.setVisible(self.choice.isHidden())
        if not self.choice.isHidden() and self.candidates.model.rowCount() == 0:
            self.candidates.offer_toolkit_of(self._was, goal=self._goal)
        self.choice.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name_button()

    def _on_chosen(self, key: ApiId) -> None:
        api = self.candidates.api(key)
        if api is not None:
            self._take(api)

    def _take(self, api: Api | None) -> None:
        self._api = api
        self.choose_button.setVisible(api is not None)
        self.arguments.setVisible(api is not None)
        if api is None:
            self._title.setText("No call follows whose arguments could be changed.")
            return
        self._title.setText(f"Call of {api.title}")
        is_same = self._was is not None and api.id == self._was.id
        values = self._before if is_same else carried_over(api, self._before)
        self.arguments.show_arguments(api.parameters, values, before=self._before)
        self._name_button()

    def _name_button(self) -> None:
        if self.changed_api is not None and self._was is not None:
            self.choose_button.setText(f"Back to {self._was.title}")
        else:
            is_open = not self.choice.isHidden()
            self.choose_button.setText("Keep this API" if is_open else "Call another API …")
