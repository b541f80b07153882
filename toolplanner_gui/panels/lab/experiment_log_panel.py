"""The log of an experiment: what happened while this window ran it, and the trials that are not as
they were planned."""

from toolplanner_core.domain.experiment import TrialState
from toolplanner_core.words.formatting import one_line, when
from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.viewmodels.lab.lab_session import LabSession
from toolplanner_gui.widgets.box_layouts import pages_of
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.views import QuietTree

_MOST = 500
"""Trials that are listed: the first of those that broke or could not be measured."""
_TROUBLE = (TrialState.BROKEN, TrialState.NOT_MEASURED, TrialState.STOPPED)
_LONGEST = 400


class ExperimentLogPanel(Panel):
    """Newest first; Return on a line about a trial looks at it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.model = TableModel(("When", "What happened"), self)
        self.view = QuietTree("Log of the experiment", is_flat=True)
        self.view.set_model(self.model, {0: 110})
        self.empty = EmptyState("text-box-outline")
        self.empty.say(
            "Nothing to tell: the log begins when an experiment is started here.",
            button="Go to the experiments",
            run=lambda: context.shell.call_panel(panel_commands.focus_experiments),
        )
        self.pages = pages_of(self.empty, self.view, of=self)
        self.view.activated.connect(lambda index: self._look_at(index.data(KEY_ROLE)))
        for signal in (context.lab.opened, context.lab.renewed, context.lab.logged):
            signal.connect(self.mark_outdated)

    def focus_list(self) -> None:
        """Put the keyboard into the list."""
        (self.view if self.model.rowCount() else self.empty).setFocus()

    def renew(self) -> None:
        rows = _rows(self.context.lab)
        self.model.update_rows(rows)
        self.pages.setCurrentIndex(1 if rows else 0)

    def _look_at(self, number: object) -> None:
        reading = self.context.lab.reading
        if isinstance(number, int) and reading is not None:
            trials = reading.results.trials()
            found = next((each for each in trials if each.trial.number == number), None)
            self.context.lab.look_at_trial(found)


def _rows(lab: LabSession) -> list[Row]:
    lines = lab.log.get(lab.path, []) if lab.path is not None else []
    rows = [
        Row(cells=(when(line.at_s), line.text), key=f"{place}")
        for place, line in reversed(list(enumerate(lines)))
    ]
    if lab.problem:
        rows.insert(0, Row(cells=("", lab.problem), key="problem"))
    trials = lab.reading.results.trials() if lab.reading is not None else ()
    bad = [each for each in trials if each.trial.state in _TROUBLE][:_MOST]
    return rows + [
        Row(
            cells=(
                f"Trial {each.trial.number:,}",
                one_line(f"{each.trial.state}: {each.why} ({each.trial.arm})", _LONGEST),
            ),
            key=each.trial.number,
            icon=lambda: make_icon("alert-circle", "failed"),
            tooltip=each.why,
        )
        for each in bad
    ]
