"""Where do two arms part? Trials that only one of them solved, and where their runs first differ.

The runs of each such pair are compared as one tree (`runs/compare/diff.py`); their first difference
is what led to the one and to the other, or at least came before it. Grouped by what differs there,
so that "18 of 31 losses begin with another toolkit" can be read. Nothing is called.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.opened_runs import OpenedRuns
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.runs.compare.diff import Relation, RunDiff, diff_runs
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore

_RUN = re.compile(r"\b[Rr]un (\d+)\b")
SAME = "the same way to another verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """A query that only one arm solved.

    Attributes:
        solved_by: name of that arm.
        where: what differs first, such as "step: toolkit"; `SAME` where nothing does.
        sentence: the same for people, with what each did.
        trials: numbers of both, that of the first arm first.
    """

    query: str
    seed: int
    solved_by: str
    where: str
    sentence: str
    trials: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPartings:
    """Where two arms part.

    Attributes:
        pairs: both of whose trials have a verdict.
        partings: those that only one solved.
        unreadable: others of them without a run.
    """

    judge: str
    pairs: int
    partings: tuple[Parting, ...]
    unreadable: int

    def groups(self) -> list[tuple[str, str, int]]:
        """Who solved it, what differs first, and how often; most first."""
        counts: dict[tuple[str, str], int] = {}
        for each in self.partings:
            place = each.solved_by, each.where
            counts[place] = counts.get(place, 0) + 1
        return [(*place, n) for place, n in sorted(counts.items(), key=lambda one: (-one[1], one))]


def arms_part(
    store: LabStore, a: str, b: str, *, progress: Progress, judge: str = ""
) -> ArmPartings:
    """Find where two arms part. Blocks for some 50 ms a query that only one of them solved.

    Args:
        judge: who says what is solved, "" = the first of the experiment.

    Raises:
        NotFound: there is no such arm or judge.
        BadInput: a run cannot be read.
        Cancelled: at the progress given.
    """
    results = ExperimentResults(store)
    by = judge or results.judges[0]
    known = {arm.name for arm in results.experiment.arms}
    if missing := {a, b} - known:
        raise NotFound(
            f"There is no arm {min(missing)!r}", todo=f"There are: {', '.join(sorted(known))}"
        )
    if by not in results.judges:
        raise NotFound(f"The experiment has no judge {by!r}")
    of = {(each.trial.arm, each.trial.query, each.trial.seed): each for each in results.trials()}
    pairs = [
        (of[a, query.id, seed], of[b, query.id, seed])
        for query in results.queries
        for seed in results.experiment.seeds
    ]
    judged = [pair for pair in pairs if all(by in each.verdicts for each in pair)]
    discordant = [pair for pair in judged if _is_solved(pair[0], by) != _is_solved(pair[1], by)]
    found = _compare(store, discordant, by, progress)
    return ArmPartings(
        judge=by,
        pairs=len(judged),
        partings=tuple(found),
        unreadable=len(discordant) - len(found),
    )


def _is_solved(each: JudgedTrial, judge: str) -> bool:
    return each.verdicts[judge] > 0.5


def _compare(
    store: LabStore,
    pairs: Sequence[tuple[JudgedTrial, JudgedTrial]],
    judge: str,
    progress: Progress,
) -> list[Parting]:
    found: list[Parting] = []
    with OpenedRuns(store) as opened:
        for number, (one, other) in enumerate(pairs):
            progress.report("Comparing runs", number, len(pairs), "pairs")
            runs = opened.run_of(one.trial.number), opened.run_of(other.trial.number)
            if runs[0] is None or runs[1] is None:
                continue
            diff = diff_runs(opened.workspace, runs[0], runs[1])
            found.append(
                Parting(
                    query=one.trial.query,
                    seed=one.trial.seed,
                    solved_by=(one if _is_solved(one, judge) else other).trial.arm,
                    where=_where(diff),
                    sentence=_sentence(diff, one.trial.arm, other.trial.arm),
                    trials=(one.trial.number, other.trial.number),
                )
            )
    return found


def _where(diff: RunDiff) -> str:
    """The kind of the first difference, without what is of one query alone."""
    if diff.first is None:
        return SAME
    node = diff.nodes[diff.first.node]
    kind = node_kind(node.kind).word
    match node.relation:
        case Relation.CHANGED:
            return f"{kind}: {node.changes[0].what}"
        case Relation.ONLY_LEFT:
            return f"{kind}: only the first arm"
        case _:
            return f"{kind}: only the second arm"


def _sentence(diff: RunDiff, a: str, b: str) -> str:
    """The first difference, with the arms for the runs."""
    if diff.first is None:
        return SAME
    arms = {str(diff.left.run): a, str(diff.right.run): b}
    return _RUN.sub(lambda found: arms.get(found[1], found[0]), diff.first.sentence)
