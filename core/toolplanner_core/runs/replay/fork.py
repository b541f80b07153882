"""Fork a run at any node, go on after a crash, and say what running it again would cost.

A fork is a new run with a parent and a number: the first events are the parent's, read through it,
neither copied nor executed. `fork` only reads and returns a `RunSpec`; starting it with
`engine.run` or `EngineThread.start` makes the new run. The parent is never changed. "Going on" is
the same from the last event of an interrupted run on: also a new run, since a log is only ever
added to by the process that made it, and both stay there to be compared.

What it changes is the first call or question from its place on, as the parent has it, or how the
run goes on: strategy, models, provider, prompts, options."""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.providers.provider import providers
from toolplanner_core.registry import Registry
from toolplanner_core.runs.config.spec import (
    ForkEdit,
    ForkPoint,
    Limits,
    Messages,
    RunSpec,
    candidates_from,
    roles_from,
)
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallSent
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.node import NodeClosed
from toolplanner_core.runs.events.question import ModelAsked, ModelFailed, ModelReplied
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.log.stored_runs import read_run, typed
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.window_places import SEE_NODES
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import StoredRow, last_seq, read_node, read_records
from toolplanner_core.workspace.runs import get_run

_CHUNK = 500
_CALL_BEGINS = (CallSent.type, CallRefused.type)
_QUESTION_BEGINS = (ModelAsked.type, ModelReplied.type)


def place_edit(
    workspace: Workspace, run: RunId, seq: int, path: NodePath, edit: ForkEdit
) -> ForkEdit:
    """The edit with the path of the call or question that it is for. Blocks.

    Args:
        seq: the last event that both runs have.
        path: the node where they part, "" if any.

    Raises:
        NotFound: no question follows.
        BadInput: what is changed is not there, or does not fit.
    """
    is_of_call = edit.arguments is not None or edit.api is not None
    if is_of_call and edit.is_of_question:
        raise BadInput("A fork changes a call or a question, not both", todo="Fork once more")
    if edit.messages is not None and edit.answer is not None:
        raise BadInput(
            "A question that is answered by hand is not asked",
            todo="Change its messages or give its answer, not both",
        )
    begins = _QUESTION_BEGINS if edit.is_of_question else _CALL_BEGINS
    row = _first_of(workspace, run, seq, path, begins)
    if edit.is_of_question and row is None:
        raise NotFound("No question to a model follows there", todo="Fork at a question")
    if row is not None and row.type == ModelAsked.type:
        asked = event_at(workspace, run, row.seq).event
        assert isinstance(asked, ModelAsked)
        if misfit := question_misfit(asked, edit):
            raise BadInput(misfit)
    return dataclasses.replace(edit, at=path if row is None else row.path)


def next_question(workspace: Workspace, run: RunId, seq: int, path: NodePath) -> NodePath | None:
    """Where the next question is; None if a call comes before it, or nothing. Blocks."""
    row = _first_of(workspace, run, seq, path, (*_CALL_BEGINS, *_QUESTION_BEGINS))
    return row.path if row is not None and row.type in _QUESTION_BEGINS else None


def event_at(workspace: Workspace, run: RunId, seq: int) -> Record:
    """An event with all its texts. Blocks."""
    return typed(read_records(workspace, run, after_seq=seq - 1, limit=1, everything=True))[0]


def question_misfit(asked: ModelAsked | Stop, edit: ForkEdit) -> str:
    """Why a question cannot be changed like this, "" if it can."""
    # Here: whoever lists what can be forked needs no validator.
    from toolplanner_core.runs.stages.arguments import value_misfit
    from toolplanner_core.runs.stages.person_edits import (
        messages_misfit,
        turn_misfit,
        with_messages,
    )

    if not asked.messages:
        return ""  # a person answered before it was asked: nobody knows what would fit
    if edit.answer is not None and asked.schema:
        misfit = value_misfit(asked.schema, edit.answer)
    elif edit.answer is not None:
        misfit = turn_misfit(edit.answer, {str(tool.get("name")) for tool in asked.tools})
    else:
        misfit = ""
    if misfit:
        return f"The answer does not fit: {misfit}"
    if edit.messages is None:
        return ""
    if isinstance(edit.messages, Mapping):
        unknown = set(edit.messages).difference(range(1, len(asked.messages) + 1))
        if unknown:
            return f"There is no message {min(unknown)}, only 1 to {len(asked.messages)}"
    return messages_misfit(with_messages(asked.messages, edit.messages))


