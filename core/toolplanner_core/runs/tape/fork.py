"""Fork a run at any node, go on after a crash, and say what running it again would cost.

A fork is a new run with a parent and a number: the first events are the parent's, read through it,
neither copied nor executed. `fork` only reads and returns a `RunSpec`; starting it with
`engine.run` or `EngineThread.start` makes the new run. The parent is never changed. "Going on" is
the same from the last event of an interrupted run on: also a new run, since a log is only ever
added to by the process that made it, and both stay there to be compared.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunInterrupted, RunStarted
from toolplanner_core.runs.reading import read_run
from toolplanner_core.runs.spec import ForkEdit, ForkPoint, Limits, Messages, RunSpec, roles_from
from toolplanner_core.runs.tape.fork_target import event_at, place_edit
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.words.places import SEE_NODES
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import last_seq, read_node
from toolplanner_core.workspace.runs import get_run


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

    `cost` is in US dollars at the prices of then; None = unknown.
    """

    model_calls: int
    api_calls: int
    tokens: int
    cost: float | None
    seconds: float


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
    """The spec of a run that goes on where another one was interrupted. Blocks.

    Finished calls are fed from the log; a run that was killed before its first event was stored has
    none and starts from the beginning. A call without an outcome is made again if it is read-only;
    else it is in doubt, and the strategy is told so.

    Raises:
        NotFound: no such run.
        BadInput: it was not interrupted.
    """
    if get_run(workspace, run).status != Status.INTERRUPTED:
        raise BadInput(
            f"Run {run} was not interrupted", todo="To do something else with it, fork it"
        )
    seq = _last(workspace, run)
    while seq and isinstance(event_at(workspace, run, seq).event, RunInterrupted):
        seq -= 1
    if seq == 0:
        return spec_from_row(workspace, run)
    return _spec(workspace, ForkChanges(), ForkPoint(parent=run, seq=seq, reason="go on"))


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
