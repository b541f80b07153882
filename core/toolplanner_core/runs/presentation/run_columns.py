"""Columns of lists and comparisons of runs: how a run ended, what its replies show of the answer,
what each verdict says, and which model did what.

Outcome, evidence and verdicts are three things, each told for itself: none is mixed into another. A
column of a verdict is for one who may say whether an answer is right, one of a model for one role.
Cells are empty where there is nothing to say; whoever shows a list leaves out columns without a
word.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.outcome import (
    AnswerVerdict,
    EvidenceLevel,
    RunOutcome,
    VerdictSource,
    deciding_verdict,
)
from toolplanner_core.llm.model import model_words
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.spec import RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryColumn:
    """A column: its title, and what it says of a run ("" = nothing)."""

    title: str
    told: Callable[[RunSummary], str]


def verdict_words(summary: RunSummary, source: VerdictSource) -> str:
    """What one of those who may say it says of an answer: "solved", "not solved, 1 of 3"."""
    said = (AnswerVerdict.from_json(each) for each in summary.verdicts)
    verdict = deciding_verdict(each for each in said if each.source is source)
    if verdict is None:
        return ""
    word = "solved" if verdict.solved else "not solved"
    n_votes = len(verdict.votes)
    return f"{word}, {verdict.votes.count(True)} of {n_votes}" if n_votes > 1 else word


def role_model(summary: RunSummary, role: Role) -> str:
    """The model of a role; "" where the acting one has this role, too."""
    acting = summary.models.get(Role.ACTING) or summary.model
    model = summary.models.get(role) or acting
    return "" if role is not Role.ACTING and model == acting else model_words(model)


_ENDED = {
    RunOutcome.ANSWERED: "answered",
    RunOutcome.SERVED: "served",
    RunOutcome.NOTHING_SERVED: "every call failed",
    RunOutcome.GAVE_UP: "gave up",
    RunOutcome.OVER_BUDGET: "over budget",
    RunOutcome.NOT_MEASURED: "not measured",
    RunOutcome.CANCELLED: "stopped",
    RunOutcome.BROKEN: "broke off",
}
_EVIDENCE = {
    EvidenceLevel.COMPLETE: "shows every need",
    EvidenceLevel.NOT_CHECKED: "needs left unchecked",
    EvidenceLevel.NOT_SHOWN: "shows nothing of it",
    EvidenceLevel.AGAINST: "speaks against it",
}


def ended_words(summary: RunSummary) -> str:
    """How a run ended, whatever is said of its answer; "" for one of an earlier program."""
    return _ENDED[RunOutcome(summary.outcome)] if summary.outcome else ""


def evidence_words(summary: RunSummary) -> str:
    """What the replies of a run say of its answer; "" where there is none."""
    return _EVIDENCE.get(EvidenceLevel(summary.checked.get("level", "")), "")


def said_words(summary: RunSummary) -> str:
    """What all verdicts say of an answer, each with who said it; "" where nobody did."""
    told = ((title, verdict_words(summary, source)) for source, title in _TITLES.items())
    return "; ".join(f"{words} ({title.lower()})" for title, words in told if words)


_TITLES = {
    VerdictSource.EXPECTATION: "Expected",
    VerdictSource.JUDGE: "Judge",
    VerdictSource.STRATEGY: "Own judge",
    VerdictSource.PERSON: "Person",
}


def _of_source(source: VerdictSource) -> Callable[[RunSummary], str]:
    return lambda summary: verdict_words(summary, source)


def _of_role(role: Role) -> Callable[[RunSummary], str]:
    return lambda summary: role_model(summary, role)


OUTCOME_COLUMNS: Sequence[SummaryColumn] = [
    SummaryColumn(title="Ended", told=ended_words),
    SummaryColumn(title="Evidence", told=evidence_words),
]
VERDICT_COLUMNS: Sequence[SummaryColumn] = [
    SummaryColumn(title=title, told=_of_source(source)) for source, title in _TITLES.items()
]
MODEL_COLUMNS: Sequence[SummaryColumn] = [
    SummaryColumn(title=f"{role.value.capitalize()} model", told=_of_role(role))
    for role in (Role.ACTING, Role.PLANNING, Role.JUDGING)
]


def filled(
    columns: Iterable[SummaryColumn], summaries: Sequence[RunSummary]
) -> list[SummaryColumn]:
    """The columns that say something of one of these runs."""
    return [column for column in columns if any(map(column.told, summaries))]