def _first_of(
    workspace: Workspace, run: RunId, seq: int, path: NodePath, begins: Collection[str]
) -> StoredRow | None:
    """The first such event from the fork point on, at the node itself or below it if it has one."""
    first: StoredRow | None = None
    while rows := read_records(workspace, run, after_seq=seq, limit=_CHUNK):
        for row in rows:
            if row.type not in begins:
                continue
            if not path or row.path == path or row.path.startswith(f"{path}/"):
                return row
            first = first or row
        seq = rows[-1].seq
    return first


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkChanges:
    """What the new run does differently from the fork point on; None = as before.

    Attributes:
        options: options of the strategy to set; others stay.
        model, provider: other ones.
        roles: models of roles to set; others stay.
        provider_options: options of the provider to set.
        arguments: arguments to set at the call at the fork point; a value of None takes one away.
        api: another API for that call.
        messages, answer: of the question at the fork point, as of `ForkEdit`.
        limits: other limits; they hold for the run as a whole, the prefix included.
        faults: others than the parent's; () = none any more.
    """

    options: Mapping[str, Any] | None = None
    model: str | None = None
    roles: Mapping[str, str] | None = None
    provider: str | None = None
    provider_options: Mapping[str, Any] | None = None
    arguments: Mapping[str, Any] | None = None
    api: ApiId | None = None
    messages: Messages | None = None
    answer: Any = None
    limits: Limits | None = None
    faults: tuple[str, ...] | None = None

    def in_words(self) -> dict[str, Any]:
        """Those that are set, as JSON."""
        found = dataclasses.asdict(self)
        if isinstance(self.messages, Mapping):
            found["messages"] = {str(number): text for number, text in self.messages.items()}
        elif self.messages is not None:
            found["messages"] = "others"  # which ones is said at the question, before and after
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunEstimate:
    """What running a run again would cost, as measured the first time; a replay costs nothing.

    `cost` is in US dollars at the prices of then; None = unknown. `estimated_tokens` are those of
    `tokens` that no endpoint has counted.
    """

    model_calls: int
    api_calls: int
    tokens: int
    cost: float | None
    seconds: float
    estimated_tokens: int = 0


def fork(
    workspace: Workspace,
    run: RunId,
    at: int | NodePath,
    changes: ForkChanges | None = None,
) -> RunSpec:
    """The spec of a run that goes on from another one. Blocks for a few rows, however long it is.

    Args:
        at: a node: the new run begins to differ before it; or the number of the last event that
            both have.

    Raises:
        NotFound: no such run, node or event.
        BadInput: the run was not recorded by a strategy of this program; what is changed is not
            there.
    """
    changes = changes or ForkChanges()
    seq, path = _place(workspace, run, at)
    edit = ForkEdit(
        arguments=changes.arguments,
        api=changes.api,
        messages=changes.messages,
        answer=changes.answer,
    )
    edit = None if edit == ForkEdit() else place_edit(workspace, run, seq, path, edit)
    point = ForkPoint(parent=run, seq=seq, at=path, edit=edit, changes=changes.in_words())
    return _spec(workspace, changes, point)


def go_on(workspace: Workspace, run: RunId) -> RunSpec:
    """The spec of a run that goes on where another one was interrupted or stopped. Blocks.

    Finished calls are fed from the log; a run that was killed before its first event was stored has
    none and starts from the beginning. A call without an outcome is made again if it is read-only;
    else it is in doubt, and the strategy is told so.

    Raises:
        NotFound: no such run.
        BadInput: it was not interrupted, and nobody stopped it.
    """
    if get_run(workspace, run).status not in (Status.INTERRUPTED, Status.CANCELLED):
        raise BadInput(
            f"Run {run} was not interrupted", todo="To do something else with it, fork it"
        )
    seq = _last(workspace, run)
    while seq and _is_of_stop(event_at(workspace, run, seq).event):
        seq -= 1
    if seq == 0:
        return spec_from_row(workspace, run)
    return _spec(workspace, ForkChanges(), ForkPoint(parent=run, seq=seq, reason="go on"))


def _is_of_stop(event: Event) -> bool:
    """Whether it says that a run broke off or was stopped: it closes what was open then."""
    match event:
        case RunInterrupted() | RunFinished():
            return True
        case NodeClosed():
            return event.state == NodeState.CANCELLED
        case CallFailed() | ModelFailed():
            return event.error == ErrorClass.CANCELLED
        case _:
            return False


def spec_from_row(workspace: Workspace, run: RunId) -> RunSpec:
    """The spec of a run by its row in the list alone, to run the same from the start."""
    row = get_run(workspace, run)
    options = row.options
    return RunSpec(
        query=row.query,
        strategy=row.strategy,
        model=row.model,
        roles=roles_from(options),
        provider=row.provider,
        options=options.get("options", {}),
        provider_options=options.get("provider_options", {}),
        limits=Limits(**options.get("limits", {})),
        seed=int(options.get("seed", 0)),
        faults=tuple(options.get("faults", ())),
        candidates=candidates_from(options),
    )


