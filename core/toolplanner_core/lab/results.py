"""What the trials of an experiment show: shares by arm, and two arms compared.

The denominator is the plan: trials that are missing or broke stay in it, and a share with missing
trials is shown with all of them failed and all of them passed. Queries that a judge cannot judge,
such as those without gold APIs, are in none of its figures.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isnan
from statistics import stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.experiment import Arm, Experiment, Grade, TrialState
from toolplanner_core.domain.lab import Query, Solvable
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.model_judge import ANSWER, GRADES, majority
from toolplanner_core.lab.pair_judge import PAIR
from toolplanner_core.lab.panel import PERSON
from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.lab.statistics.paired import PairedShares, holm, paired_shares
from toolplanner_core.lab.statistics.shares import PlannedShare, share_of_plan
from toolplanner_core.runs.log.stored_runs import collecting_later
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """A row of the table of results.

    Attributes:
        group: name of the arm, or the value of what arms are grouped by.
        share: of solved trials, None where the judge can judge no query.
        not_judged: queries that the judge cannot judge.
        not_checked: trials of others that ended, and of which it could not say.
        broken, not_measured: trials that stay in the plan without an outcome.
    """

    group: str
    judge: str
    share: PlannedShare | None
    not_judged: int
    not_checked: int
    broken: int
    not_measured: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteShares:
    """What a model's votes on the answers of an arm say.

    Attributes:
        grades: trials by what most of their votes say.
        not_solvable: of them, trials of queries that the APIs cannot solve, as their source says.
        deviation: standard deviation of the mean grade over the votes, None with one vote.
        with_unsolvable: AnyTool's equation 1, ToolBench's pass rate: those that cannot be solved
            count as passed. solvable_only: its equation 2: they are left out. Answers of which the
            judge is unsure are in neither. Source: Du et al., arXiv 2402.04253, section 4.1.
    """

    grades: Mapping[Grade, int]
    not_solvable: int
    deviation: float | None
    with_unsolvable: Estimate | None
    solvable_only: Estimate | None


class _Judged(NamedTuple):
    """What a judge says.

    Attributes:
        queries: that it can judge; clusters: the group of each.
        outcomes: by arm, (queries, seeds) of verdicts; NaN = there is none.
    """

    queries: list[Query]
    clusters: list[str]
    outcomes: Mapping[str, NDArray[np.float64]]

    def of(self, arms: Iterable[str]) -> NDArray[np.float64]:
        """(queries, arms x seeds) of the verdicts of some arms."""
        return np.concatenate([self.outcomes[arm] for arm in arms], axis=1)


class ExperimentResults:
    """The trials of an experiment as it stands now. Reads all of them at once.

    Raises:
        NotFound: a judge of it is not here.
    """

    def __init__(self, store: LabStore) -> None:
        self.experiment: Experiment = store.experiment()
        self.judges = tuple(dict.fromkeys((*self.experiment.judges, *store.judges())))
        with collecting_later():
            self.queries: list[Query] = [query_of_row(row) for row in store.query_rows()]
            self._trials: dict[tuple[str, str, int], JudgedTrial] = {
                (each.trial.arm, each.trial.query, each.trial.seed): each for each in store.judged()
            }
        self._states = Counter((e.trial.arm, e.trial.state) for e in self._trials.values())
        self._by_judge: dict[str, _Judged] = {}

    def by(self, field: str = "arm") -> list[ArmResult]:
        """The table: a row for each arm, or each value of a setting of the arms, and judge.

        Raises:
            BadInput: arms have no such setting.
        """
        return [
            self.of_arms(group, arms, judge)
            for group, arms in self._groups(field).items()
            for judge in self.judges
        ]

    def compare(
        self, a: str, b: str, judge: str, *, missing: tuple[float, float] | None = None
    ) -> PairedShares | None:
        """The difference between two arms, A minus B, over the same queries and seeds.

        Args:
            missing: what trials of A and of B count that have no verdict; None = they are left out.

        Returns:
            None where the judge can judge no query.

        Raises:
            NotFound: there is no such arm, or the experiment has no such judge.
        """
        known = {arm.name: arm for arm in self.experiment.arms}
        for name in (a, b):
            if name not in known:
                raise NotFound(f"There is no arm {name!r}", todo=f"There are: {', '.join(known)}")
        if judge not in self.judges:
            todo = f"There are: {', '.join(self.judges)}"
            raise NotFound(f"The experiment has no judge {judge!r}", todo=todo)
        judged = self._judged(judge)
        if not judged.queries:
            return None
        one, other = judged.outcomes[a], judged.outcomes[b]
        if missing is not None:
            one, other = (
                np.where(np.isnan(each), value, each)
                for each, value in zip((one, other), missing, strict=True)
            )
        return paired_shares(one, other, judged.clusters)

    def outcomes_of(self, arm: str, judge: str) -> NDArray[np.float64]:
        """(queries that the judge can judge, seeds) of an arm's verdicts; NaN = there is none.

        Raises:
            NotFound: there is no such arm.
        """
        return self._judged(judge).outcomes[self._arm(arm).name]

    def clusters_of(self, judge: str) -> list[str]:
        """The group of each of these queries."""
        return self._judged(judge).clusters

    def trials(self) -> Iterable[JudgedTrial]:
        """All trials with their verdicts, in the order of the plan."""
        return self._trials.values()

    def vote_shares(self, arm: Arm, judge: str) -> VoteShares | None:
        """What a model's votes on an arm's answers say; None where it has not graded them."""
        if not judge.startswith(f"{ANSWER} "):
            return None
        voted = {
            (query.id, seed): each.votes[judge]
            for query in self.queries
            for seed in self.experiment.seeds
            if (each := self._trials[arm.name, query.id, seed]).votes.get(judge)
        }
        if not voted:
            return None
        grades = {place: majority(votes) for place, votes in voted.items()}
        not_solvable = {q.id for q in self.queries if q.solvable is Solvable.NO}
        means = [
            # An empty answer has one vote, which stands for all.
            float(np.mean([GRADES[votes[min(at, len(votes) - 1)]] for votes in voted.values()]))
            for at in range(max(map(len, voted.values())))
        ]
        return VoteShares(
            grades=Counter(grades.values()),
            not_solvable=sum(query in not_solvable for query, _ in voted),
            deviation=stdev(means) if len(means) > 1 else None,
            with_unsolvable=self._graded_share(grades, not_solvable, counts_unsolvable=True),
            solvable_only=self._graded_share(grades, not_solvable, counts_unsolvable=False),
        )

    def _graded_share(
        self,
        grades: Mapping[tuple[str, int], Grade],
        not_solvable: Set[str],
        *,
        counts_unsolvable: bool,
    ) -> Estimate | None:
        """Share of solved answers among those that are solved or unsolved."""
        table = np.full((len(self.queries), len(self.experiment.seeds)), np.nan)
        for row, query in enumerate(self.queries):
            for column, seed in enumerate(self.experiment.seeds):
                grade = grades.get((query.id, seed))
                if grade is None:
                    continue
                if query.id in not_solvable:
                    if counts_unsolvable:
                        table[row, column] = 1.0
                elif grade is not Grade.UNSURE:
                    table[row, column] = GRADES[grade]
        return share_of_plan(table, _clusters(self.queries)).finished_share

    def mean(
        self, arm: Arm, amount: str, queries: Sequence[Query] | None = None
    ) -> Estimate | None:
        """How much of something an arm's trials took on average, of those that say it.

        Args:
            amount: see `JudgedTrial.amounts`.
            queries: which; None = all.

        Returns:
            None where no trial says it.
        """
        asked = self.queries if queries is None else queries
        table = np.array(
            [
                [
                    self._trials[arm.name, query.id, seed].amounts[amount]
                    for seed in self.experiment.seeds
                ]
                for query in asked
            ],
            dtype=np.float64,
        )
        if np.isnan(table).all():
            return None
        return bootstrap_mean(table, _clusters(asked))

    def share_of(
        self,
        arm: str,
        judge: str,
        *,
        split: str = "",
        is_win: bool = False,
        is_failure: bool = False,
    ) -> tuple[Estimate | None, int]:
        """Share of solved trials of one arm, of those that have a verdict; how many have none.

        Args:
            split: of the queries, "" = all; "a|b" = of either, "!a|b" = of neither.
            is_win: only whole verdicts count, and no half ones such as ties.
            is_failure: the share of what was not solved.

        Returns:
            None where no query fits.

        Raises:
            NotFound: there is no such arm.
        """
        judged = self._judged(judge)
        rows = [at for at, query in enumerate(judged.queries) if _is_of(query, split)]
        if not rows:
            return None, 0
        table = judged.outcomes[self._arm(arm).name][rows]
        if is_win:
            table = np.where(np.isnan(table), np.nan, table >= 1.0)
        if is_failure:
            table = 1.0 - table
        clusters = [judged.clusters[at] for at in rows]
        return share_of_plan(table, clusters).finished_share, int(np.isnan(table).sum())

    def share_of_any(self, arms: Sequence[Arm], judge: str) -> Estimate | None:
        """Share of planned trials, by query and seed, that at least one of some arms solved, of
        those that have a verdict; None where there is none."""
        judged = self._judged(judge)
        if not judged.queries:
            return None
        best = np.fmax.reduce([judged.outcomes[arm.name] for arm in arms])
        return share_of_plan(best, judged.clusters).finished_share

    def mean_of(self, arm: str, amount: str, *, split: str = "") -> Estimate | None:
        """How much of something an arm's trials took on average, over the queries of a split."""
        return self.mean(self._arm(arm), amount, [q for q in self.queries if _is_of(q, split)])

    def _arm(self, name: str) -> Arm:
        arms = {arm.name: arm for arm in self.experiment.arms}
        if name not in arms:
            raise NotFound(f"There is no arm {name!r}", todo=f"There are: {', '.join(arms)}")
        return arms[name]

    def adjusted_p(self, judge: str) -> dict[frozenset[str], float]:
        """Holm's p of the comparisons that the plan named, by pair of arms; only once all their
        trials are there, and where each query is one independent pair."""
        found = {pair: self.compare(*pair, judge) for pair in self.experiment.compare}
        p = {
            frozenset(pair): each.p
            for pair, each in found.items()
            if each is not None and each.p is not None and not each.missing
        }
        if len(p) < len({frozenset(pair) for pair in found}):
            return {}
        adjusted = holm({"\n".join(sorted(pair)): value for pair, value in p.items()})
        return {frozenset(names.split("\n")): value for names, value in adjusted.items()}

    def of_arms(self, group: str, arms: Sequence[Arm], judge: str) -> ArmResult:
        """What some arms show together, as a row called `group`."""
        found = self._judged(judge)
        outcomes = found.of([arm.name for arm in arms])
        # Where a judge of pairs says nothing, the arm is what the others are compared with.
        is_compared_with = judge.startswith(f"{PAIR} ") and bool(np.isnan(outcomes).all())
        queries = [] if is_compared_with else found.queries
        share = share_of_plan(outcomes, found.clusters) if queries else None

        def count(state: TrialState) -> int:
            return sum(self._states[arm.name, state] for arm in arms)

        not_checked = sum(
            self._trials[arm.name, query.id, seed].trial.state is TrialState.DONE
            for arm in arms
            for query, said in zip(queries, found.outcomes[arm.name], strict=False)
            for seed, solved in zip(self.experiment.seeds, said.tolist(), strict=True)
            if isnan(solved)
        )
        return ArmResult(
            group=group,
            judge=judge,
            share=share,
            not_judged=len(self.queries) - len(queries),
            not_checked=not_checked,
            broken=count(TrialState.BROKEN),
            not_measured=count(TrialState.NOT_MEASURED),
        )

    def _judged(self, judge: str) -> "_Judged":
        """What a judge says of all arms, read once."""
        found = self._by_judge.get(judge)
        if found is None:
            queries = self.queries
            if judge.partition(" ")[0] not in (ANSWER, PAIR, PERSON):
                plugin = judges.get(judge)
                queries = [query for query in queries if plugin.applies(query)]
            outcomes = {
                arm.name: self._verdicts(arm.name, queries, judge) for arm in self.experiment.arms
            }
            found = self._by_judge[judge] = _Judged(queries, _clusters(queries), outcomes)
        return found

    def _verdicts(self, arm: str, queries: Sequence[Query], judge: str) -> NDArray[np.float64]:
        """(queries, seeds) of verdicts; NaN = there is none."""
        seeds, trials = self.experiment.seeds, self._trials
        found = np.fromiter(
            (
                trials[arm, q.id, seed].verdicts.get(judge, np.nan)
                for q in queries
                for seed in seeds
            ),
            dtype=np.float64,
            count=len(queries) * len(seeds),
        )
        return found.reshape(len(queries), len(seeds))

    def _groups(self, field: str) -> Mapping[str, list[Arm]]:
        groups: dict[str, list[Arm]] = {}
        for arm in self.experiment.arms:
            if field != "arm" and field not in arm.settings:
                known = ", ".join(["arm", *arm.settings])
                raise BadInput(f"Arms have no {field!r}", todo=f"Choose one of: {known}")
            value: Any = arm.name if field == "arm" else arm.settings[field]
            groups.setdefault(str(value), []).append(arm)
        return groups


def _is_of(query: Query, splits: str) -> bool:
    """Whether a query is of one of the splits that "|" parts; "!" before them: of none of them."""
    is_one = query.split in splits.removeprefix("!").split("|")
    return not splits or is_one != splits.startswith("!")


def _clusters(queries: Sequence[Query]) -> list[str]:
    """Near-duplicates share one; others stand alone, under a name that none of those has."""
    return [f"c:{q.cluster}" if q.cluster else f"q:{q.id}" for q in queries]
