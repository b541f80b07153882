"""Tokens per task of ToolNet against ReAct, over the same simulated tasks with 16, 100 and 1,000
APIs.

What ToolNet is for: a step costs the same however many APIs there are, since only successors are
offered. ReAct is offered its usual shortlist of 20, and 120. Ten tasks; with TOOLPLANNER_BENCH=1 a
hundred. Tokens are a quarter of the characters.
"""

import os

import pytest
from benchmarks.figures import Figures
from fixtures.simulated_walks import FEW, MANY, SIZES, TOOLNET, walk_all

TASKS = 100 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 10
SLIP = 0.05


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_toolnet_when_the_catalogue_grows_then_a_task_costs_no_more_tokens(
    figures: Figures,
) -> None:
    tokens: dict[tuple[str, int], float] = {}
    for size, row in walk_all(TASKS, slip=SLIP, seed=7):
        tokens[row.variant, size] = row.tokens
        figures.note(f"{row.variant}, {size:,} APIs: tokens of a task", row.tokens)
        figures.note(f"{row.variant}, {size:,} APIs: solved", row.solved, "%")
    least, most = SIZES[0], SIZES[-1]
    assert tokens[TOOLNET, most] <= 1.05 * tokens[TOOLNET, least]
    assert tokens[FEW, most] > 1.05 * tokens[FEW, least]
    for size in SIZES[1:]:
        assert tokens[TOOLNET, size] < min(tokens[FEW, size], tokens[MANY, size])
