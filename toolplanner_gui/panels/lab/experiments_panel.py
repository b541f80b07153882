"""The experiments beside the workspace: how each stands, what the chosen one would run, start and
stop."""

from collections.abc import Sequence

from PySide6.QtWidgets import QProgressBar, QToolButton, QWidget

from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.lab.coordinator import stop_experiment
from toolplanner_core.lab.experiment_file import read_experiment_file
from toolplanner_core.lab.looking.experiments import ListedExperiment, standing_words
from toolplanner_core.lab.looking.plan import plan_lines, read_plan
from toolplanner_core.words.formatting import count
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import READING, Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_TITLES = ("Experiment", "State", "Trials")
_WIDTHS = {1: 84, 2: 92}
_LOOKS = {
    "not started": ("circle-outline", "waiting"),
    "running": ("play-circle", "running"),
    "stopped": ("pause-circle", "paused"),
    "finished": ("check-circle", "ok"),
    "cannot be read": ("alert-circle", "failed"),
}
_NONE_YET = (
    "No experiments yet. One compares ways to solve the same queries, such as the toolkits before"
    " and after a merge, and says with an interval whether there is a difference."
)


class ExperimentsPanel(Panel):
    """Follows the session of the Lab."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._planning = LatestRequest(context.tasks, self)
        self.model = TableModel(_TITLES, self, numbers=(2,))
        self.view = QuietTree("Experiments", is_flat=True)
        self.view.set_model(self.model, _WIDTHS)
        self.plan = text_label(is_wrapped=True, name="What the experiment runs")
        self.standing = text_label(role="dim", is_wrapped=True, name="How it stands")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Trials that have ended")
        tip = "<p>Run all trials that are left, in worker processes</p>"
        self.start_button = push_button("Start", self.start, role="primary", tip=tip)
        tip = "<p>Begin no further trial; pressed again, stop those that run, too</p>"
        self.stop_button = push_button("Stop", self.stop, tip=tip)
        self.judge_button = push_button(
            "Judge blindly …",
            lambda: self.context.shell.open(dialog_commands.judge_blindly),
            tip="<p>Judge answers yourself, without knowing which arm gave them</p>",
        )
        self.new_button = icon_button("plus", "New experiment", self._new)
        self.empty = EmptyState("flask-outline")
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        lab = context.lab
        lab.listed.connect(self.mark_outdated)
        lab.opened.connect(self._show_current)
        lab.renewed.connect(self._show_standing)
        lab.runner.changed.connect(self._show_standing)
        self.empty.say(READING)
        lab.refresh()

    def _content(self) -> QWidget:
        buttons = QWidget()
        row_of(self.start_button, self.stop_button, self.judge_button, 1, of=buttons, gap=GAP)
        below = page_of(
            self.plan, self.standing, self.bar, buttons, margins=(EDGE, GAP, EDGE, GAP), gap=GAP
        )
        return page_of((self.view, 1), below)

    def buttons(self) -> Sequence[QToolButton]:
        return (self.new_button,)

    def focus_list(self) -> None:
        """Go to the list, or to the button of the empty one."""
        (self.view if self.model.rowCount() else self.empty).setFocus()

    def renew(self) -> None:
        lab = self.context.lab
        found = lab.experiments
        if found:
            self.pages.setCurrentIndex(1)
        else:
            self.pages.setCurrentIndex(0)
            self.empty.say(_NONE_YET, button="New experiment …", run=self._new)
        self.model.update_rows([_row(each) for each in found])
        self._show_current()

    def start(self) -> None:
        """Run what is left of the experiment that is looked at."""
        current = self.context.lab.current
        if current is not None and self.start_button.isEnabled():
            self.context.lab.runner.start(current.file)

    def stop(self) -> None:
        """Begin no further trial; asked again, stop those that run, too."""
        lab = self.context.lab
        current = lab.current
        if lab.is_running:
            lab.runner.stop()
        elif current is not None and current.is_running:

            async def flow() -> None:
                await self.context.tasks.in_thread(lambda: stop_experiment(current.store))
                lab.say("Asked the process that runs it to begin no further trial")

            self.context.tasks.spawn(flow(), owner=self)

    def _new(self) -> None:
        self.context.shell.open(dialog_commands.new_experiment)

    def _on_current(self) -> None:
        path = self.view.currentIndex().data(KEY_ROLE)
        if path is not None:
            self.context.lab.open(path)

    def _show_current(self) -> None:
        """Select the experiment that is looked at, and say what it runs."""
        lab = self.context.lab
        current = lab.current
        position = self.model.position_of(lab.path)
        if position is not None and self.view.currentIndex().row() != position:
            self.view.setCurrentIndex(self.model.index(position, 0))
        self._show_standing()
        if current is None or not current.file.exists():
            self.plan.setText("")
            return
        file = current.file

        def refused(error: ToolPlannerError) -> None:
            self.plan.setText(str(error))
            self.start_button.setEnabled(False)

        self._planning.ask(
            lambda: plan_lines(read_plan(read_experiment_file(file))),
            lambda lines: self.plan.setText("\n".join(f"• {line}" for line in lines)),
            refused,
        )

    def _show_standing(self) -> None:
        lab = self.context.lab
        current, reading = lab.current, lab.reading
        standing = reading.standing if reading is not None else current and current.standing
        is_mine = lab.is_running
        is_elsewhere = current is not None and current.is_running and not is_mine
        self.standing.setText(lab.problem or (standing_words(standing) if standing else ""))
        self.standing.setVisible(bool(self.standing.text()))
        planned = standing.planned if standing else 0
        self.bar.setVisible(bool(planned))
        self.bar.setRange(0, max(1, planned))
        self.bar.setValue(planned - standing.left if standing else 0)
        is_left = standing is None or bool(standing.left)
        can_start = current is not None and current.file.exists() and is_left
        self.start_button.setText("Go on" if standing and standing.left else "Start")
        self.start_button.setVisible(not is_mine and not is_elsewhere)
        self.start_button.setEnabled(can_start and lab.runner.store is None)
        self.stop_button.setVisible(is_mine or is_elsewhere)
        self.stop_button.setText("Stop now" if lab.runner.is_stopping and is_mine else "Stop")
        self.judge_button.setVisible(reading is not None)


def _row(each: ListedExperiment) -> Row:
    icon, token = _LOOKS[each.word]
    standing = each.standing
    trials = "" if standing is None else f"{count(each.done)} / {count(standing.planned)}"
    return Row(
        cells=(each.name, each.word, trials),
        key=each.store,
        icon=lambda: make_icon(icon, token),
        tooltip=each.problem or f"{each.name}: {each.word}",
    )
