"""Join the decisions files of two people who began from the same workspace.

Both files are made on the start in memory; the three states are joined value by value, and the way
from what both share to the joined state is written as decisions. Conflicts are settled by choosing
a side; an unsettled one leaves the value as it was. Nothing is changed. Blocks.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.sharing.decisions.applying import (
    Performed,
    in_memory,
    make_decisions,
)
from toolplanner_core.curation.sharing.decisions.collecting import (
    ApiIndex,
    decision_of,
    fingerprint,
    index_of,
    start_of,
)
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.difference import Difference, Key, Side, Sides
from toolplanner_core.curation.sharing.decisions.file import DecisionsFile
from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict
from toolplanner_core.curation.sharing.decisions.rand_index import (
    GroupingAgreement,
    measure_agreement,
)
from toolplanner_core.curation.sharing.decisions.squashing import Squasher
from toolplanner_core.curation.sharing.decisions.three_way import ThreeWay
from toolplanner_core.domain.curated import Membership, drop_unchanged, invert_changes
from toolplanner_core.domain.ids import ApiId, EditId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import StoredEdit

_APART = 1_000_000
"""Distance of the numbers that each side gives to new toolkits, so that none are equal."""

_SAME = 0.5
"""Two new toolkits that share more than this of their members (Jaccard) are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeConflict:
    """What both decided, and differently, with who decided it.

    Attributes:
        apis: the APIs it is about.
        names: what the catalogue calls them.
        our_decision, their_decision: the last that set the value; None if it followed from another.
    """

    difference: Difference
    apis: tuple[ApiId, ...]
    names: tuple[str, ...]
    our_decision: Decision | None
    their_decision: Decision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedDecisions:
    """Two files as one.

    Attributes:
        file: what both decided; unsettled conflicts are not in it.
        conflicts: all of them, settled or not.
        left_out: in words, what one side wrote about a toolkit that the other side ended.
        agreement: over the APIs that either side moved.
    """

    file: DecisionsFile
    conflicts: tuple[MergeConflict, ...]
    left_out: tuple[str, ...]
    agreement: GroupingAgreement

    @property
    def unsettled(self) -> int:
        """How many conflicts nobody has settled."""
        return sum(not conflict.difference.settled for conflict in self.conflicts)


def merge_decisions(
    base: Workspace,
    ours: DecisionsFile,
    theirs: DecisionsFile,
    *,
    settle: Side | Literal[""] = "",
    chosen: Mapping[int, Side] | None = None,
) -> MergedDecisions:
    """Join two files.

    Args:
        base: the workspace both began from, or one of the two: its first state counts.
        settle: whose value is taken in conflicts that `chosen` does not name.
        chosen: whose value is taken, by number of the conflict.

    Raises:
        BadInput: a file did not begin from this workspace, or `chosen` names no conflict.
    """
    index, start = index_of(base), start_of(base)
    expected = fingerprint(start, index.id_of)
    for file in (ours, theirs):
        if file.start != expected:
            raise BadInput(
                f"The decisions of “{file.workspace}” did not begin from this workspace",
                where=str(base.path),
                todo="Give the workspace that both began from, as it was then",
            )
    common = _common(ours.decisions, theirs.decisions)
    shared = _Simulated(start, index, ours.decisions[:common], common, 0)
    mine = _Simulated(start, index, ours.decisions, common, _APART)
    yours = _Simulated(start, index, theirs.decisions, common, 2 * _APART)
    yours.renumber(_same_new(shared.state, mine.state, yours.state))
    choices: dict[int, Side] = dict(chosen or {})

    def side(number: int) -> Side | Literal[""]:
        return choices.get(number) or settle

    joined = ThreeWay(Sides(shared.state, mine.state, yours.state), side)
    joined.join()
    if unknown := choices.keys() - {one.number for one in joined.differences}:
        raise BadInput(f"There is no conflict {min(unknown)}")
    who = " and ".join(dict.fromkeys(name for name in (ours.who, theirs.who) if name))
    made_us = max(ours.made_us, theirs.made_us)
    steps = _steps(shared.state, joined.goal, index, who=who, made_us=made_us)
    return MergedDecisions(
        file=DecisionsFile(
            workspace=base.path.stem,
            who=who,
            made_us=made_us,
            start=expected,
            decisions=(*ours.decisions[:common], *steps),
        ),
        conflicts=tuple(_conflict(one, index, mine, yours) for one in joined.differences),
        left_out=tuple(joined.left_out),
        agreement=_agreement(mine, yours),
    )


