"""Which saved queries would be planned differently after an edit: planned again, without a call.

Queries of cases and of the newest runs are planned twice, with the toolkits as they are and as they
would be (`workspace/what_if.py`). Only what can be computed is said: a strategy must have a first
plan, and rules must make it. What a language model planned stays as it is while it would be offered
the same toolkits; else nobody knows what it would plan. Blocks; 0.18 s a query at 45,000 APIs.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toolplanner_core.cases.case_runs import spec_of
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import OFFLINE, is_example
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.runs.preview.first_plan import outline_of
from toolplanner_core.runs.replay.fork import spec_from_row
from toolplanner_core.strategies.interface.strategy import OutlinedStep, strategies
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.what_if import WhatIf

_MOST_RUNS = 200
MOST_QUERIES = 60
"""Queries that are planned again: the newest."""
_OFFERED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuery:
    """A query that was kept, as a case or by a run.

    Attributes:
        run: the newest of it; None of a case.
    """

    spec: RunSpec
    title: str
    run: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedOtherwise:
    """A saved query that would be planned differently, with both plans."""

    saved: SavedQuery
    before: tuple[OutlinedStep, ...]
    after: tuple[OutlinedStep, ...]

    @property
    def words(self) -> str:
        """Which toolkits, and first APIs, instead of which; or that only fallbacks differ."""
        title, before, after = one_line(self.saved.title, 70), _plan(self.before), _plan(self.after)
        if before == after:
            return f"“{title}”: {before}, with other fallbacks"
        return f"“{title}”: {before} → {after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanForesight:
    """What an edit would do to the plans of saved queries.

    Attributes:
        n_planned: queries that were planned twice.
        n_of_cases: queries of cases among these and the `n_same`; the others are those of runs.
        n_same: those of language models that would be offered just the same toolkits.
        offered_otherwise: those of language models that would be offered others.
        n_unplanned: by strategies without a first plan.
        n_left_out: older ones that were not looked at.
    """

    changed: tuple[PlannedOtherwise, ...] = ()
    n_planned: int = 0
    n_of_cases: int = 0
    n_same: int = 0
    offered_otherwise: tuple[SavedQuery, ...] = ()
    n_unplanned: int = 0
    n_left_out: int = 0

    def lines(self) -> list[str]:
        """It in sentences: what would change, and what cannot be said; none without queries."""
        found: list[str] = []
        known = self.n_planned + self.n_same
        if known:
            n = f"{len(self.changed):,}" if self.changed else "None"
            found.append(f"{n} of {self._of(known)} would be planned differently")
            found += [each.words for each in self.changed]
        return [*found, *self.unknown_lines()]

    def unknown_lines(self) -> list[str]:
        """What cannot be said, in sentences."""
        found: list[str] = []
        if others := self.offered_otherwise:
            found.append(
                f"{counted(len(others), 'query', 'queries')} planned by a language model would be"
                " offered other toolkits: what it would plan is not known"
            )
        if self.n_unplanned:
            queries = counted(self.n_unplanned, "query", "queries")
            found.append(f"{queries} of strategies that plan as they go: not known")
        if self.n_left_out:
            found.append(
                f"{counted(self.n_left_out, 'older query', 'older queries')} not looked at"
            )
        return found

    def _of(self, known: int) -> str:
        of_runs = known - self.n_of_cases
        if not of_runs:
            return counted(known, "case")
        if not self.n_of_cases:
            return counted(known, "query of runs", "queries of runs")
        cases = counted(self.n_of_cases, "case")
        return f"{counted(known, 'saved query', 'saved queries')} ({cases}, {of_runs:,} of runs)"


def saved_queries(workspace: Workspace) -> list[SavedQuery]:
    """Queries of cases, then of the newest runs; each way to run a query once."""
    found: dict[str, SavedQuery] = {}
    for case in list_cases(workspace):
        _enter(found, SavedQuery(spec=spec_of(case), title=case.query))
    for summary in list_runs(workspace, limit=_MOST_RUNS):
        if not summary.is_imported and not is_example(summary.model):
            spec = spec_from_row(workspace, summary.run)
            _enter(found, SavedQuery(spec=spec, title=spec.query, run=summary.run))
    return list(found.values())


def foresee_plans(
    workspace: Workspace,
    changes: Changes,
    *,
    progress: Progress,
    catalogue: WorkspaceCatalogue | None = None,
    most: int = MOST_QUERIES,
) -> PlanForesight:
    """What changes would do to the plans of saved queries; nothing is called or changed.

    Args:
        catalogue: of the workspace as it is, to share its vectors.

    Raises:
        BadInput: the changes are of a kind whose effect nobody knows yet.
        Cancelled: it was stopped.
    """
    saved = saved_queries(workspace)
    now = catalogue or WorkspaceCatalogue(workspace)
    try:
        with WhatIf(workspace, changes) as changed:
            then = WorkspaceCatalogue(changed, like=now)
            found = asyncio.run(_look_at(saved[:most], now, then, progress))
            return replace(found, n_left_out=len(saved[most:]))
    finally:
        if catalogue is None:
            now.close()


async def _look_at(
    saved: Sequence[SavedQuery],
    now: WorkspaceCatalogue,
    then: WorkspaceCatalogue,
    progress: Progress,
) -> PlanForesight:
    found = PlanForesight()
    for number, each in enumerate(saved):
        progress.report("Planning saved queries again", number, len(saved), "queries")
        found = await _look(found, each, now, then)
    return found


async def _look(
    found: PlanForesight, each: SavedQuery, now: WorkspaceCatalogue, then: WorkspaceCatalogue
) -> PlanForesight:
    spec = each.spec
    if strategies.get(spec.strategy).outline is None:
        return replace(found, n_unplanned=found.n_unplanned + 1)
    if spec.roles.get("planning", spec.model) != OFFLINE:
        before, after = [
            await catalogue.shortlist(spec.query, _OFFERED, without=()) for catalogue in (now, then)
        ]
        cards = [
            [(c.toolkit.id, c.toolkit.name, c.toolkit.description) for c in kits]
            for kits in (before, after)
        ]
        if cards[0] == cards[1]:
            return _known(replace(found, n_same=found.n_same + 1), each)
        return replace(found, offered_otherwise=(*found.offered_otherwise, each))
    try:
        before, after = [tuple(await outline_of(spec, catalogue)) for catalogue in (now, then)]
    except UserError:
        return replace(found, n_unplanned=found.n_unplanned + 1)
    found = _known(replace(found, n_planned=found.n_planned + 1), each)
    if before == after:
        return found
    changed = PlannedOtherwise(saved=each, before=before, after=after)
    return replace(found, changed=(*found.changed, changed))


def _known(found: PlanForesight, each: SavedQuery) -> PlanForesight:
    return replace(found, n_of_cases=found.n_of_cases + (each.run is None))


def _enter(found: dict[str, SavedQuery], saved: SavedQuery) -> None:
    spec = saved.spec
    key = repr((spec.query, spec.strategy, spec.model, dict(spec.roles), dict(spec.options)))
    found.setdefault(key, saved)


def _plan(steps: Iterable[OutlinedStep]) -> str:
    said = [" · ".join(part for part in (each.toolkit, each.api) if part) for each in steps]
    return ", then ".join(said) or "no plan"
