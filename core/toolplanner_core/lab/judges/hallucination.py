"""Whether a model named what does not exist: functions, APIs, toolkits or arguments not offered.

Source: the hallucination rate of Patil et al., arXiv 2305.15334 (APIBench), counted as the gate
counts it, beside each reply.
"""

from collections.abc import Iterable

from toolplanner_core.domain.experiment import TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import JudgePlugin
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.question import ModelReplied


def _judge(_: Query, events: Iterable[Event]) -> TrialVerdict:
    named = [name for e in events if isinstance(e, ModelReplied) for name in e.not_offered]
    if not named:
        return TrialVerdict(solved=1.0)
    return TrialVerdict(solved=0.0, reason=f"Not offered: {', '.join(dict.fromkeys(named))}")


PLUGIN = JudgePlugin(
    id="hallucination",
    title="Nothing made up",
    description="Solved = no reply of the run names a function, API, toolkit or argument that was"
    " not offered; the rate of hallucination is what is left to 100 %. Asks no model.",
    judge_events=_judge,
)
