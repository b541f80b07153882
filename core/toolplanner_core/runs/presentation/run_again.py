"""What a person must know before a run is run again: its cost, calls in doubt, what can be changed.

All functions that read block and are called on reader threads.
"""

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.stop_points import AFTER_QUESTION, BEFORE_QUESTION
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.replay.fork import ForkChanges, RerunEstimate, estimate_rerun, fork
from toolplanner_core.runs.tree.formatting import cost_words, title_of_segment, token_words
from toolplanner_core.words.formatting import counted, duration, one_line
from toolplanner_core.workspace import Workspace

_MOST_LISTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkBasis:
    """A place where a run can be forked, and what happens there.

    Attributes:
        spec: of the new run if nothing is changed.
        api: of the call that can be changed, None when no call follows or its API is gone.
        arguments: of that call.
        question: what comes next if that is a question or a turn of a dialogue, as a stop at it.
    """

    spec: RunSpec
    estimate: RerunEstimate
    api: Api | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    question: Stop | None = None


def read_fork_basis(workspace: Workspace, run: RunId, path: NodePath) -> ForkBasis:
    """What can be changed at a node. Blocks.

    Raises:
        NotFound: no such run or node.
        BadInput: the run was not recorded by a strategy of this program.
    """
    from toolplanner_core.errors import NotFound
    from toolplanner_core.runs.events.call import CallRefused, CallSent
    from toolplanner_core.runs.log.stored_runs import load_records
    from toolplanner_core.runs.replay.fork import next_question
    from toolplanner_core.workspace.catalogue import get_api

    spec = fork(workspace, run, path, ForkChanges(arguments={}))
    point = spec.fork
    assert point is not None and point.edit is not None
    at = point.edit.at
    api: Api | None = None
    arguments: Mapping[str, Any] = {}
    for record in load_records(workspace, run, at) if at else ():
        if isinstance(record.event, CallSent | CallRefused):
            arguments = record.event.arguments
            try:
                api = get_api(workspace, typing.cast("Any", record.event.api))
            except NotFound:
                api = None
            break
    asked = next_question(workspace, run, point.seq, path)
    return ForkBasis(
        spec=spec,
        estimate=estimate_rerun(workspace, run, after_seq=point.seq),
        api=api,
        arguments=arguments,
        question=None if asked is None else _as_stop(load_records(workspace, run, asked)),
    )


def _as_stop(records: Sequence[Record]) -> Stop:
    """A question as it went; without messages and functions where a person answered unasked."""
    from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
    from toolplanner_core.runs.stages.person_edits import turn_of

    path = records[0].path
    asked = next((r.event for r in records if isinstance(r.event, ModelAsked)), None)
    replies = [r.event for r in records if isinstance(r.event, ModelReplied)]
    said: Any = None
    if asked is not None:
        schema = asked.schema
    else:
        schema = {"type": "object"} if replies[-1].data is not None else {}
    if replies:
        calls = [FunctionCall.from_json(call) for call in replies[-1].calls]
        said = replies[-1].data if schema else turn_of(replies[-1].text, calls)
    return Stop(
        point=BEFORE_QUESTION if said is None else AFTER_QUESTION,
        path=path,
        node=path,
        title=asked.title if asked is not None else title_of_segment(path),
        data=said,
        messages=asked.messages if asked is not None else (),
        tools=asked.tools if asked is not None else (),
        schema=schema,
    )


def changed_arguments(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """What to set at the call of a fork; None as a value takes an argument away, None = nothing."""
    changed = {n: v for n, v in after.items() if n not in before or before[n] != v}
    changed.update({name: None for name in before if name not in after})
    return changed or None


def describe_estimate(estimate: RerunEstimate) -> str:
    """What it took the first time, in one line."""
    parts = [
        counted(estimate.model_calls, "model call"),
        counted(estimate.api_calls, "API call"),
    ]
    if estimate.tokens:
        parts.append(token_words(estimate.tokens, estimate.estimated_tokens))
    if estimate.cost is None:
        parts.append("unknown cost")
    elif estimate.cost:
        parts.append(cost_words(estimate.cost))
    return f"{', '.join(parts)} and {duration(max(0.0, estimate.seconds))} the first time"


def calls_in_doubt(workspace: Workspace, run: RunId) -> list[str]:
    """The calls of an interrupted run that may have happened, in words. Blocks."""
    from toolplanner_core.runs.engine.interrupted import calls_in_doubt as doubtful
    from toolplanner_core.runs.events.call import CallSent
    from toolplanner_core.runs.log.stored_runs import read_run

    records = read_run(workspace, run)
    seqs = set(doubtful(records))
    found: list[str] = []
    for record in records:
        event = record.event
        if record.seq in seqs and isinstance(event, CallSent):
            values = ", ".join(f"{n} {one_line(str(v), 40)}" for n, v in event.arguments.items())
            then = "is made again" if event.risk == "read" else "is not made again"
            found.append(f"{event.title} ({values}): {event.risk}, {then}")
    return found


def describe_calls(lines: list[str]) -> str:
    """A list of calls for a question, cut where it gets long."""
    more = len(lines) - _MOST_LISTED
    rest = [f"and {more:,} more"] if more > 0 else []
    return "\n".join(f"• {line}" for line in [*lines[:_MOST_LISTED], *rest])
