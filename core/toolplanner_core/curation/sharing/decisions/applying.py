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
from toolplanner_core.curation.sharing.decisions.late import late_apis, late_key, wanted_for_late
from toolplanner_core.curation.sharing.decisions.making import wanted_edits
from toolplanner_core.curation.sharing.decisions.outcome import (
    Against,
    ApplyReport,
    DecisionOutcome,
    DecisionVerdict,
)
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision, Wanted
from toolplanner_core.curation.sharing.decisions.resolving import Resolver
from toolplanner_core.domain.curated import Changes, without_idle
from toolplanner_core.domain.ids import ApiId, EditId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head


class Performed(NamedTuple):
    """An edit that was made.

    Attributes:
        edit: None on a state in memory.
    """

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
        )
        state.apply(done.changes)
        return Performed(done.changes, done.head)

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
    changes = without_idle(edit.plan(state).changes, state)
    state.apply(changes)
    return Performed(changes, None)


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
    maker = _Maker(state, index, perform)
    for number, decision in enumerate(decisions, start=1):
        if report is not None:
            report("Making decisions", number - 1, len(decisions), "decisions")
        known = made.get(decision.key)
        if known is None:
            yield maker.make(number, decision)
            continue
        maker.learn(decision, known)
        late = late_apis(decision, made, index.rowid_of)
        if late:
            yield maker.make_late(number, decision, late, key=late_key(decision, made))
        else:
            yield DecisionOutcome(number=number, decision=decision, verdict=DecisionVerdict.ALREADY)


class _Maker:
    """Makes decisions in one state."""

    def __init__(self, state: CuratedState, index: ApiIndex, perform: Perform) -> None:
        self._state = state
        self._index = index
        self._perform = perform
        self._resolver = Resolver(state, index.rowid_of)

    def make(self, number: int, decision: Decision) -> DecisionOutcome:
        """Make what can be made of a decision."""
        try:
            wanted = wanted_edits(
                PlacedDecision.of(decision, self._state, self._resolver, self._index.rowid_of)
            )
        except BadInput as error:
            wanted = Wanted()
            wanted.refuse(error.sentence)
        return self._outcome(number, decision, wanted, key=decision.key)

    def make_late(
        self, number: int, decision: Decision, apis: Sequence[ApiId], *, key: str
    ) -> DecisionOutcome:
        """Make up for APIs that were missing when the decision was made here."""
        place = PlacedDecision.of(decision, self._state, self._resolver, self._index.rowid_of)
        return self._outcome(number, decision, wanted_for_late(place, apis), key=key)

    def _outcome(
        self, number: int, decision: Decision, wanted: Wanted, *, key: str
    ) -> DecisionOutcome:
        performed = self._perform_all(decision, wanted, key)
        return DecisionOutcome(
            number=number,
            decision=decision,
            verdict=_verdict(wanted, is_changed=bool(performed)),
            against=tuple(
                Against(why=one.why, apis=tuple(self._index.id_of[r] for r in one.rowids))
                for one in wanted.refused
            ),
            missing=tuple(wanted.missing),
            edits=tuple(one.edit for one in performed if one.edit is not None),
        )

    def learn(self, decision: Decision, made: MadeDecision) -> None:
        """What a decision that was made here before says of the toolkits of the file."""
        for number, toolkit in zip(decision.makes, sorted(made.changes.begun), strict=False):
            self._resolver.learn(number, toolkit)
        if decision.kind == made.decision.kind:
            for field in ("toolkit", "into", "to"):
                number, toolkit = decision.asked.get(field), made.decision.asked.get(field)
                if number is not None and toolkit is not None:
                    self._resolver.learn(ToolkitId(number), ToolkitId(toolkit))

    def _perform_all(self, decision: Decision, wanted: Wanted, key: str) -> list[Performed]:
        performed: list[Performed] = []
        for part, edit in enumerate(wanted.edits, start=1):
            origin: dict[str, Any] = {
                "by": BY_FILE,
                "key": key if part == 1 else f"{key}/{part}",
                "origin": dict(decision.origin),
            }
            if wanted.missing:
                origin["missing"] = list(wanted.missing)
            try:
                if not without_idle(edit.plan(self._state).changes, self._state):
                    continue
                performed.append(self._perform(edit, decision, origin))
            except BadInput as error:
                wanted.refuse(error.sentence)
                continue
            if part == 1:
                begun = sorted(performed[-1].changes.begun)
                for number, toolkit in zip(wanted.makes, begun, strict=False):
                    self._resolver.learn(number, toolkit)
        return performed


def _verdict(wanted: Wanted, *, is_changed: bool) -> DecisionVerdict:
    if is_changed:
        return (
            DecisionVerdict.IN_PART if wanted.refused or wanted.missing else DecisionVerdict.APPLIED
        )
    if wanted.refused or (wanted.missing and not wanted.edits):
        return DecisionVerdict.CONFLICT
    return DecisionVerdict.ALREADY
