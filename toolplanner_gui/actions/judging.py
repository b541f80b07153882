"""Ask the usual model what it says of the answer of a run."""

from toolplanner_core.domain.ids import RunId
from toolplanner_core.jobs.progress import Progress
from toolplanner_gui.context import AppContext


def judge_answer(context: AppContext, run: RunId) -> None:
    """Have a model judge an answer; what it says is shown beside it."""
    workspace, doing = context.file, f"Judging the answer of run {run}"

    def work(progress: Progress) -> str:
        from toolplanner_core.runs.judging import judge_run

        progress.report(doing, 0, 0)
        return judge_run(workspace, run).words

    def show(words: str) -> None:
        context.run_view.refresh()
        context.tell(words)

    context.start_job(doing, work, show)
