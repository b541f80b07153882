"""Whether a run shows what the query's case expects of it."""

from toolplanner_core.cases.case_runs import check_facts, oracle_of
from toolplanner_core.cases.run_facts import CallFact, RunFacts
from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.experiment import TrialFacts, TrialVerdict
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.lab import Query
from toolplanner_core.domain.plan import Status
from toolplanner_core.lab.judges.judge import JudgePlugin
from toolplanner_core.runs.config.spec import RunSummary


def _judge(query: Query, facts: TrialFacts) -> TrialVerdict:
    expected = query.expected or Expectation()
    summary = RunSummary(
        run=RunId(0),
        query=query.text,
        strategy="",
        model="",
        provider="",
        status=_status(facts, expected),
        answer=facts.answer,
        reason=facts.reason,
        api_calls=facts.api_calls,
        fallbacks=facts.fallbacks,
        replans=facts.replans,
    )
    shown = RunFacts(
        calls=tuple(CallFact(api=c.api, toolkit=c.toolkit, error=c.error) for c in facts.calls),
        called_toolkits=frozenset(facts.called_toolkits),
        errors=frozenset(facts.errors),
        exhausted=frozenset(facts.exhausted),
        kept_steps=facts.kept_steps,
        has_parallel_steps=facts.has_parallel_steps,
        has_data_flow=facts.has_data_flow,
        loose_causes=facts.loose_causes,
    )
    keys = {call.api: call.api for call in facts.calls}
    why = check_facts(summary, shown, keys, expected)
    return TrialVerdict(solved=0.0 if why else 1.0, reason="; ".join(why))


def _status(facts: TrialFacts, expected: Expectation) -> Status:
    """As a case's run: an answer that nobody has checked is solved if it says what is expected."""
    says = oracle_of(expected)
    if says is None or facts.status is not Status.ANSWERED:
        return facts.status
    return Status.SOLVED if says(facts.answer).solved else Status.UNSOLVED


PLUGIN = JudgePlugin(
    id="expected",
    title="Expected",
    description="What the query's case expects of its run; asks no model.",
    judge=_judge,
    applies=lambda query: query.expected is not None,
)
