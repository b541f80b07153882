"""Two arms of an experiment over the same queries and seeds, and the queries that part them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.statistics.paired import PairedShares
from toolplanner_core.words.formatting import counted


class DiscordantPair(NamedTuple):
    """A query that the judge grades differently for the two arms; trials by their numbers."""

    query: str
    seed: int
    a: int
    b: int
    a_solved: float
    b_solved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPair:
    """Two arms, A and B.

    Attributes:
        found: None where the judge can judge no query.
        p: of McNemar's exact test after Holm; None for a look.
        is_named: the plan named this comparison in advance.
        discordant: A's wins first.
    """

    a: str
    b: str
    judge: str
    found: PairedShares | None
    p: float | None
    is_named: bool
    discordant: Sequence[DiscordantPair]


def read_pair(reading: ExperimentReading, a: str, b: str, judge: str) -> ArmPair:
    """Compare two arms.

    Raises:
        NotFound: there is no such arm, or the experiment has no such judge.
    """
    results = reading.results
    found = results.compare(a, b, judge)
    by_place = {
        (each.trial.arm, each.trial.query, each.trial.seed): each
        for each in results.trials()
        if each.trial.arm in (a, b)
    }
    parted: list[DiscordantPair] = []
    for (arm, query, seed), one in by_place.items():
        other = by_place[b, query, seed]
        mine, theirs = one.verdicts.get(judge), other.verdicts.get(judge)
        if arm != a or mine is None or theirs is None or mine == theirs:
            continue
        parted.append(
            DiscordantPair(
                reading.texts[query], seed, one.trial.number, other.trial.number, mine, theirs
            )
        )
    experiment = results.experiment
    return ArmPair(
        a=a,
        b=b,
        judge=judge,
        found=found,
        p=results.adjusted_p(judge).get(frozenset((a, b))),
        is_named=any({a, b} == set(pair) for pair in experiment.compare),
        discordant=sorted(parted, key=lambda each: (each.b_solved - each.a_solved, each.query)),
    )


def pair_table(pair: ArmPair) -> ResultTable:
    """The queries that part the arms, as a table."""
    return ResultTable(
        id="paired",
        title=f"{pair.a} against {pair.b}, judged by {pair.judge}",
        note="; ".join(pair_lines(pair)),
        columns=("query", "seed", pair.a, pair.b, f"trial of {pair.a}", f"trial of {pair.b}"),
        rows=tuple(
            (each.query, each.seed, each.a_solved, each.b_solved, each.a, each.b)
            for each in pair.discordant
        ),
    )


def pair_lines(pair: ArmPair) -> list[str]:
    """What the comparison says, in sentences."""
    found = pair.found
    if found is None:
        return [f"The judge {pair.judge} can judge no query of this data set."]
    lines: list[str] = []
    difference = found.difference
    if difference is None:
        lines.append("No pair is complete so far.")
    else:
        so_far = "so far, " if found.missing else ""
        lines.append(
            f"{pair.a} minus {pair.b}: {so_far}{100 * difference.value:+.1f} points"
            f" [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}],"
            f" n = {counted(difference.n, 'query', 'queries')}"
        )
        lines.append(_reading_of(pair, difference.low, difference.high))
    if found.missing:
        lines.append(
            f"{found.missing:,} of {counted(found.planned, 'pair')} have no verdict: decided"
            f" against or for {pair.a} they make {100 * found.worst:+.1f} to"
            f" {100 * found.best:+.1f} points"
        )
    return lines


def _reading_of(pair: ArmPair, low: float, high: float) -> str:
    if pair.p is not None:
        tested = f"McNemar's exact test: p = {pair.p:.3g}, after Holm"
    elif pair.is_named:
        tested = "no p: that needs one seed, and a verdict in each pair of all named comparisons"
    else:
        tested = "a look that the plan did not name, so it has no p"
    better = pair.a if low > 0 else pair.b if high < 0 else ""
    shown = f"{better} is better" if better else "no difference is shown: the interval holds 0"
    return f"{shown} ({tested})"
