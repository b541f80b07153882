"""The retrievers that were trained on this machine, and training and measuring one as a job."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.embedding.trained import (
    TrainedModel,
    list_trained,
)
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.training.job import CurvePoint
from toolplanner_core.training.reranker_training import LearnedRanking
from toolplanner_core.training.search_metrics import stored_metrics
from toolplanner_core.training.train import (
    TrainingRequest,
    TrainReport,
    forget_training,
    measure_trained,
    remove_trained,
    stopped_trainings,
    train_and_measure,
)
from toolplanner_core.words.formatting import counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.prepare_dialog import start_preparing
from toolplanner_gui.windows.removable_list import RemovableList
from toolplanner_gui.windows.search_ranking_row import ranking_in_words

_TITLE = "Training a retriever"


_WHY = {
    "all rounds": "all rounds are done",
    "early": "it got no better",
    "time": "the time was over",
}


def retriever_in_training(context: AppContext) -> str:
    """The one that is being trained, "" = none; a second would halve the speed of both."""
    parted = (job.title.partition(f"{_TITLE}: ") for job in context.jobs.running)
    return next((name for _, found, name in parted if found), "")


def start_training(context: AppContext, workspace: Workspace, request: TrainingRequest) -> None:
    """Train and measure; the figures are shown. A stopped one is gone on with."""

    def work(progress: Progress) -> tuple[TrainReport, LearnedRanking | None]:
        def on_point(point: CurvePoint) -> None:
            context.calls.post(lambda: job.found(_in_words(point)))

        return train_and_measure(workspace, request, progress=progress, on_point=on_point)

    def done(ended: tuple[TrainReport, LearnedRanking | None]) -> None:
        report, order = ended
        end = report.end
        context.show_message(
            f"{request.name} has learned from {counted(report.pairs, 'pair')} in"
            f" {duration(end.seconds)}: {_WHY[end.why]}"
        )
        if order is not None:
            context.show_message(ranking_in_words(order))
        context.shell.open(dialog_commands.train_retriever, begin_with=request.name)

    def stopped() -> None:
        is_kept = any(each.name == request.name for each in stopped_trainings())
        kept = "what it has learned is kept, and “Go on” in “Trained here” goes on with it"
        context.show_message(f"{request.name} is stopped{f': {kept}' if is_kept else ''}.")

    job = context.start_job(f"{_TITLE}: {request.name}", work, done)
    job.cancelled.connect(stopped)


def start_measuring(context: AppContext, workspace: Workspace, name: str) -> None:
    """Measure a trained retriever over this workspace; the figures are shown."""
    from toolplanner_core.embedding.trained import trained_model

    def work(progress: Progress) -> None:
        measure_trained(workspace, trained_model(name), progress=progress)

    show = partial(context.shell.open, dialog_commands.train_retriever, begin_with=name)
    context.start_job(f"Measuring {name}", work, lambda _: show())


def _in_words(point: CurvePoint) -> str:
    if not point.step:
        return f"Recall@5 {point.recall:.3f} before"
    return f"Recall@5 {point.recall:.3f} after {counted(point.step, 'batch', 'batches')}"


_MEASURES = {
    "recall@5": "Recall@5",
    "recall@10": "Recall@10",
    "ndcg@5": "nDCG@5",
    "ndcg@10": "nDCG@10",
    "complete@5": "Complete@5",
    "complete@10": "Complete@10",
}


_COLUMNS = ("Before", "After", "Before, with words", "After, with words")


_REMOVED = (
    "Toolkits and map stay. A workspace that uses it needs another embedder before new texts can be"
    " searched with it."
)


_FORGOTTEN = "What it has learned so far is lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is on this machine; `used` is the id of the workspace's embedder."""

    models: list[TrainedModel]
    stopped: list[TrainingRequest]
    used: str


