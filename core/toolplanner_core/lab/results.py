"""What the trials of an experiment show: shares by arm, and two arms compared.

The denominator is the plan: trials that are missing or broke stay in it, and a share with missing
trials is shown with all of them failed and all of them passed. Queries that a judge cannot judge,
such as those without gold APIs, are in none of its figures.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import stdev
from typing import Any

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
        queries = self._judged_queries(judge)
        if not queries:
            return None
        one, other = (self._outcomes([known[name]], queries, judge) for name in (a, b))
        if missing is not None:
            one, other = (
                np.where(np.isnan(each), value, each)
                for each, value in zip((one, other), missing, strict=True)
            )
        return paired_shares(one, other, _clusters(queries))

    def outcomes_of(self, arm: str, judge: str) -> NDArray[np.float64]:
        """(queries that the judge can judge, seeds) of an arm's verdicts; NaN = there is none.

        Raises:
            NotFound: there is no such arm.
        """
        return self._outcomes([self._arm(arm)], self._judged_queries(judge), judge)

    def clusters_of(self, judge: str) -> list[str]:
        """The group of each of these queries."""
        return _clusters(self._judged_queries(judge))

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
        queries = [query for query in self._judged_queries(judge) if _is_of(query, split)]
        if not queries:
            return None, 0
        table = self._outcomes([self._arm(arm)], queries, judge)
        if is_win:
            table = np.where(np.isnan(table), np.nan, table >= 1.0)
        if is_failure:
            table = 1.0 - table
        return share_of_plan(table, _clusters(queries)).finished_share, int(np.isnan(table).sum())

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
        queries = self._judged_queries(judge)
        if judge.startswith(f"{PAIR} ") and not any(judge in e.verdicts for e in self._of(arms)):
            queries = []  # it is what the others are compared with
        share = None
        if queries:
            share = share_of_plan(self._outcomes(arms, queries, judge), _clusters(queries))
        states = [each.trial.state for each in self._of(arms)]
        judged = {query.id for query in queries}
        not_checked = sum(
            each.trial.state is TrialState.DONE
            and each.trial.query in judged
            and judge not in each.verdicts
            for each in self._of(arms)
        )
        return ArmResult(
            group=group,
            judge=judge,
            share=share,
            not_judged=len(self.queries) - len(queries),
            not_checked=not_checked,
            broken=states.count(TrialState.BROKEN),
            not_measured=states.count(TrialState.NOT_MEASURED),
        )

    def _of(self, arms: Sequence[Arm]) -> Iterator[JudgedTrial]:
        names = {arm.name for arm in arms}
        return (each for (arm, *_), each in self._trials.items() if arm in names)

    def _judged_queries(self, judge: str) -> list[Query]:
        if judge.partition(" ")[0] in (ANSWER, PAIR, PERSON):
            return self.queries
        plugin = judges.get(judge)
        return [query for query in self.queries if plugin.applies(query)]

    def _outcomes(
        self, arms: Sequence[Arm], queries: Sequence[Query], judge: str
    ) -> NDArray[np.float64]:
        """(queries, arms x seeds) of verdicts; NaN = there is none."""
        columns = [(arm.name, seed) for arm in arms for seed in self.experiment.seeds]
        return np.array(
            [
                [
                    self._trials[arm, query.id, seed].verdicts.get(judge, np.nan)
                    for arm, seed in columns
                ]
                for query in queries
            ],
            dtype=np.float64,
        )

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
