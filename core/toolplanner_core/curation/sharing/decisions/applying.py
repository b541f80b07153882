"""Make the decisions of a file in a workspace, one ordinary edit each, and report conflicts.

A conflict stops nothing but itself. A decision that was made here already is known by its key, so
that a file can be applied again. Blocks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.sharing.decisions.collecting import (
    BY_FILE,
    ApiIndex,
    MadeDecision,
    decisions_made,
    index_of,
)
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.file import DecisionsFile
from toolplanner_core.curation.sharing.decisions.late import late_apis, late_key, want_late
from toolplanner_core.curation.sharing.decisions.making import want_decision
from toolplanner_core.curation.sharing.decisions.outcome import (
    ApplyReport,
    DecisionOutcome,
    DecisionVerdict,
)
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision
from toolplanner_core.curation.sharing.decisions.resolving import Resolver
from toolplanner_core.domain.curated import Changes, drop_unchanged
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head


class Performed(NamedTuple):
    """An edit that was made.

    Attributes:
        label: what it does here, for people.
        edit: None on a state in memory.
    """

    label: str
    changes: Changes
    edit: EditId | None


Perform = Callable[[Edit, Decision, Mapping[str, Any]], Performed]
"""Makes one edit of a decision, with its origin."""


def apply_decisions(
    workspace: Workspace,
    file: DecisionsFile,
    *,
    who: str,
    dry_run: bool = False,
    report: Report | None = None,
) -> ApplyReport:
    """Make all decisions of a file that can be made here.

    Each is one durable edit (several at most where it moves and pins), to be undone like any other.

    Args:
        who: name of the person who applies the file.
        dry_run: only say what would become of each.
        report: told how many decisions are done.

    Raises:
        WorkspaceError: an edit could not be stored; those before it were.
    """
    index = index_of(workspace)
    made = {one.decision.key: one for one in decisions_made(workspace, index)}
    with workspace.snapshot() as db:
        state = CuratedState.read(db)
        point = read_head(db)

    def perform(edit: Edit, decision: Decision, origin: Mapping[str, Any]) -> Performed:
        if dry_run:
            return in_memory(state, edit)
        done = history.do(
            workspace,
            edit,
            origin={**origin, "file_of": file.workspace, "applied_by": who},
            who=decision.who,
            actor=decision.actor,
            # A link does not say which merge or split it rules out.
            label=decision.label if decision.origin.get("never") else "",
        )
        state.apply(done.changes)
        return Performed(done.label, done.changes, done.head)

    outcomes = make_decisions(
        file.decisions,
        state,
        index,
        perform=perform,
        made=made,
        report=report,
    )
    return ApplyReport(point=point, outcomes=tuple(outcomes))


def in_memory(state: CuratedState, edit: Edit) -> Performed:
    """Make an edit on a state.

    Raises:
        BadInput: it does not fit the state.
    """
    planned = edit.plan(state)
    changes = drop_unchanged(planned.changes, state)
    state.apply(changes)
    return Performed(planned.label, changes, None)


def make_decisions(
    decisions: Sequence[Decision],
    state: CuratedState,
    index: ApiIndex,
    *,
    perform: Perform,
    made: Mapping[str, MadeDecision],
    report: Report | None = None,
) -> Iterator[DecisionOutcome]:
    """Make decisions one after the other.

    Args:
        state: where they are made; `perform` keeps it up to date.
        index: the APIs that are there.
        made: decisions that count there already, by key.
    """
    resolver = Resolver(state, index.rowid_of)
    for number, decision in enumerate(decisions, start=1):
        if report is not None:
            report("Making decisions", number - 1, len(decisions), "decisions")
        place, key = PlacedDecision(decision, state, resolver), decision.key
        if (known := made.get(key)) is None:
            want_decision(place)
        else:
            _learn(resolver, decision, known)
            if late := late_apis(decision, made, index.rowid_of):
                key = late_key(decision, made)
                want_late(place, late)
        performed = _perform_all(place, key, perform)
        against = {
            why: tuple(index.id_of[rowid] for rowid in rowids)
            for why, rowids in (*place.refused.items(), *place.otherwise.items())
        }
        yield DecisionOutcome(
            number=number,
            decision=decision,
            verdict=_verdict(place, is_changed=bool(performed)),
            against=against,
            names={api: index.name_of[api] for apis in against.values() for api in apis},
            does=tuple(one.label for one in performed),
            missing=tuple(place.missing),
            edits=tuple(one.edit for one in performed if one.edit is not None),
        )


def _learn(resolver: Resolver, decision: Decision, made: MadeDecision) -> None:
    """What a decision that was made here before says of the toolkits of the file."""
    for number, toolkit in zip(decision.makes, sorted(made.changes.begun), strict=False):
        resolver.learn(number, toolkit)
    if decision.kind == made.decision.kind:
        for field in ("toolkit", "into", "to"):
            number, toolkit = decision.asked.get(field), made.decision.asked.get(field)
            if number is not None and toolkit is not None:
                resolver.learn(ToolkitId(number), ToolkitId(toolkit))


def _perform_all(place: PlacedDecision, key: str, perform: Perform) -> list[Performed]:
    performed: list[Performed] = []
    for part, edit in enumerate(place.edits, start=1):
        origin: dict[str, Any] = {
            "by": BY_FILE,
            "key": key if part == 1 else f"{key}/{part}",
            "origin": dict(place.decision.origin),
        }
        if place.missing:
            origin["missing"] = list(place.missing)
        with place.refusing():
            if not drop_unchanged(edit.plan(place.state).changes, place.state):
                continue
            performed.append(perform(edit, place.decision, origin))
            if part == 1:
                begun = sorted(performed[-1].changes.begun)
                for number, toolkit in zip(place.makes, begun, strict=False):
                    place.resolver.learn(number, toolkit)
    return performed


def _verdict(place: PlacedDecision, *, is_changed: bool) -> DecisionVerdict:
    is_whole = not (place.refused or place.missing or place.otherwise)
    if is_changed:
        return DecisionVerdict.APPLIED if is_whole else DecisionVerdict.IN_PART
    if place.refused or (place.missing and not place.edits):
        return DecisionVerdict.CONFLICT
    return DecisionVerdict.ALREADY
