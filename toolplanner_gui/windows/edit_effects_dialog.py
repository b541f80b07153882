"""What an edit would change: each query that is planned otherwise, with both plans, before the edit
is made; run both ways on request, in copies of the workspace.

Asked for by what says how many there are (`panels/plan_impact.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.lab import DataSet
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.importing import import_data_set
from toolplanner_core.lab.datasets.jsonl import read_data_set
from toolplanner_core.lab.experiment_file import make_arm
from toolplanner_core.lab.experiments.edit_effects import (
    ChangedQuery,
    EditEffects,
    EffectOn,
    RunOutcomes,
    foresee_effects,
    run_changed,
)
from toolplanner_core.lab.judges.judge import JudgePlugin, judges
from toolplanner_core.lab.new_experiment import offered_data_sets
from toolplanner_core.strategies.interface.strategy import OutlinedStep
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.jobs import Job
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.run_form import load_run_plugins
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import breakable, named
from toolplanner_gui.widgets.plan_comparison import PlanComparison
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (760, 600)
"""Of the queries, and of both plans of the chosen one."""
_MOST_FALLBACKS = 4
_JUDGES = ("expected", "gold", "evidence")
"""Who says what is solved: the first that can judge one of the queries; none asks a model."""
_GOLD = {None: "", 0: "as near", 1: "nearer", -1: "farther"}
_LOOKS = {1: ("arrow-up-circle", "ok"), -1: ("arrow-down-circle", "failed")}
_OTHERWISE = ("circle-outline", "waiting")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreseen:
    """What was found of a data set.

    Attributes:
        label: what the edit says of itself.
        titles: of all APIs, by id.
    """

    label: str
    changes: Changes
    effects: EditEffects
    titles: Mapping[ApiId, str]


class EditEffectsDialog(Dialog):
    """Queries at the top, the plans of the chosen one below."""

    def __init__(self, context: AppContext, parent: QWidget, *, edit: Edit) -> None:
        super().__init__(context, parent, "What an edit would change")
        self.resize(*_SIZE)
        self._edit = edit
        self._workspace: Workspace = context.file
        self._newest = LatestRequest(context.tasks, self)
        self._progress = Progress()
        self._job: Job | None = None
        self._found: _Foreseen | None = None
        self._ran: RunOutcomes | None = None
        self.heading = self.paragraph(role="heading")
        self.queries = named(ElidingCombo(), "Queries")
        self.queries.addItem("The cases of this workspace", None)
        for path in offered_data_sets(self._workspace.path):
            self.queries.addItem(path.name, path)
        self.column.addLayout(form_of(("Queries", self.queries)))
        self.summary = self.paragraph()
        self.summary.setAccessibleName("What would change")
        self.model = TableModel(("Query", "What changes", "Gold APIs", "When run"), self)
        self.model.meanings = (
            "What is asked",
            "The plan, the fallbacks of its steps, or only the shortlist that it is made from",
            "Whether the APIs that the data set names for the query come nearer: tried first, then"
            " in the plan, then on the shortlist",
            "Whether it is solved as things are → with the edit",
        )
        self.view = QuietTree("Queries of which something changes", is_flat=True)
        self.view.set_model(self.model, {1: 140, 2: 84, 3: 150})
        body = PlanComparison(self.view, "Now", "With the edit")
        self.heads, self.plans = body.heads, body.plans
        self.add((body, 1), self.banner)
        tip = "<p>Run what is planned otherwise, now and with the edit, in copies</p>"
        self.run_button = push_button("Run both ways", self.run_both, tip=tip)
        self.add_buttons(self.run_button, close="Close")
        self.queries.activated.connect(self._on_queries)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self._look()

    @property
    def is_idle(self) -> bool:
        """Whether what was asked is shown."""
        return self._newest.is_idle and self._job is None

    def run_both(self) -> None:
        """Run what is planned otherwise, without and with the edit."""
        found, workspace = self._found, self._workspace
        if found is None or self._job is not None or (judge := _judge(found)) is None:
            return
        self._job = job = self.context.jobs.start(
            "Run queries both ways",
            lambda progress: run_changed(
                workspace,
                found.changes,
                found.effects,
                make_arm("both ways", {}, where="window"),
                judge,
                progress=progress,
            ),
        )
        job.succeeded.connect(self._on_ran)
        job.failed.connect(self._on_not_run)
        job.cancelled.connect(self._on_not_run)
        self._show_buttons()
        self.summary.setText(f"{found.effects.short}. Running them both ways …")

    def _drop(self) -> None:
        self._progress.cancel()
        if self._job is not None:
            self._job.cancel()
        super()._drop()

    def _on_queries(self, _position: int) -> None:
        if self._job is not None:
            self._job.cancel()
        self._look()

    def _look(self) -> None:
        self._progress.cancel()
        self._progress = progress = Progress()
        self._found = self._ran = None
        workspace, edit = self._workspace, self._edit
        path: Path | None = self.queries.currentData()
        self.summary.setText("Planning each query twice …")
        self.model.set_rows([])
        self._show_plans()
        self._show_buttons()
        self._newest.ask(
            lambda: _foresee(workspace, edit, path, progress), self._on_found, self._on_refused
        )

    def _on_refused(self, error: ToolPlannerError) -> None:
        self.summary.setText(str(error))

    def _on_found(self, found: _Foreseen) -> None:
        self._found = found
        self.heading.setText(one_line(found.label, 160))
        self._show()

    def _on_ran(self, ran: RunOutcomes) -> None:
        self._job, self._ran = None, ran
        self._show()

    def _on_not_run(self, error: BaseException | None = None) -> None:
        self._job = None
        if error is not None:
            self.show_error(error, doing="Running queries both ways")
        self._show()

    def _show(self) -> None:
        found, ran = self._found, self._ran
        if found is None:
            return
        lines = found.effects.lines()
        if ran is not None:
            lines.append(
                f"Of {counted(ran.ran, 'query', 'queries')} run both ways {ran.before:,} are solved"
                f" now and {ran.after:,} with the edit (judge: {ran.judge})"
            )
        self.summary.setText("\n".join(lines))
        self.view.setColumnHidden(2, not found.effects.reach)
        order = sorted(found.effects.changed, key=_most_telling_first)
        kept = self.view.currentIndex().data(KEY_ROLE)
        self.model.set_rows([self._row(each) for each in order])
        if order:
            position = self.model.position_of(kept) or 0
            self.view.setCurrentIndex(self.model.index(position, 0))
        self._show_buttons()

    def _row(self, each: ChangedQuery) -> Row:
        solved = None if self._ran is None else self._ran.solved.get(each.query.id)
        way = each.better or (0 if solved is None else solved[1] - solved[0])
        look = _LOOKS.get(way, _OTHERWISE)
        words = ("not solved", "solved")
        return Row(
            cells=(
                one_line(each.query.text, 160),
                ", ".join(part for part in EffectOn if part in each.parts),
                _GOLD[each.better],
                "" if solved is None else f"{words[solved[0]]} → {words[solved[1]]}",
            ),
            key=each.query.id,
            icon=lambda: make_icon(*look),
            tooltip=each.query.text,
        )

    def _on_current(self, *_: object) -> None:
        self._show_plans()

    def _show_plans(self) -> None:
        key, found = self.view.currentIndex().data(KEY_ROLE), self._found
        changed: Sequence[ChangedQuery] = found.effects.changed if found is not None else ()
        each = next((one for one in changed if one.query.id == key), None)
        sides = (None, None) if each is None else (each.before, each.after)
        for label, plan in zip(self.plans, sides, strict=True):
            text = "" if plan is None or found is None else steps_in_words(plan.steps, found.titles)
            label.setText(breakable(text))

    def _show_buttons(self) -> None:
        found = self._found
        can_run = found is not None and _judge(found) is not None and self._job is None
        self.run_button.setEnabled(can_run)


def _foresee(workspace: Workspace, edit: Edit, path: Path | None, progress: Progress) -> _Foreseen:
    load_run_plugins()
    done = history.preview(workspace, edit)
    queries = _queries(workspace, path)
    effects = foresee_effects(workspace, done.changes, queries, progress=progress)
    used = {
        api
        for each in effects.changed
        for plan in (each.before, each.after)
        for step in plan.steps
        for api in step.tried
    }
    titles = {each.id: each.title for each in api_names(workspace) if each.id in used}
    return _Foreseen(label=done.label, changes=done.changes, effects=effects, titles=titles)


def _queries(workspace: Workspace, path: Path | None) -> DataSet:
    if path is None:
        return import_data_set(workspace.path, name="cases", format_id="cases").data_set
    return read_data_set(path).data_set


def _judge(found: _Foreseen) -> JudgePlugin | None:
    others = [each.query for each in found.effects.planned_otherwise]
    known = (judges.get(name) for name in _JUDGES)
    return next((judge for judge in known if any(map(judge.applies, others))), None)


def _most_telling_first(each: ChangedQuery) -> tuple[bool, bool, str]:
    return not each.better, each.parts == {EffectOn.SHORTLIST}, each.query.text


def steps_in_words(steps: Sequence[OutlinedStep], titles: Mapping[ApiId, str]) -> str:
    """The steps, each with the APIs in the order in which they would be tried."""
    lines: list[str] = []
    for number, step in enumerate(steps, 1):
        lines.append(f"{number}. {step.toolkit or 'No toolkit'}")
        tried = [titles.get(api, "an API that has gone") for api in step.tried]
        lines += [f"    {'first' if not at else 'then'}: {name}"
                  for at, name in enumerate(tried[: 1 + _MOST_FALLBACKS])]  # fmt: skip
        if more := len(tried) - 1 - _MOST_FALLBACKS:
            lines += [f"    and {more:,} more"] if more > 0 else []
    return "\n".join(lines) or "No plan."


PLUGIN = DialogPlugin.of(dialog_commands.edit_effects, EditEffectsDialog, is_beside=True)
