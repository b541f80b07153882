"""How a run ended, what shows its answer, and who says whether it is right: three things apart.

The *outcome* is a fact: it answered, gave up, ran out of its budget, was stopped or broke, or
its harness did. The
*evidence* says what of the answer stands in which reply. *Verdicts* are opinions, each with who
gave it. What lists, colours and exit codes show is made of all three, in `status_of`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.plan import Status


class RunOutcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    SERVED = "served"
    """An agent outside asked for its calls, and has left: there is no query to answer."""
    NOTHING_SERVED = "nothing_served"
    """So it was, and every call failed."""
    GAVE_UP = "gave_up"
    OVER_BUDGET = "over_budget"
    NOT_MEASURED = "not_measured"
    """The endpoint of a model failed, or the day's budget was used up."""
    CANCELLED = "cancelled"
    BROKEN = "broken"


class EvidenceLevel(StrEnum):
    """What the replies of a run say of its answer."""

    NONE = ""
    """There is no answer, or the run is of an earlier program."""
    COMPLETE = "complete"
    """Each wish of the query is met by a reply, as rules found that know its language."""
    NOT_CHECKED = "not_checked"
    """Nothing speaks against it; whether it is what was asked for, nobody has looked at."""
    NOT_SHOWN = "not_shown"
    """So it is, and nothing of the answer stands in a reply."""
    AGAINST = "against"
    """Something of it was not done, or stands in no reply."""


class VerdictSource(StrEnum):
    """Who may say whether an answer is right; of two the one that is named first here counts."""

    PERSON = "person"
    EXPECTATION = "expectation"
    JUDGE = "judge"
    STRATEGY = "strategy"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerVerdict:
    """What somebody says of an answer.

    Attributes:
        who: the model by its name, the case, or the person.
        version: of the question that was asked; prompt_hash: of its text, "" where none was.
        votes: of a judge that was asked several times.
    """

    source: VerdictSource
    solved: bool
    reason: str = ""
    who: str = ""
    version: int = 0
    prompt_hash: str = ""
    votes: tuple[bool, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """For the log and for programs."""
        return {**asdict(self), "source": str(self.source), "votes": list(self.votes)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AnswerVerdict":
        """From what `to_json` made, or from a judge's verdict of an earlier program."""
        return cls(
            source=VerdictSource(data.get("source", VerdictSource.JUDGE)),
            solved=bool(data["solved"]),
            reason=str(data.get("reason", "")),
            who=str(data.get("who") or data.get("model", "")),
            version=int(data.get("version", 0)),
            prompt_hash=str(data.get("prompt_hash", "")),
            votes=tuple(map(bool, data.get("votes", ()))),
        )


_RANKS = tuple(VerdictSource)
_ENDED = {
    RunOutcome.SERVED: Status.SERVED,
    RunOutcome.NOTHING_SERVED: Status.NOTHING_SERVED,
    RunOutcome.GAVE_UP: Status.UNSOLVED,
    RunOutcome.OVER_BUDGET: Status.OVER_BUDGET,
    RunOutcome.NOT_MEASURED: Status.NOT_MEASURED,
    RunOutcome.CANCELLED: Status.CANCELLED,
    RunOutcome.BROKEN: Status.ERROR,
}


def deciding_verdict(verdicts: Iterable[AnswerVerdict]) -> AnswerVerdict | None:
    """The verdict that counts: a person's before an expectation, a judge's, the strategy's own;
    of one source the last."""
    ranked = sorted(verdicts, key=lambda each: -_RANKS.index(each.source))
    return ranked[-1] if ranked else None


def status_of(
    outcome: RunOutcome, level: EvidenceLevel, verdicts: Iterable[AnswerVerdict]
) -> Status:
    """What a run is shown as. Solved is one that a verdict or complete evidence says it of; where
    both speak and say the opposite, they contradict each other. That its own judge likes an answer
    of which nothing stands in a reply, is not enough."""
    if outcome is not RunOutcome.ANSWERED:
        return _ENDED[outcome]
    verdict = deciding_verdict(verdicts)
    is_own = verdict is not None and verdict.source is VerdictSource.STRATEGY
    if verdict and is_own and verdict.solved and level is EvidenceLevel.NOT_SHOWN:
        return Status.ANSWERED
    shown = {EvidenceLevel.COMPLETE: True, EvidenceLevel.AGAINST: False}.get(level)
    said = None if verdict is None else verdict.solved
    if None not in (shown, said) and shown is not said:
        return Status.CONTRADICTED
    is_right = shown if said is None else said
    if is_right is None:
        return Status.ANSWERED
    return Status.SOLVED if is_right else Status.UNSOLVED
