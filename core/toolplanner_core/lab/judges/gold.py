"""Whether the gold APIs were called successfully: all of one alternative."""

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import JudgePlugin


def _judge(query: Query, facts: TrialFacts) -> TrialVerdict:
    alternatives = query.gold or (frozenset(call.api for call in query.path),)
    worked = {call.api for call in facts.calls if not call.error}
    missing = min((keys - worked for keys in alternatives), key=len)
    if not missing:
        return TrialVerdict(solved=1.0)
    return TrialVerdict(solved=0.0, reason=f"No call was ok of {', '.join(sorted(missing))}")


PLUGIN = JudgePlugin(
    id="gold",
    title="Gold APIs",
    description="All APIs of one gold alternative were called and answered; asks no model.",
    judge=_judge,
    applies=lambda query: bool(query.gold or query.path),
)
