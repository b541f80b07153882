"""Whether the toolkits that a run tried hold the gold APIs: what is left to 100 % is the rate of
Cluster Incomplete where gold is known.

A toolkit is incomplete if it lacks an API that the catalogue has (Source: Tool-Planner, arXiv
2406.03807, appendix H). Here that is decided by gold and membership alone: whether an API answered,
and what a model said of it, plays no part. Not claimed: that the planner chose the right toolkit;
a gold API that stands in a toolkit which no step was given counts as lacking, whoever is to blame,
clustering or planner.
"""

from collections.abc import Iterable

from toolplanner_core.domain.experiment import TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import JudgePlugin
from toolplanner_core.runs.events.decision import CatalogueLookup
from toolplanner_core.runs.events.event import Event


def _judge(query: Query, events: Iterable[Event]) -> TrialVerdict | None:
    lists = [e.found for e in events if isinstance(e, CatalogueLookup) and e.what == "members"]
    held = {str(row["key"]) for found in lists for row in found if "key" in row}
    if not held:
        return None  # no toolkit was tried, or a program tried it that wrote no keys
    alternatives = query.gold or (frozenset(call.api for call in query.path),)
    lacking = min((keys - held for keys in alternatives), key=len)
    if not lacking:
        return TrialVerdict(solved=1.0)
    return TrialVerdict(solved=0.0, reason=f"In no tried toolkit: {', '.join(sorted(lacking))}")


PLUGIN = JudgePlugin(
    id="toolkits",
    title="Gold in the toolkits",
    description="The toolkits that steps were given hold all APIs of one gold alternative; the rate"
    " of Cluster Incomplete by gold is what is left to 100 %. Asks no model.",
    judge_events=_judge,
    applies=lambda query: bool(query.gold or query.path),
)
