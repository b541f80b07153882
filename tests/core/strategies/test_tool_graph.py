"""The graph of tools: its weights against the formulas of the paper, and a tool that breaks."""

import random
from math import exp

import pytest

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.strategies.techniques.tool_graph import END, START, Formula, ToolGraph

MAIN, BACKUP, OTHER = ApiId("main"), ApiId("backup"), ApiId("other")
BREAKS_AT = 50


def test_graph_when_built_from_trajectories_then_weights_are_shares_of_what_came_next() -> None:
    graph = ToolGraph().with_trajectories([[OTHER, MAIN], [OTHER, MAIN, MAIN], [OTHER], []])
    static = Formula(beta=1)
    assert [(e.api, round(e.weight, 3)) for e in graph.successors(OTHER, static)] == [
        (MAIN, 0.667), (END, 0.333), (OTHER, 0.0),
    ]  # fmt: skip
    assert {e.api: round(e.weight, 3) for e in graph.successors(MAIN, static)} == {
        END: 0.667, MAIN: 0.333,
    }  # fmt: skip
    assert graph.trajectories == 3
    assert [e.api for e in graph.predecessors(MAIN, static)] == [OTHER, MAIN]
    assert ToolGraph.from_json(graph.to_json(), None) == graph


def test_graph_when_nothing_is_known_then_weights_are_equal_over_the_whole_catalogue() -> None:
    edges = ToolGraph().successors(MAIN, Formula(), among=[OTHER], apis=45_284)
    assert {e.api for e in edges} == {MAIN, OTHER, END}
    assert all(abs(e.weight - 1 / 45_285) < 1e-12 for e in edges)
    start = ToolGraph().successors(START, Formula(), among=[OTHER, MAIN])
    assert [(e.api, e.weight) for e in start] == [(OTHER, 0.5), (MAIN, 0.5)]


def runs_until_overtaken(graph: ToolGraph, formula: Formula, good: int, bad: int) -> int:
    """Runs from the one in which the main tool breaks until the backup has more weight; the model
    takes the greatest weight, and what it takes is scored."""
    for run in range(1, BREAKS_AT + 2000):
        weights = {edge.api: edge.weight for edge in graph.successors(OTHER, formula)}
        if weights[BACKUP] > weights[MAIN]:
            return run - BREAKS_AT
        score = good if run < BREAKS_AT else bad
        graph = graph.with_scores({MAIN: (score, "")})
    raise AssertionError("never")


def predicted(formula: Formula, good: int, bad: int, lead: float) -> int:
    """The same by hand: after m bad runs the sum is good * 49 + bad * m, or that of the window; the
    first m at which f(0) - f(sum), as a share, outweighs the lead that trajectories gave."""
    for m in range(2000):
        scores = [good] * (BREAKS_AT - 1) + [bad] * m
        total = sum(scores[-formula.window :] if formula.window else scores)
        f = formula.alpha * total + 1 if total >= 0 else exp(formula.alpha * total)
        # backup, the tool itself and the end have no scores: f(0) = 1 each
        if (1 - formula.beta) * (1 - f) / (f + 3) > formula.beta * lead:
            return m
    raise AssertionError("never")


@pytest.mark.parametrize("seed", range(20))
def test_graph_when_a_tool_breaks_then_the_backup_overtakes_at_the_run_that_the_formula_says(
    seed: int,
) -> None:
    chance = random.Random(seed)
    good, bad = chance.choice([1, 2, 3]), chance.choice([-1, -2, -3])
    window = chance.choice([None, None, 5, 20])
    formula = Formula(alpha=chance.uniform(0.1, 1), beta=chance.uniform(0, 0.4), window=window)
    graph = ToolGraph().with_trajectories([[OTHER, MAIN]] * 6 + [[OTHER, BACKUP]] * 4)
    waited = runs_until_overtaken(graph, formula, good, bad)
    assert waited == predicted(formula, good, bad, lead=0.6 - 0.4)
    if window is None:
        assert waited > 49 * good / -bad, "a long good past takes long to overtake"
