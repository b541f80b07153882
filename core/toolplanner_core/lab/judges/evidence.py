"""What the replies of a run say of its answer, without anybody's opinion of it."""

from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.lab.judges.judge import JudgePlugin


def _judge(_query: Query, facts: TrialFacts) -> TrialVerdict | None:
    match facts.evidence_level:
        case EvidenceLevel.COMPLETE:
            return TrialVerdict(solved=1.0)
        case EvidenceLevel.NOT_CHECKED:
            return None
        case EvidenceLevel.NOT_SHOWN:
            return TrialVerdict(solved=0.0, reason="Nothing of the answer stands in a reply")
        case EvidenceLevel.NONE | EvidenceLevel.AGAINST:
            return TrialVerdict(solved=0.0, reason=facts.reason or f"It ended as {facts.status}")


PLUGIN = JudgePlugin(
    id="evidence",
    title="Evidence",
    description="Which need of the query was met by which result, where rules know its language and"
    " the offline planner planned; of other answers it does not say. Asks no model.",
    judge=_judge,
)
