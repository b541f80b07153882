"""How far the judges of an experiment agree, each with each, and of which trials they do not."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.judge_agreement import judges_together
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.statistics.agreement import cohens_kappa
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.workspace.lab_store import LabStore


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePair:
    """Two judges on the trials that both judged.

    Attributes:
        agreement: share of trials of which both say the same, solved or not.
        kappa: Cohen's; None where one of them always says the same.
        differing: numbers of the trials of which they do not.
    """

    one: str
    other: str
    agreement: Estimate
    kappa: Estimate | None
    differing: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesFigure:
    """All pairs of judges, and what is said of people and of several votes."""

    pairs: tuple[JudgePair, ...]
    lines: tuple[str, ...]


def read_judges(reading: ExperimentReading, store: LabStore) -> JudgesFigure:
    """Compare all judges, each with each. Blocks."""
    said: dict[str, dict[int, bool]] = {}
    for each in reading.results.trials():
        for judge, solved in each.verdicts.items():
            said.setdefault(judge, {})[each.trial.number] = solved > 0.5
    pairs: list[JudgePair] = []
    for one, other in itertools.combinations(sorted(said), 2):
        both = sorted(said[one].keys() & said[other].keys())
        if not both:
            continue
        a, b = [said[one][n] for n in both], [said[other][n] for n in both]
        differing = tuple(n for n, x, y in zip(both, a, b, strict=True) if x != y)
        pairs.append(
            JudgePair(
                one=one,
                other=other,
                agreement=wilson(len(both) - len(differing), len(both)),
                kappa=cohens_kappa(a, b),
                differing=differing,
            )
        )
    together = judges_together(store)
    lines = [
        f"{person} is consistent with themselves: {found}"
        for person, found in together.consistency.items()
    ]
    if together.alpha_of_people is not None:
        lines.append(f"Krippendorff's alpha of the people: {together.alpha_of_people:.2f}")
    for judge, alpha in together.alpha_of_votes.items():
        if alpha is not None:
            lines.append(f"Krippendorff's alpha of the votes of {judge}: {alpha:.2f}")
    return JudgesFigure(pairs=tuple(pairs), lines=tuple(lines))


def agreement_rows(found: JudgesFigure) -> Sequence[tuple[str, ...]]:
    """A row of texts for each pair."""
    return [
        (
            each.one,
            each.other,
            str(each.agreement),
            "-" if each.kappa is None else f"{each.kappa.value:.2f}",
            f"{len(each.differing):,}",
        )
        for each in found.pairs
    ]


def judges_table(found: JudgesFigure) -> ResultTable:
    """The same as a table."""
    return ResultTable(
        id="judges",
        title="How far judges agree",
        note="On the trials that both judged; a mean above one half counts as solved.",
        columns=("judge", "and", "agree", "kappa", "differ"),
        rows=tuple(
            (each.one, each.other, each.agreement, each.kappa, len(each.differing))
            for each in found.pairs
        ),
        shares=frozenset({"agree"}),
    )