class TrainedRetrieversPage(QWidget):
    """A list above the figures of the one that is chosen.

    Args:
        begin_with: name that is chosen at first.
        refused: shows why something cannot be done.
        close: closes the dialog, when a job has begun.
    """

    def __init__(
        self,
        context: AppContext,
        *,
        begin_with: str,
        refused: Callable[[ToolPlannerError], None],
        close: Callable[[], object],
    ) -> None:
        super().__init__()
        self._context, self._shown = context, begin_with
        self._refused, self._close = refused, close
        self._newest = LatestRequest(context.tasks, self)
        self._used = ""
        self.names = RemovableList("Trained here", ("Retriever", "State"), {0: 180})
        self.names.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.names.setMaximumHeight(150)
        self.names.selectionModel().selectionChanged.connect(self._on_chosen)
        self.state = text_label(role="dim", is_wrapped=True)
        self.figures = TableModel(("Figure", *_COLUMNS), self)
        self.table = QuietTree("What it gained", is_flat=True)
        self.table.set_model(self.figures, {0: 130})
        self.use_button = push_button("Use it", self._on_use)
        self.measure_button = push_button("Measure", self._on_measure)
        self.go_on_button = push_button("Go on", self._on_go_on)
        self.remove_button = push_button("Remove …", self._on_remove)
        buttons = (self.use_button, self.measure_button, self.go_on_button, self.remove_button)
        column_of(
            self.names,
            self.state,
            (self.table, 1),
            row_of(1, *buttons, gap=SPACE),
            of=self,
            margins=(GAP, GAP, GAP, GAP),
            gap=GAP,
        )
        for changed in (context.jobs.started, context.jobs.ended):
            changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> TrainedModel | TrainingRequest | None:
        """The one that is selected."""
        return next(iter(self.names.selected), None)

    def refresh(self) -> None:
        """Read anew what there is."""
        workspace = self._context.workspace
        if workspace is None:
            return

        def work() -> _Known:
            used = get_setting(workspace, "active_embedder") or ""
            return _Known(models=list_trained(), stopped=stopped_trainings(), used=str(used))

        self._newest.ask(work, self._show, self._refused)

    def _show(self, known: _Known) -> None:
        chosen = self.chosen
        wanted = self._shown or (chosen.name if chosen else "")
        self._used, self._shown = known.used, ""
        rows: list[tuple[tuple[str, ...], object]] = []
        for model in known.models:
            used = ", in use here" if model.id == known.used else ""
            pairs = counted(int(model.record.get("pairs", 0)), "pair")
            rows.append(((model.name, f"Trained on {pairs}{used}"), model))
        now = retriever_in_training(self._context)
        for each in known.stopped:
            is_on = each.name == now
            state = "Being trained" if is_on else "Stopped; what it has learned is kept"
            rows.append(((each.name, state), each))
        self.names.fill(rows)
        names = [cells[0] for cells, _ in rows]
        at = names.index(wanted) if wanted in names else 0
        self.names.setCurrentIndex(self.names.model().index(at, 0))
        self._on_chosen()

    def _on_chosen(self) -> None:
        chosen = self.chosen
        model = chosen if isinstance(chosen, TrainedModel) else None
        is_used = model is not None and model.id == self._used
        now = retriever_in_training(self._context)
        self.use_button.setEnabled(model is not None and not is_used)
        self.measure_button.setEnabled(model is not None and bool(model.record.get("test")))
        self.go_on_button.setEnabled(isinstance(chosen, TrainingRequest) and not now)
        is_free = chosen is not None and chosen.name != now
        self.remove_button.setEnabled(is_free and not is_used)
        in_use = "This workspace uses it: prepare with another embedder first" if is_used else ""
        self.remove_button.setToolTip(in_use)
        self.figures.set_rows([] if model is None else _figure_rows(model))
        self.table.setVisible(bool(self.figures.rowCount()))
        self.state.setText(_state_of(chosen))

    def _on_use(self) -> None:
        chosen, workspace = self.chosen, self._context.workspace
        if chosen is not None and workspace is not None:
            start_preparing(self._context, workspace, embedder=f"trained:{chosen.name}")
            self._close()

    def _on_measure(self) -> None:
        chosen, workspace = self.chosen, self._context.workspace
        if chosen is not None and workspace is not None:
            start_measuring(self._context, workspace, chosen.name)
            self._close()

    def _on_go_on(self) -> None:
        chosen, workspace = self.chosen, self._context.workspace
        if isinstance(chosen, TrainingRequest) and workspace is not None:
            start_training(self._context, workspace, chosen)
            self._close()

    def _on_remove(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self._context.tasks.spawn(self._remove(chosen), owner=self)

    async def _remove(self, chosen: TrainedModel | TrainingRequest) -> None:
        why = _REMOVED if isinstance(chosen, TrainedModel) else _FORGOTTEN
        if not await confirm(self, f"Remove the retriever {chosen.name}?", why=why, yes="Remove"):
            return

        def work() -> None:
            if isinstance(chosen, TrainedModel):
                remove_trained(chosen)
            else:
                forget_training(chosen)

        await self._context.tasks.in_thread(work)
        self.refresh()


def _state_of(chosen: TrainedModel | TrainingRequest | None) -> str:
    if chosen is None:
        return "None yet: train one, and it is listed here with what it gained."
    if isinstance(chosen, TrainingRequest):
        return "It has no figures yet. “Go on” trains it with the same queries and options."
    found = stored_metrics(chosen)
    if found is None:
        is_tested = bool(chosen.record.get("test"))
        return "Not measured yet." if is_tested else "No queries were kept to measure it with."
    before, after = found
    queries = counted(after.queries, "query that it has", "queries that it has")
    return (
        f"On {queries} not seen, among {counted(after.apis, 'API')}, with 95 % intervals. Before:"
        f" {before.embedder.partition('@')[0]}. With words: as search finds, by meaning and words."
    )


def _figure_rows(model: TrainedModel) -> list[Row]:
    found = stored_metrics(model)
    if found is None:
        return []
    before, after = found
    columns = (before.dense, after.dense, before.hybrid, after.hybrid)
    return [
        Row(cells=(title, *(figures[name].formatted() for figures in columns)), key=name)
        for name, title in _MEASURES.items()
    ]
