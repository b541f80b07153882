"""Training and measuring a retriever as jobs of the window."""

from functools import partial

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.training.job import CurvePoint
from toolplanner_core.training.ordering import LearnedOrder
from toolplanner_core.training.request import (
    TrainingRequest,
    measure_trained,
    stopped_trainings,
    train_and_measure,
)
from toolplanner_core.training.train import TrainReport
from toolplanner_core.words.wording import counted, duration
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.search_order_row import order_in_words

_TITLE = "Training a retriever"
_WHY = {
    "all rounds": "all rounds are done",
    "early": "it got no better",
    "time": "the time was over",
}


def name_in_training(context: AppContext) -> str:
    """The one that is being trained, "" = none; a second would halve the speed of both."""
    parted = (job.title.partition(f"{_TITLE}: ") for job in context.jobs.running)
    return next((name for _, found, name in parted if found), "")


def start_training(context: AppContext, workspace: Workspace, request: TrainingRequest) -> None:
    """Train and measure; the figures are shown. A stopped one is gone on with."""

    def work(progress: Progress) -> tuple[TrainReport, LearnedOrder | None]:
        def on_point(point: CurvePoint) -> None:
            context.calls.post(lambda: job.found(_in_words(point)))

        return train_and_measure(workspace, request, progress=progress, on_point=on_point)

    def done(ended: tuple[TrainReport, LearnedOrder | None]) -> None:
        report, order = ended
        end = report.end
        context.tell(
            f"{request.name} has learned from {counted(report.pairs, 'pair')} in"
            f" {duration(end.seconds)}: {_WHY[end.why]}"
        )
        if order is not None:
            context.tell(order_in_words(order))
        context.shell.open("train", begin_with=request.name)

    def stopped() -> None:
        is_kept = any(each.name == request.name for each in stopped_trainings())
        kept = "what it has learned is kept, and “Go on” in “Trained here” goes on with it"
        context.tell(f"{request.name} is stopped{f': {kept}' if is_kept else ''}.")

    job = context.start_job(f"{_TITLE}: {request.name}", work, done)
    job.cancelled.connect(stopped)


def start_measuring(context: AppContext, workspace: Workspace, name: str) -> None:
    """Measure a trained retriever over this workspace; the figures are shown."""
    from toolplanner_core.embedding.trained_files import trained_model

    def work(progress: Progress) -> None:
        measure_trained(workspace, trained_model(name), progress=progress)

    show = partial(context.shell.open, "train", begin_with=name)
    context.start_job(f"Measuring {name}", work, lambda _: show())


def _in_words(point: CurvePoint) -> str:
    if not point.step:
        return f"Recall@5 {point.recall:.3f} before"
    return f"Recall@5 {point.recall:.3f} after {counted(point.step, 'batch', 'batches')}"
