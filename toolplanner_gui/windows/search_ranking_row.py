"""In which order searches put what they find: the usual one, or one learned for this catalogue.

A row of the dialog that trains: it learns from the same queries, in minutes.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.reranking import remove_weights, workspace_weights
from toolplanner_core.training.reranker_training import LearnedRanking, learn_and_save_order
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label

ORDER_TIP = (
    "Learned from these queries, in minutes, for every embedder. It is kept where queries that"
    " were not learned from find more."
)


class SearchRankingRow(QWidget):
    """Which order counts, and buttons to learn one or go back.

    Args:
        asked: the files to learn from, and whether to learn from runs that answered, too.
        refused: shows why something cannot be done.
    """

    def __init__(
        self,
        context: AppContext,
        *,
        asked: Callable[[], tuple[Sequence[Path], bool]],
        refused: Callable[[ToolPlannerError], None],
    ) -> None:
        super().__init__()
        self._context, self._asked, self._refused = context, asked, refused
        self._newest = LatestRequest(context.tasks, self)
        self.state = text_label(name="Order of what searches find")
        self.state.setToolTip(ORDER_TIP)
        self.learn_button = push_button("Learn it", self._on_learn, tip=ORDER_TIP)
        self.usual_button = push_button("Usual order", self._on_usual)
        for button in (self.learn_button, self.usual_button):
            button.setAutoDefault(False)
        row_of((self.state, 1), self.learn_button, self.usual_button, of=self, gap=SPACE)
        context.jobs.ended.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Look anew which order counts, and whether there is anything to learn from."""
        files, has_runs = self._asked()
        self.learn_button.setEnabled(bool(files) or has_runs)
        workspace = self._context.workspace
        if workspace is not None:
            self._newest.ask(
                lambda: workspace_weights(workspace) is not None, self._show, self._refused
            )

    def _show(self, is_own: bool) -> None:
        self.state.setText("Learned for this catalogue" if is_own else "The usual one")
        self.usual_button.setEnabled(is_own)

    def _on_learn(self) -> None:
        workspace = self._context.workspace
        if workspace is not None:
            files, has_runs = self._asked()
            start_learning_ranking(self._context, workspace, files, has_runs=has_runs)

    def _on_usual(self) -> None:
        workspace = self._context.workspace
        if workspace is not None:
            self._context.tasks.spawn(self._forget(workspace), owner=self)

    async def _forget(self, workspace: Workspace) -> None:
        await self._context.tasks.in_thread(lambda: remove_weights(workspace))
        self.refresh()


def start_learning_ranking(
    context: AppContext, workspace: Workspace, files: Sequence[Path], *, has_runs: bool
) -> None:
    """Learn an order as a job; what it gained is told."""

    def work(progress: Progress) -> LearnedRanking:
        return learn_and_save_order(workspace, files, has_runs=has_runs, progress=progress)

    def done(learned: LearnedRanking) -> None:
        context.show_message(ranking_in_words(learned))

    context.start_job("Learning the order of searches", work, done)


def ranking_in_words(learned: LearnedRanking) -> str:
    """What an order gains, and whether it is kept."""
    before, after = (figures["ndcg@10"].mean for figures in (learned.before, learned.after))
    queries = counted(learned.queries, "query", "queries")
    gain = f"nDCG@10 {before:.3f} with the usual order, {after:.3f} with what {queries} taught"
    if learned.is_better:
        return f"Searches of this catalogue have an order of their own: {gain}."
    return f"Searches keep the order that they had: {gain}."
