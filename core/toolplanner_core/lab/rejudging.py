"""Judge an experiment again without running it, by judges who ask no model."""

from toolplanner_core.domain.experiment import TrialState
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.workspace.lab_store import LabStore


def judge_again(store: LabStore, judge: str, *, progress: Progress) -> int:
    """Store what a judge says of every trial that ended; blocks.

    Returns:
        How many trials it could judge.

    Raises:
        NotFound: there is no such judge.
        BadInput: a run cannot be read.
        Cancelled: `progress` was cancelled; what was judged by then is kept.
    """
    plugin = judges.get(judge)
    queries = {query.id: query for query in map(query_of_row, store.query_rows())}
    ended = [each for each in store.trials() if each.state is TrialState.DONE]
    judged = 0
    for done, trial in enumerate(ended):
        progress.report("Judging", done, len(ended), "trials")
        query, facts = queries[trial.query], store.facts(trial.number)
        if facts is None or not plugin.applies(query):
            continue
        verdict = plugin.verdict(query, facts, store.packed(trial.number))
        if verdict is not None:
            store.judge(trial.number, plugin.id, plugin.version, verdict)
            judged += 1
    return judged