def estimate_rerun(workspace: Workspace, run: RunId, *, after_seq: int = 0) -> RerunEstimate:
    """What running it again from an event on would cost, if the same happened. Blocks.

    Raises:
        NotFound: no such run.
    """
    records = read_run(workspace, run)
    before, totals, rest = Totals(), Totals(), Totals()
    before.apply(records[:after_seq])
    totals.apply(records)
    rest.apply(records[after_seq:])
    return RerunEstimate(
        model_calls=totals.model_calls - before.model_calls,
        api_calls=totals.api_calls - before.api_calls,
        tokens=totals.tokens - before.tokens,
        estimated_tokens=totals.estimated_tokens - before.estimated_tokens,
        cost=rest.cost,
        seconds=round(totals.seconds - before.seconds, 3),
    )


def _place(workspace: Workspace, run: RunId, at: int | NodePath) -> tuple[int, NodePath]:
    """The last event that both runs have, and the node where they part."""
    if isinstance(at, int):
        last = _last(workspace, run)
        if not 1 <= at <= last:
            raise NotFound(f"Run {run} has no event {at}", todo=f"It has 1 to {last}")
        return at, event_at(workspace, run, at + 1).path if at < last else NodePath("")
    if not at:
        return 1, at
    events = read_node(workspace, run, at)
    if not events:
        raise NotFound(f"Run {run} has no node {at}", todo=SEE_NODES)
    return events[0].seq - 1, at


def _spec(workspace: Workspace, changes: ForkChanges, point: ForkPoint) -> RunSpec:
    started, latest = _beginnings(workspace, point)
    known = {field.name for field in dataclasses.fields(Limits)}
    limits = {name: value for name, value in latest.limits.items() if name in known}
    return RunSpec(
        query=started.query,
        strategy=started.strategy,
        model=changes.model or latest.model,
        roles={**roles_from(latest.options), **(changes.roles or {})},
        provider=changes.provider or latest.provider,
        options={**latest.options.get("strategy", {}), **(changes.options or {})},
        provider_options={
            # Another provider has other options.
            **({} if changes.provider else latest.options.get("provider", {})),
            **(changes.provider_options or {}),
        },
        limits=changes.limits or Limits(**limits),
        seed=started.seed,
        fork=point,
        faults=tuple(latest.options.get("faults", ()))
        if changes.faults is None
        else changes.faults,
        candidates=candidates_from(latest.options),
    )


def _beginnings(
    workspace: Workspace, point: ForkPoint
) -> tuple[RunStarted, RunStarted | ForkOrigin]:
    """The first event of the oldest ancestor, and that of the run that wrote the fork point."""
    first = event_at(workspace, point.parent, 1).event if point.seq else None
    row = get_run(workspace, point.parent)
    while row.parent_run is not None and (row.fork_seq or 0) >= point.seq:
        row = get_run(workspace, row.parent_run)
    latest = first
    if row.parent_run is not None:
        latest = event_at(workspace, row.id, (row.fork_seq or 0) + 1).event
    if not isinstance(first, RunStarted) or not isinstance(latest, RunStarted | ForkOrigin):
        raise BadInput(
            f"Run {point.parent} cannot go on",
            why="Its log does not begin with what is needed to run it again",
        )
    return first, latest


def _last(workspace: Workspace, run: RunId) -> int:
    return last_seq(workspace, run) or get_run(workspace, run).fork_seq or 0


def changes_between(before: RunSpec, after: RunSpec) -> ForkChanges:
    """The changes that make a fork of `before` go on as `after`; both have the same strategy.

    Raises:
        NotFound: there is no such strategy or provider.
        BadInput: an option does not fit.
    """
    is_same_provider = before.provider == after.provider
    roles = {
        role: after.roles.get(role, "")
        for role in {**before.roles, **after.roles}
        if before.roles.get(role, "") != after.roles.get(role, "")
    }
    options = _changed(strategies, after.strategy, before.options, after.options)
    provider_options = dict(after.provider_options)
    if is_same_provider and after.provider in providers.plugins:
        provider_options = _changed(
            providers, after.provider, before.provider_options, after.provider_options
        )
    return ForkChanges(
        options=options or None,
        model=after.model if after.model != before.model else None,
        roles=roles or None,
        provider=None if is_same_provider else after.provider,
        provider_options=provider_options or None,
        limits=after.limits if after.limits != before.limits else None,
        faults=after.faults if after.faults != before.faults else None,
    )


def _changed(
    registry: Registry[Any], plugin_id: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Options to set; one that is taken back to its default is set to it."""
    kind, of = registry.get(plugin_id).options, f"{registry.what} {plugin_id}"
    was = options_to_json(make_options(kind, before, of=of))
    now = options_to_json(make_options(kind, after, of=of))
    return {name: value for name, value in now.items() if value != was[name]}
