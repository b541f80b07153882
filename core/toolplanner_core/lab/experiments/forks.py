"""Where do failures come from? Failed trials forked at their first failed call, with one change.

What happened before comes from the trial's own log and costs nothing; from there on the run really
goes on, with the provider and model of its arm. If a trial is solved once one thing is changed,
that thing was a cause of its failure: found by trying, not said by a judge. Several may rescue one
trial; its first cause is the first of them in the order of `Remedy`.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.experiment import Trial, TrialState
from toolplanner_core.domain.ids import ApiId, RunId, ToolkitId, path_and_ancestors
from toolplanner_core.domain.lab import Query
from toolplanner_core.errors import NotFound, UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.experiment_file import ExperimentFile
from toolplanner_core.lab.judges.judge import JudgePlugin, judges
from toolplanner_core.lab.opened_runs import OpenedRuns
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.lab.trial_runs import pack_run
from toolplanner_core.llm.model import OFFLINE, ModelContext, ModelRequest, make_model
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.faults import FaultTarget
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import ForkChanges, fork, spec_from_row
from toolplanner_core.runs.tree.failures import failures_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace.catalogue import api_names, get_api, rowids_of
from toolplanner_core.workspace.lab_store import LabStore
from toolplanner_core.workspace.runs import get_run
from toolplanner_core.workspace.toolkits import plannable_labels

MOST = 50
"""Trials that are forked, unless a caller says otherwise."""


class Remedy(StrEnum):
    """What is changed in a fork, in the order in which a first cause is said."""

    HEALTHY = "the API that failed was up"
    ARGUMENTS = "gold arguments"
    OTHER_API = "the next API of the toolkit"
    GOLD_API = "a gold API there"
    GOLD_ONLY = "gold APIs alone from the start"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedFailure:
    """A failed trial and what became of it.

    Attributes:
        api, error: key of the API of the first failed call and its class of error; "" without one.
        rescued: by what was tried whether it was solved then; what could not be tried is not there.
    """

    trial: Trial
    api: str
    error: str
    rescued: Mapping[Remedy, bool]

    @property
    def first_cause(self) -> Remedy | None:
        """The first change that rescued it; None where none did."""
        return next((each for each in Remedy if self.rescued.get(each)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureForks:
    """Failed trials of an experiment, forked.

    Attributes:
        judge: who says what is solved.
        failures: those that were forked, in the order of the plan.
        left_out: failed trials beyond the most that were asked for.
        unreadable: those whose run is not there or cannot be forked.
    """

    judge: str
    failures: tuple[ForkedFailure, ...]
    left_out: int
    unreadable: int

    def shares(self) -> dict[Remedy, Estimate]:
        """Share of the trials on which it was tried that each change rescued, by query."""
        found: dict[Remedy, Estimate] = {}
        for remedy in Remedy:
            tried = [each for each in self.failures if remedy in each.rescued]
            if tried:
                found[remedy] = bootstrap_mean(
                    [float(each.rescued[remedy]) for each in tried],
                    [each.trial.query for each in tried],
                    span=(0, 1),
                )
        return found

    def first_causes(self) -> dict[Remedy | None, int]:
        """Number of trials by first cause."""
        return dict(Counter(each.first_cause for each in self.failures).most_common())


def fork_failures(
    file: ExperimentFile,
    store: LabStore,
    *,
    progress: Progress,
    arm: str = "",
    judge: str = "",
    most: int = MOST,
) -> FailureForks:
    """Fork the failed trials of an experiment, in a copy of its workspace. Blocks.

    Arms with a model ask it again from the changed call on.

    Args:
        arm: of which, "" = all; judge: who says what failed, "" = the first of the experiment.

    Raises:
        NotFound: there is no such arm, or no such judge that can judge again without a model.
        BadInput: see `OpenedRuns`.
        Cancelled: at the progress given.
    """
    results = ExperimentResults(store)
    by = judge or results.experiment.judges[0]
    plugin = judges.get(by)
    if arm and arm not in {each.name for each in results.experiment.arms}:
        known = ", ".join(each.name for each in results.experiment.arms)
        raise NotFound(f"There is no arm {arm!r}", todo=f"There are: {known}")
    failed = [
        each.trial
        for each in results.trials()
        if each.verdicts.get(by, 1.0) <= 0.5 and arm in ("", each.trial.arm)
    ]
    queries = {query.id: query for query in results.queries}
    found: list[ForkedFailure] = []
    unreadable = 0
    with OpenedRuns(store, file.workspace) as opened:
        forking = _Forking(opened, plugin)
        try:
            for number, trial in enumerate(failed[:most]):
                progress.report("Forking failed trials", number, min(most, len(failed)), "trials")
                forked = forking.fork(trial, queries[trial.query])
                unreadable += forked is None
                found += [] if forked is None else [forked]
        finally:
            forking.close()
    left_out = len(failed[most:])
    return FailureForks(judge=by, failures=tuple(found), left_out=left_out, unreadable=unreadable)


class _Forking:
    """Forks runs of one workspace."""

    def __init__(self, opened: OpenedRuns, judge: JudgePlugin) -> None:
        self._opened, self._judge = opened, judge
        self._workspace = opened.workspace
        self._catalogue = WorkspaceCatalogue(self._workspace)
        names = api_names(self._workspace)
        self._key_of = {name.id: name.key for name in names}
        self._id_of = {name.key: name.id for name in names}
        self._labels = plannable_labels(self._workspace)

    def close(self) -> None:
        self._catalogue.close()

    def fork(self, trial: Trial, query: Query) -> ForkedFailure | None:
        """All forks of a trial; None where its run is not there."""
        number = self._opened.run_of(trial.number)
        if number is None:
            return None
        tree = load_tree(self._workspace, number)
        call = next((each.call for each in failures_of(tree.nodes) if each.call), None)
        rescued: dict[Remedy, bool] = {}
        if call is not None:
            for remedy, changes in list(self._changes(number, tree, call, query)):
                # What cannot be changed there is no remedy that was tried.
                with contextlib.suppress(UserError):
                    spec = fork(self._workspace, number, call.path, changes)
                    self._try(rescued, remedy, spec, trial, query)
        if gold := self._gold(query):
            spec = replace(spec_from_row(self._workspace, number), candidates=gold)
            with contextlib.suppress(UserError):
                self._try(rescued, Remedy.GOLD_ONLY, spec, trial, query)
        return ForkedFailure(
            trial=trial,
            api=self._key_of.get(ApiId(str(call.data.get("api", ""))), "") if call else "",
            error=(call.error or "") if call else "",
            rescued=rescued,
        )

    def _changes(
        self, number: RunId, tree: RunTree, call: Node, query: Query
    ) -> Iterator[tuple[Remedy, ForkChanges]]:
        api = ApiId(str(call.data.get("api", "")))
        if call.data.get("fault"):
            # The first rule that strikes wins: slow by nothing is what is up.
            rule = f"slow:{FaultTarget(api=api).text},after=0"
            faults = spec_from_row(self._workspace, number).faults
            yield Remedy.HEALTHY, ForkChanges(faults=(rule, *faults))
        key = self._key_of.get(api, "")
        gold_call = next((each for each in query.path if each.api == key), None)
        if gold_call is not None and gold_call.arguments:
            yield Remedy.ARGUMENTS, ForkChanges(arguments=dict(gold_call.arguments))
        if other := self._next_api(api, query):
            yield Remedy.OTHER_API, self._instead(number, tree, call, query, other)
        gold = [each for each in self._gold(query) if each != api]
        if gold and api not in self._gold(query):
            yield Remedy.GOLD_API, self._instead(number, tree, call, query, gold[0])

    def _instead(
        self, number: RunId, tree: RunTree, call: Node, query: Query, api: ApiId
    ) -> ForkChanges:
        """Another API with the arguments that both take, and others by the rules of the offline
        planner, from the query and the goal of the step."""
        sent = next(
            each.event.arguments
            for each in read_run(self._workspace, number)
            if each.path == call.path and isinstance(each.event, CallSent)
        )
        other = get_api(self._workspace, api)
        around = (tree.nodes[path] for path in path_and_ancestors(call.path) if path in tree.nodes)
        question = FillArguments(
            query=query.text,
            goal=next((str(n.data["goal"]) for n in around if n.data.get("goal")), query.text),
            api=other,
            results=(),
            failures=(),
            now=datetime.fromtimestamp(get_run(self._workspace, number).started_us / 1e6, UTC),
        )
        filled = asyncio.run(self._fill(question))
        known: Mapping[str, Any] = other.parameters.get("properties", {})
        kept = {name: value if name in known else None for name, value in sent.items()}
        return ForkChanges(api=api, arguments={**filled, **kept})

    async def _fill(self, question: FillArguments) -> Mapping[str, Any]:
        model = make_model(OFFLINE, ModelContext(encode=self._catalogue.encode))
        asked = ModelRequest(
            id=question.id,
            question=question,
            messages=(),
            schema=question.schema(),
            temperature=0.0,
        )
        return question.parse((await model.complete(asked)).data).values

    def _next_api(self, api: ApiId, query: Query) -> ApiId | None:
        """The API of its toolkit that fits the query best, beside itself."""
        toolkit = self._labels.get(rowids_of(self._workspace, [api]).get(api, -1))
        if toolkit is None:
            return None
        ranked = asyncio.run(self._catalogue.members(ToolkitId(toolkit), near=query.text))
        return next((each.api.id for each in ranked if each.api.id != api), None)

    def _gold(self, query: Query) -> tuple[ApiId, ...]:
        """The first gold set that the workspace has whole."""
        for keys in (*query.gold, frozenset(call.api for call in query.path)):
            if keys and all(key in self._id_of for key in keys):
                return tuple(self._id_of[key] for key in sorted(keys))
        return ()

    def _try(
        self,
        rescued: dict[Remedy, bool],
        remedy: Remedy,
        spec: RunSpec,
        trial: Trial,
        query: Query,
    ) -> None:
        summary = asyncio.run(run(self._workspace, spec, catalogue=self._catalogue))
        result = pack_run(self._workspace, trial, summary)
        if result.state is not TrialState.DONE or result.facts is None:
            return
        verdict = self._judge.verdict(query, result.facts, result.packed)
        if verdict is not None:
            rescued[remedy] = verdict.solved > 0.5
