"""What an experiment shows beside what the paper prints, for experiments made from a template.

The paper's shares get the Wilson interval of the number of queries that it names or is presumed to
have had. Ours are of the plan, as everywhere. No difference is computed: other models, other
queries and other judges stand between them, and the table says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolplanner_core.errors import BadInput
from toolplanner_core.lab.model_judge import ANSWER
from toolplanner_core.lab.pair_judge import PAIR
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.lab.templates import PaperTable, has_figure, paper_table

_NONE: tuple[None, str, int] = (None, "", 0)
"""Of an arm that the experiment leaves out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePaper:
    """One figure of a paper and ours.

    Attributes:
        measure: "pass", "win", "hallucination" (shares), an amount such as "tokens", or a judge of
            ours that the paper has no figure of.
        split: of the queries, "" = all.
        model: of the paper, "" where it has no such figure.
        published: its share with the interval of its queries; tokens are a plain number.
        ours: None where nobody judged, or no query has such a split.
        left: trials of ours without a verdict; `ours` leaves them out.
    """

    arm: str
    measure: str
    split: str
    model: str
    published: Estimate | float | None
    ours: Estimate | None
    judge: str
    left: int


def beside_paper(results: ExperimentResults) -> list[BesidePaper]:
    """The table of a template with both figures.

    Raises:
        BadInput: the experiment was made from no template.
        NotFound: its template is not here.
    """
    if not results.experiment.template:
        raise BadInput(
            "This experiment is no table of a paper", todo="Make one from a template to compare"
        )
    table = paper_table(results.experiment.template)
    return [*_printed(table, results), *_others(table, results)]


def _printed(table: PaperTable, results: ExperimentResults) -> Iterator[BesidePaper]:
    here = {arm.name for arm in results.experiment.arms}
    for model, measures in table.published.items():
        for measure, rows in measures.items():
            for arm, values in rows.items():
                for at, value in enumerate(values):
                    ours = _ours(results, arm, measure, table.splits[at]) if arm in here else _NONE
                    yield BesidePaper(
                        arm=arm,
                        measure=measure,
                        split=table.splits[at],
                        model=model,
                        published=_published(measure, value, table.queries[at]),
                        ours=ours[0],
                        judge=ours[1],
                        left=ours[2],
                    )


def _others(table: PaperTable, results: ExperimentResults) -> Iterator[BesidePaper]:
    """Figures of ours where the paper, or our text of it, has none."""
    printed = {measure for measures in table.published.values() for measure in measures}
    here = [arm.name for arm in results.experiment.arms if arm.name in table.arms]
    for judge in () if printed else table.judges:
        for arm in here:
            share, left = results.share_of(arm, judge)
            yield BesidePaper(
                arm=arm, measure=judge, split="", model="", published=None, ours=share,
                judge=judge, left=left,
            )  # fmt: skip
    for measure in table.measures:
        for arm in here:
            yield BesidePaper(
                arm=arm, measure=measure, split="", model="", published=None,
                ours=results.mean_of(arm, measure), judge="", left=0,
            )  # fmt: skip


def _published(measure: str, value: float, queries: int) -> Estimate | float | None:
    if not has_figure(value):
        return None
    return value if measure == "tokens" else wilson(value / 100 * queries, queries)


def _ours(
    results: ExperimentResults, arm: str, measure: str, split: str
) -> tuple[Estimate | None, str, int]:
    if measure == "tokens":
        return results.mean_of(arm, "tokens", split=split), "", 0
    judge = _judge_of(results, measure)
    if not judge:
        return None, "", 0
    share, left = results.share_of(
        arm, judge, split=split, is_win=measure == "win", is_failure=measure == "hallucination"
    )
    return share, judge, left


def _judge_of(results: ExperimentResults, measure: str) -> str:
    """Who says it: a model who graded, before the gold APIs."""
    if measure == "hallucination":
        return measure if measure in results.judges else ""
    kind = f"{PAIR if measure == 'win' else ANSWER} "
    asked = next((judge for judge in results.judges if judge.startswith(kind)), "")
    return asked or ("" if measure == "win" else next(iter(results.experiment.judges), ""))
