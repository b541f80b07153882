"""What would an edit of toolkits change? A data set planned twice: as it is, and as it would be.

Each query is shortlisted and planned by rules with the toolkits as they are and with changes that
nobody has made (`workspace/what_if.py`); nothing is called or written. Where gold APIs are known it
is said whether they come in or fall out of reach, paired by query. `run_changed` then really runs
those that are planned otherwise, both ways, in copies of the workspace. For `lab whatif` and the
window's merge dialog. Blocks; some 0.2 s a query at 45,000 APIs.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.experiment import Arm, Trial, TrialState
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.judges.judge import JudgePlugin
from toolplanner_core.lab.statistics.paired import PairedShares, paired_shares
from toolplanner_core.lab.trial_runs import TrialRunner, TrialTask
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.preview.first_plan import outline_of
from toolplanner_core.strategies.interface.strategy import OutlinedStep
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names, ids_by_rowid
from toolplanner_core.workspace.copying import copy_without_runs
from toolplanner_core.workspace.curated_tables import write_changes
from toolplanner_core.workspace.toolkits import plannable_labels
from toolplanner_core.workspace.what_if import WhatIf

SHORTLIST = 60
"""Toolkits of a shortlist that are compared: what `tool-planner` is offered by default."""


class EffectOn(StrEnum):
    """What of a query an edit can change."""

    SHORTLIST = "shortlist"
    PLAN = "plan"
    FALLBACKS = "fallbacks"


class Reach(StrEnum):
    """How near a plan comes to the gold APIs of a query."""

    ON_SHORTLIST = "on the shortlist"
    IN_PLAN = "in the plan"
    FIRST = "tried first"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenPlan:
    """A query's shortlist and first plan.

    Attributes:
        shortlist: members of each toolkit on it, best first.
        steps: of the plan; ids of their APIs in the order in which they would be tried.
    """

    shortlist: tuple[frozenset[ApiId], ...]
    steps: tuple[OutlinedStep, ...]

    @property
    def apis(self) -> frozenset[ApiId]:
        """All that the plan may try."""
        return frozenset(api for step in self.steps for api in step.tried)

    def reaches(self, gold: Sequence[frozenset[ApiId]], how: Reach) -> bool:
        """Whether one of the gold sets is held whole."""
        if how is Reach.ON_SHORTLIST:
            held = frozenset[ApiId]().union(*self.shortlist)
        elif how is Reach.IN_PLAN:
            held = self.apis
        else:
            held = frozenset(step.tried[0] for step in self.steps if step.tried)
        return any(keys <= held for keys in gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedQuery:
    """A query of which something differs.

    Attributes:
        parts: what differs.
        apis: keys of the APIs that the plan may try on one side only.
        better: +1 where gold comes nearer, -1 where it goes farther, 0 where neither, None where
            no gold is known; the first choice counts before fallbacks, and these before the list.
    """

    query: Query
    before: ForeseenPlan
    after: ForeseenPlan
    parts: frozenset[EffectOn]
    apis: frozenset[str]
    better: int | None


class RunOutcomes(NamedTuple):
    """How many of the queries that were run, and that a judge could judge, it calls solved.

    Attributes:
        solved: of each of them whether it was before, and after, by the id of the query.
    """

    judge: str
    ran: int
    before: int
    after: int
    solved: Mapping[str, tuple[bool, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEffects:
    """What an edit would do to a data set.

    Attributes:
        queries: that were planned twice.
        changed: those of which something differs, in the order of the data set.
        reach: how often gold is reached with the edit minus without, over all queries whose gold
            the workspace has; {} where there is none.
    """

    queries: int
    changed: tuple[ChangedQuery, ...]
    reach: Mapping[Reach, PairedShares]

    def with_part(self, part: EffectOn) -> tuple[ChangedQuery, ...]:
        """Queries of which this differs."""
        return tuple(each for each in self.changed if part in each.parts)

    @property
    def apis(self) -> list[tuple[str, int]]:
        """Keys of the APIs that take part, with the number of queries, most first."""
        counts = Counter(key for each in self.changed for key in each.apis)
        return sorted(counts.items(), key=lambda each: (-each[1], each[0]))

    @property
    def planned_otherwise(self) -> tuple[ChangedQuery, ...]:
        """Those that would be run otherwise: another plan, or other fallbacks."""
        return tuple(e for e in self.changed if e.parts & {EffectOn.PLAN, EffectOn.FALLBACKS})

    @property
    def short(self) -> str:
        """It in one line: how many are planned otherwise, and whether that is better."""
        others = self.planned_otherwise
        if not others:
            return f"None of {counted(self.queries, 'query', 'queries')} is planned otherwise"
        nearer, farther = (sum(e.better == way for e in self.changed) for way in (1, -1))
        gold = f"; gold APIs nearer in {nearer:,}, farther in {farther:,}" if self.reach else ""
        asked = counted(self.queries, "query is", "queries are")
        return f"{len(others):,} of {asked} planned otherwise{gold}"

    def lines(self) -> list[str]:
        """It in sentences."""
        asked = counted(self.queries, "query", "queries")
        parts = [
            f"{len(self.with_part(part)):,} another {part}"
            for part in (EffectOn.SHORTLIST, EffectOn.PLAN)
        ]
        parts.append(f"{len(self.with_part(EffectOn.FALLBACKS)):,} other fallbacks")
        found = [
            f"Of {asked} {', '.join(parts)}; {self.queries - len(self.changed):,} stay as they are"
        ]
        for how, pairs in self.reach.items():
            difference = pairs.difference
            if difference is not None:
                found.append(
                    f"All gold {how}: {difference.value:+.1%}"
                    f" [{difference.low:+.1%}, {difference.high:+.1%}], n = {difference.n:,};"
                    f" {pairs.table.only_a:,} gained, {pairs.table.only_b:,} lost"
                )
        return found


def foresee_effects(
    workspace: Workspace,
    changes: Changes,
    data_set: DataSet,
    *,
    progress: Progress,
    catalogue: WorkspaceCatalogue | None = None,
    seed: int = 0,
) -> EditEffects:
    """Plan all queries of a data set as things are, and as the changes would make them. Blocks.

    Args:
        catalogue: of the workspace as it is, to share its vectors.

    Raises:
        BadInput: the data set is empty, or the changes are of a kind whose effect nobody knows yet.
        Cancelled: at the progress given.
    """
    if not len(data_set):
        raise BadInput("The data set has no query")
    now = catalogue or WorkspaceCatalogue(workspace)
    try:
        with WhatIf(workspace, changes) as changed:
            then = WorkspaceCatalogue(changed, like=now)
            sides = _Side(workspace, now), _Side(changed, then)
            plans = asyncio.run(_plan_all(data_set, sides, progress))
    finally:
        if catalogue is None:
            now.close()
    key_of = {name.id: name.key for name in api_names(workspace)}
    gold_of = _gold(data_set, key_of)
    found = [
        _changed(query, *plans[query.text], gold_of.get(query.id, ()), key_of) for query in data_set
    ]
    return EditEffects(
        queries=len(data_set),
        changed=tuple(each for each in found if each.parts),
        reach=_reach([each for each in found if gold_of.get(each.query.id)], gold_of, seed),
    )


class _Side:
    """One state of the toolkits."""

    def __init__(self, workspace: Workspace, catalogue: WorkspaceCatalogue) -> None:
        self._catalogue = catalogue
        members: dict[ToolkitId, set[ApiId]] = {}
        labels = plannable_labels(workspace)
        for rowid, api in ids_by_rowid(workspace, labels).items():
            members.setdefault(labels[rowid], set()).add(api)
        self._members = {toolkit: frozenset(held) for toolkit, held in members.items()}

    async def plan(self, text: str) -> ForeseenPlan:
        listed = await self._catalogue.shortlist(text, SHORTLIST, without=())
        steps = await outline_of(RunSpec(query=text), self._catalogue)
        return ForeseenPlan(
            shortlist=tuple(self._members.get(each.toolkit.id, frozenset()) for each in listed),
            steps=tuple(steps),
        )


async def _plan_all(
    data_set: DataSet, sides: Sequence[_Side], progress: Progress
) -> dict[str, tuple[ForeseenPlan, ForeseenPlan]]:
    """Plans as they are and as they would be, by the text of the query."""
    found: dict[str, tuple[ForeseenPlan, ForeseenPlan]] = {}
    texts = [*dict.fromkeys(query.text for query in data_set)]
    for number, text in enumerate(texts):
        progress.report("Planning queries twice", number, len(texts), "queries")
        before, after = [await side.plan(text) for side in sides]
        found[text] = before, after
    return found


def _gold(
    data_set: DataSet, key_of: Mapping[ApiId, str]
) -> dict[str, tuple[frozenset[ApiId], ...]]:
    """Gold sets that the workspace has whole, as ids, by query."""
    id_of = {key: api for api, key in key_of.items()}
    return {
        query.id: tuple(
            frozenset(id_of[key] for key in keys)
            for keys in query.gold
            if all(key in id_of for key in keys)
        )
        for query in data_set
    }


def _changed(
    query: Query,
    before: ForeseenPlan,
    after: ForeseenPlan,
    gold: Sequence[frozenset[ApiId]],
    key_of: Mapping[ApiId, str],
) -> ChangedQuery:
    parts: set[EffectOn] = set()
    if before.shortlist != after.shortlist:
        parts.add(EffectOn.SHORTLIST)
    if [each[:2] for each in before.steps] != [each[:2] for each in after.steps]:
        parts.add(EffectOn.PLAN)
    elif before.steps != after.steps:
        parts.add(EffectOn.FALLBACKS)
    better = None
    if gold:
        better = next(
            (
                step
                for how in (Reach.FIRST, Reach.IN_PLAN, Reach.ON_SHORTLIST)
                if (step := after.reaches(gold, how) - before.reaches(gold, how))
            ),
            0,
        )
    return ChangedQuery(
        query=query,
        before=before,
        after=after,
        parts=frozenset(parts),
        apis=frozenset(key_of[api] for api in before.apis ^ after.apis),
        better=better,
    )


def _reach(
    found: Sequence[ChangedQuery],
    gold_of: Mapping[str, Sequence[frozenset[ApiId]]],
    seed: int,
) -> dict[Reach, PairedShares]:
    if not found:
        return {}
    clusters = [each.query.cluster or each.query.id for each in found]
    return {
        how: paired_shares(
            [float(each.after.reaches(gold_of[each.query.id], how)) for each in found],
            [float(each.before.reaches(gold_of[each.query.id], how)) for each in found],
            clusters,
            seed=seed,
        )
        for how in Reach
    }


def run_changed(
    workspace: Workspace,
    changes: Changes,
    effects: EditEffects,
    arm: Arm,
    judge: JudgePlugin,
    *,
    progress: Progress,
) -> RunOutcomes:
    """Run the queries that are planned otherwise, without and with the changes. Blocks.

    Both run in copies of the workspace that go afterwards. Queries that stay as they are would
    run the same, and are not run.

    Args:
        arm: how they are run.

    Raises:
        WorkspaceError: a copy cannot be written.
        Cancelled: at the progress given.
    """
    asked = [each.query for each in effects.planned_otherwise if judge.applies(each.query)]
    solved: list[dict[str, bool]] = []
    with tempfile.TemporaryDirectory(prefix="toolplanner-") as folder:
        for side, made in (("before", Changes()), ("after", changes)):
            place = Path(folder) / f"{side}{SUFFIX}"
            copy_without_runs(workspace, place)
            if made:
                with Workspace.open(place) as copy:
                    copy.writer.run(lambda db, made=made: write_changes(db, made))
            solved.append(_run_all(place, asked, replace(arm, name=side), judge, progress))
    both = {
        query.id: (solved[0][query.id], solved[1][query.id])
        for query in asked
        if query.id in solved[0] and query.id in solved[1]
    }
    before, after = (sum(pair[side] for pair in both.values()) for side in (0, 1))
    return RunOutcomes(judge.id, len(both), before, after, both)


def _run_all(
    place: Path, queries: Sequence[Query], arm: Arm, judge: JudgePlugin, progress: Progress
) -> dict[str, bool]:
    """Whether a query was solved, by its id; without those of which the judge cannot say."""
    found: dict[str, bool] = {}
    with TrialRunner(place) as runner:
        for number, query in enumerate(queries, start=1):
            progress.report(f"Running queries {arm.name}", number - 1, len(queries), "queries")
            trial = Trial(number=number, key=query.id, query=query.id, arm=arm.name, seed=0)
            result = runner.run(TrialTask(trial=trial, query=query.text, arm=arm), progress)
            if result.state is not TrialState.DONE or result.facts is None:
                continue
            verdict = judge.verdict(query, result.facts, result.packed)
            if verdict is not None:
                found[query.id] = verdict.solved > 0.5
    return found
