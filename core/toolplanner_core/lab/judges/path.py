"""Which share of the gold APIs a run called successfully: Path % of Chain of Tools.

Source: Shi et al., arXiv 2405.16533, section 5.
"""

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import JudgePlugin


def _judge(query: Query, facts: TrialFacts) -> TrialVerdict:
    alternatives = query.gold or (frozenset(call.api for call in query.path),)
    worked = {call.api for call in facts.calls if not call.error}
    best = max(alternatives, key=lambda keys: len(keys & worked) / len(keys))
    missing = best - worked
    reason = f"No call was ok of {', '.join(sorted(missing))}" if missing else ""
    return TrialVerdict(solved=len(best & worked) / len(best), reason=reason)


PLUGIN = JudgePlugin(
    id="path",
    title="Gold path",
    description="Share of the gold APIs that were called and answered, of the alternative that"
    " fits best; asks no model.",
    judge=_judge,
    applies=lambda query: bool(query.gold or query.path),
)
