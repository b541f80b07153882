"""Which saved queries are planned otherwise now than at an earlier point of the history of edits.

What somebody's curation changed, asked for after it: the toolkits as they were are looked at as
`plan_foresight` looks at those that would be. Whether a plan is better is said where an API is
known to have answered the query in a run that nothing speaks against. Blocks; 0.2 s a query at
45,000 APIs.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from toolplanner_core.cases.plan_foresight import PlanForesight, SavedQuery, foresee_plans
from toolplanner_core.curation.edits.history_reading import HistoryEntry, changes_between
from toolplanner_core.domain.ids import ApiId, EditId, RunId
from toolplanner_core.domain.plan import NOT_REFUTED
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.graph.trajectories import trajectory_of
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.strategies.interface.strategy import OutlinedStep
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases, results_by_case
from toolplanner_core.workspace.edit_history import ROOT, read_head
from toolplanner_core.workspace.runs import rows_with_status

PAUSE_US = 2 * 3600 * 1_000_000
"""Edits farther apart than two hours belong to different sittings."""
_FIRST, _FALLBACK, _ABSENT = "tried first", "a fallback", "not in the plan"
_PLACES = (_FIRST, _FALLBACK, _ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPlan:
    """A saved query that is planned otherwise now.

    Attributes:
        run: one that answered it, or else the newest of it; None if it has not run.
        better: +1 where the APIs that answered in that run are tried sooner now, -1 where later, 0
            where neither, None where no run is known that answered.
        evidence: where these APIs stood in the plan and stand now, in words; "" if not known.
    """

    saved: SavedQuery
    before: tuple[OutlinedStep, ...]
    now: tuple[OutlinedStep, ...]
    run: RunId | None
    better: int | None
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansSince:
    """What edits since a point did to the plans of saved queries.

    Attributes:
        changed: those whose plans try other APIs, worse ones first.
        n_renamed: those whose toolkits only have other names.
        foresight: how many were planned, and what cannot be said.
    """

    changed: tuple[ChangedPlan, ...]
    n_renamed: int
    foresight: PlanForesight

    def lines(self) -> list[str]:
        """It in sentences."""
        planned = self.foresight.n_planned + self.foresight.n_same
        asked = counted(planned, "saved query", "saved queries")
        if not self.changed:
            found = [f"None of {asked} is planned otherwise"]
        else:
            better, worse = (sum(p.better == way for p in self.changed) for way in (1, -1))
            known = f": {better:,} better, {worse:,} worse" if better or worse else ""
            found = [f"{len(self.changed):,} of {asked} planned otherwise now{known}"]
        if self.n_renamed:
            found.append(f"{counted(self.n_renamed, 'plan')} with other names of toolkits alone")
        return [*found, *self.foresight.unknown_lines()]


def last_sitting(history: Sequence[HistoryEntry]) -> EditId:
    """The point before the newest edits that were made with no pause of two hours between them.

    Args:
        history: of all branches; only what counts now is looked at.
    """
    done = {entry.id: entry for entry in history if entry.is_done}
    entry = next((entry for entry in history if entry.is_head), None)
    while entry is not None:
        before = done.get(entry.parent)
        if before is None or entry.made_us - before.made_us > PAUSE_US:
            return entry.parent
        entry = before
    return ROOT


def plans_since(workspace: Workspace, since: EditId, *, progress: Progress) -> PlansSince:
    """Plan saved queries with the toolkits as they were at a point, and as they are.

    Raises:
        BadInput: texts of APIs were changed since, whose vectors of then are gone.
        Cancelled: it was stopped.
    """
    with workspace.snapshot() as db:
        back = changes_between(db, read_head(db), since)
    foreseen = foresee_plans(workspace, back, progress=progress)
    others = [each for each in foreseen.changed if _tried(each.before) != _tried(each.after)]
    answered = _answers(workspace, {each.saved.spec.query for each in others})
    changed: list[ChangedPlan] = []
    for each in others:
        # "After" is where the changes lead: to the toolkits of then.
        before, now = each.after, each.before
        run, apis = answered.get(each.saved.spec.query, (each.saved.run, ()))
        better, evidence = _compared(apis, before, now)
        changed.append(
            ChangedPlan(
                saved=each.saved, before=before, now=now, run=run, better=better, evidence=evidence
            )
        )
    return PlansSince(
        changed=tuple(sorted(changed, key=lambda each: (not each.better, each.better or 0))),
        n_renamed=len(foreseen.changed) - len(others),
        foresight=foreseen,
    )


def _tried(steps: Sequence[OutlinedStep]) -> list[tuple[ApiId, ...]]:
    return [step.tried for step in steps]


def _answers(
    workspace: Workspace, queries: Collection[str]
) -> Mapping[str, tuple[RunId, Sequence[ApiId]]]:
    """By query, the newest run that answered it and the APIs that did; passed cases before."""
    ways: dict[RunId, Sequence[ApiId]] = {}
    found: dict[str, tuple[RunId, Sequence[ApiId]]] = {}
    for row in sorted(rows_with_status(workspace, *NOT_REFUTED), key=lambda row: row.id):
        if row.query in queries and (way := trajectory_of(load_tree(workspace, row.id))):
            ways[row.id] = way
            found[row.query] = row.id, way
    results = results_by_case(workspace)
    for case in list_cases(workspace):
        passed = [r for r in results.get(case.id, ()) if r.passed and r.run_id in ways]
        if passed:
            found[case.query] = passed[0].run_id, ways[passed[0].run_id]
    return found


def _compared(
    apis: Sequence[ApiId], before: Sequence[OutlinedStep], now: Sequence[OutlinedStep]
) -> tuple[int | None, str]:
    if not apis:
        return None, ""
    then, later = (max(_place(api, steps) for api in set(apis)) for steps in (before, now))
    if then == later:
        return 0, f"What answered: {_PLACES[later]}, as before"
    return (1 if later < then else -1), f"What answered: {_PLACES[then]} → {_PLACES[later]}"


def _place(api: ApiId, steps: Sequence[OutlinedStep]) -> int:
    """How soon a plan tries an API: the position in `_PLACES`."""
    if any(step.tried[:1] == (api,) for step in steps):
        return _PLACES.index(_FIRST)
    is_there = any(api in step.tried for step in steps)
    return _PLACES.index(_FALLBACK if is_there else _ABSENT)
