"""Which share of the APIs that a run called are gold APIs: Prec % of Chain of Tools.

Source: Shi et al., arXiv 2405.16533, section 5.
"""

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import JudgePlugin


def _judge(query: Query, facts: TrialFacts) -> TrialVerdict:
    called = {call.api for call in facts.calls}
    if not called:
        return TrialVerdict(solved=0.0, reason="Nothing was called")
    alternatives = query.gold or (frozenset(call.api for call in query.path),)
    best = max(alternatives, key=lambda keys: len(keys & called))
    beside = called - best
    reason = f"Not gold: {', '.join(sorted(beside))}" if beside else ""
    return TrialVerdict(solved=len(best & called) / len(called), reason=reason)


PLUGIN = JudgePlugin(
    id="precision",
    title="Gold among called",
    description="Share of the called APIs that are gold, of the alternative that fits best; asks"
    " no model.",
    judge=_judge,
    applies=lambda query: bool(query.gold or query.path),
)