class _Simulated:
    """A state after the decisions of one side, and which decision set which value.

    Args:
        common: how many of the decisions both sides share.
        apart: added to the numbers of toolkits that only this side makes.
    """

    def __init__(
        self,
        start: CuratedState,
        index: ApiIndex,
        decisions: Sequence[Decision],
        common: int,
        apart: int,
    ) -> None:
        self.state = deepcopy(start)
        self.set_by: dict[Key, Decision] = {}
        own = {decision.key for decision in decisions[common:]}

        def perform(edit: Edit, decision: Decision, _: Mapping[str, Any]) -> Performed:
            if decision.key in own and self.state.new_id < apart:
                self.state.new_id = ToolkitId(self.state.new_id + apart)
            done = in_memory(self.state, edit)
            if decision.key in own:
                self.set_by |= dict.fromkeys(done.changes.keys(), decision)
            return done

        outcomes = make_decisions(decisions, self.state, index, perform=perform, made={})
        for outcome in outcomes:
            if outcome.verdict is DecisionVerdict.CONFLICT:
                raise BadInput(
                    f"“{outcome.decision.label}” cannot be made on the start",
                    why=outcome.why,
                    todo="Write the file again from its workspace",
                )

    def renumber(self, numbers: Mapping[ToolkitId, ToolkitId]) -> None:
        """Call toolkits by other numbers."""
        state = self.state

        def number(toolkit: ToolkitId) -> ToolkitId:
            return numbers.get(toolkit, toolkit)

        state.toolkits = {number(t): fields for t, fields in state.toolkits.items()}
        state.members_of = {number(t): members for t, members in state.members_of.items()}
        state.toolkit_of = {
            rowid: Membership(number(m.toolkit), m.is_pinned)
            for rowid, m in state.toolkit_of.items()
        }
        self.set_by = {
            (kind, number(what) if kind == "toolkit" else what, name): decision
            for (kind, what, name), decision in self.set_by.items()
        }

    def decision_on(self, keys: Sequence[Key]) -> Decision | None:
        """The decision that set the first of these values that this side set."""
        return next((self.set_by[key] for key in keys if key in self.set_by), None)


def _common(ours: Sequence[Decision], theirs: Sequence[Decision]) -> int:
    """How many decisions both have at the beginning."""
    pairs = zip(ours, theirs, strict=False)
    differing = (n for n, (one, other) in enumerate(pairs) if one.key != other.key)
    return next(differing, min(len(ours), len(theirs)))


def _same_new(
    base: CuratedState, ours: CuratedState, theirs: CuratedState
) -> dict[ToolkitId, ToolkitId]:
    """Our numbers of the new toolkits of theirs that are the same as one of ours."""
    same: dict[ToolkitId, ToolkitId] = {}
    for toolkit in theirs.toolkits.keys() - base.toolkits.keys():
        members = theirs.members(toolkit).keys()
        for other in {m.toolkit for m in ours.memberships(members).values()}:
            of_other = ours.members(other).keys()
            shared = len(members & of_other)
            is_same = shared > _SAME * (len(members) + len(of_other) - shared)
            if is_same and other not in base.toolkits:
                same[toolkit] = other
    return same


def _steps(
    base: CuratedState, goal: CuratedState, index: ApiIndex, *, who: str, made_us: int
) -> list[Decision]:
    state = deepcopy(base)
    state.new_id = max(state.new_id, ToolkitId(max((*base.toolkits, *base.gone, 0)) + 1))
    steps: list[Decision] = []
    for number, edit in enumerate(Squasher(state, goal).edits(), start=1):
        planned = edit.plan(state)
        forward = drop_unchanged(planned.changes, state)
        inverse = invert_changes(forward, state)
        stored = StoredEdit(
            id=EditId(number),
            parent=EditId(number - 1),
            kind=edit.kind,
            label=planned.label,
            asked=edit.asked(),
            origin={"by": "merged decisions"},
            actor=Author.PERSON,
            who=who,
            made_us=made_us + number,
        )
        if forward:
            steps.append(decision_of(stored, forward, inverse, state, index))
            state.apply(forward)
    return steps


def _conflict(
    difference: Difference, index: ApiIndex, mine: _Simulated, yours: _Simulated
) -> MergeConflict:
    apis = tuple(index.id_of[rowid] for rowid in difference.rowids)
    return MergeConflict(
        difference=difference,
        apis=apis,
        names=tuple(index.name_of[api] for api in apis),
        our_decision=mine.decision_on(difference.keys),
        their_decision=yours.decision_on(difference.keys),
    )


def _agreement(mine: _Simulated, yours: _Simulated) -> GroupingAgreement:
    touched = sorted(
        {key[1] for side in (mine, yours) for key in side.set_by if key[0] == "member"}
    )
    return measure_agreement(
        *([_group(side.state, rowid) for rowid in touched] for side in (mine, yours))
    )


def _group(state: CuratedState, rowid: int) -> int:
    """The toolkit of an API; one without a toolkit is a group of its own."""
    membership = state.toolkit_of.get(rowid)
    return -rowid if membership is None else membership.toolkit
