"""What my curation changed: each saved query that is planned otherwise now, with both plans.

Since the last sitting by itself, or since any point of the history. A row leads to the run that
answered the query.
"""

from collections.abc import Mapping

from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.cases.plans_since import ChangedPlan, PlansSince, last_sitting, plans_since
from toolplanner_core.curation.edits.history_reading import list_history, list_snapshots
from toolplanner_core.domain.ids import ApiId, EditId
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import one_line, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.run_form import load_run_plugins
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import breakable, named
from toolplanner_gui.widgets.plan_comparison import PlanComparison
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.compare_states_dialog import points_of_history
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.edit_effects_dialog import steps_in_words

_SIZE = (760, 600)
_WAYS = {None: "not known", 0: "as good", 1: "better", -1: "worse"}
_LOOKS = {1: ("arrow-up-circle", "ok"), -1: ("arrow-down-circle", "failed")}
_OTHERWISE = ("circle-outline", "waiting")


class PlansSinceDialog(Dialog):
    """Queries at the top, the plans of the chosen one below."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "What my curation changed")
        self.resize(*_SIZE)
        self._workspace: Workspace = context.file
        self._newest = LatestRequest(context.tasks, self)
        self._progress = Progress()
        self._found: PlansSince | None = None
        self._titles: Mapping[ApiId, str] = {}
        self.since = named(QComboBox(), "Since")
        self.column.addLayout(form_of(("Since", self.since)))
        self.summary = self.paragraph()
        self.summary.setAccessibleName("What changed")
        self.model = TableModel(("Query", "Now", "Why"), self)
        self.model.meanings = (
            "What is asked",
            "Whether the APIs that answered the query in a run are tried sooner now, or later",
            "Where these APIs stood in the plan, and stand now",
        )
        self.view = QuietTree("Queries that are planned otherwise now", is_flat=True)
        self.view.set_model(self.model, {1: 100}, shares={2: 0.46})
        body = PlanComparison(self.view, "Plan of then", "Plan of now")
        self.heads, self.plans = body.heads, body.plans
        self.add((body, 1), self.banner)
        tip = "<p>Look at the run that answered the query, or the newest of it (Return)</p>"
        self.run_button = push_button("Open its run", self.open_run, tip=tip)
        self.add_buttons(self.run_button, close="Close")
        self.since.activated.connect(self._look)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.view.activated.connect(self.open_run)
        context.curation.history_changed.connect(self._read_history)
        self._show_plans()
        self._read_history()

    @property
    def is_idle(self) -> bool:
        """Whether what was asked is shown."""
        return self._newest.is_idle and not self.context.tasks.runs_for(self)

    @property
    def current(self) -> ChangedPlan | None:
        """The query that is looked at."""
        place, found = self.view.currentIndex().data(KEY_ROLE), self._found
        return None if place is None or found is None else found.changed[place]

    def open_run(self, *_: object) -> None:
        """Show the run of the chosen query, if it has one."""
        chosen = self.current
        if chosen is None or chosen.run is None:
            return
        self.context.run_view.show_run(chosen.run)
        self.context.shell.show_layout("debug")

    def _drop(self) -> None:
        self._progress.cancel()
        super()._drop()

    def _read_history(self) -> None:
        self.context.tasks.spawn(self._offer_points(), owner=self)

    async def _offer_points(self) -> None:
        workspace = self._workspace
        entries, snapshots = await self.context.tasks.in_thread(
            lambda: (list_history(workspace), list_snapshots(workspace))
        )
        sitting = last_sitting(entries)
        chosen = self.since.currentData() if self.since.currentIndex() > 0 else None
        begun = next((e for e in entries if e.parent == sitting and e.is_done), None)
        said = "" if begun is None else f", begun {when(begun.made_us / 1e6)}"
        self.since.clear()
        self.since.addItem(f"Before the last sitting{said}", sitting)
        for title, edit in points_of_history(entries, snapshots):
            self.since.addItem(title, edit)
        if chosen is not None:
            self.since.setCurrentIndex(max(0, self.since.findData(chosen)))
        self._look()

    def _look(self, *_: object) -> None:
        self._progress.cancel()
        self._progress = progress = Progress()
        self._found = None
        workspace, since = self._workspace, EditId(self.since.currentData())
        self.summary.setText("Planning each saved query twice …")
        self.model.set_rows([])
        self._show_plans()
        self._newest.ask(
            lambda: _find(workspace, since, progress),
            lambda found: self._show(*found),
            self._on_refused,
        )

    def _on_refused(self, error: ToolPlannerError) -> None:
        self.summary.setText(str(error))

    def _show(self, found: PlansSince, titles: Mapping[ApiId, str]) -> None:
        self._found, self._titles = found, titles
        self.summary.setText("\n".join(found.lines()))
        self.model.set_rows([_row(place, each) for place, each in enumerate(found.changed)])
        if found.changed:
            self.view.setCurrentIndex(self.model.index(0, 0))
        self._show_plans()

    def _on_current(self, *_: object) -> None:
        self._show_plans()

    def _show_plans(self) -> None:
        chosen = self.current
        sides = ((), ()) if chosen is None else (chosen.before, chosen.now)
        for label, steps in zip(self.plans, sides, strict=True):
            label.setText(breakable("" if chosen is None else steps_in_words(steps, self._titles)))
        self.run_button.setEnabled(chosen is not None and chosen.run is not None)


def _find(
    workspace: Workspace, since: EditId, progress: Progress
) -> tuple[PlansSince, Mapping[ApiId, str]]:
    load_run_plugins()
    found = plans_since(workspace, since, progress=progress)
    sides = [side for each in found.changed for side in (each.before, each.now)]
    used = {api for steps in sides for step in steps for api in step.tried}
    titles = {each.id: each.title for each in api_names(workspace) if each.id in used}
    return found, titles


def _row(place: int, each: ChangedPlan) -> Row:
    look = _LOOKS.get(each.better or 0, _OTHERWISE)
    why = each.evidence or "No run has answered it"
    return Row(
        cells=(one_line(each.saved.title, 160), _WAYS[each.better], why),
        key=place,
        icon=lambda: make_icon(*look),
        tooltip=f"{each.saved.title}\n{why}",
    )


PLUGIN = DialogPlugin.of(dialog_commands.plans_since, PlansSinceDialog, is_beside=True)
