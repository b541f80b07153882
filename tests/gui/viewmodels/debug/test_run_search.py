"""What the runs panel says of a search."""

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.searching.search import RunHit
from toolplanner_gui.viewmodels.debug.run_search import FoundRuns


def test_words_of_an_answer_when_searched_then_count_or_say_the_problem() -> None:
    run = RunSummary(
        run=RunId(1), query="q", strategy="tool-planner", model="offline", provider="demo",
        status=Status.SOLVED, answer="",
    )  # fmt: skip
    hit = RunHit(summary=run, score=1.0, snippet="")
    assert FoundRuns(text="a", total=10, runs=[hit]).words == "1 of 10 runs"
    assert FoundRuns(text="a", problem="No.").words == "No."
