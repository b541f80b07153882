"""How many gold APIs AnyTool's agents can reach in the whole catalogue, by categories and by
regions, with an oracle that answers from gold labels (fixtures/gold_oracle.py): it measures the
hierarchy and the limits, not a model.

Takes minutes: only with TOOLPLANNER_BENCH=1. The prepared workspace is kept in the folder
TOOLPLANNER_BENCH_CACHE, if set.
"""

import os
import random
from pathlib import Path

import pytest
from benchmarks.figures import Figures
from fixtures.gold_oracle import reach
from fixtures.query_sets import TEST_ONLY, toolbench_sets

from toolplanner_core.domain.api import Api
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

pytestmark = [
    pytest.mark.benchmark_real,
    pytest.mark.slow,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(
        os.environ.get("TOOLPLANNER_BENCH") != "1", reason="takes minutes; set TOOLPLANNER_BENCH=1"
    ),
]
QUERIES = 50


def asked_of(workspace: Workspace, data: Path) -> list[tuple[str, list[Api]]]:
    """Some queries of StableToolBench, drawn by seed, with their gold APIs that are in the
    catalogue."""
    test_only = next(found for found in toolbench_sets(data) if found.name == TEST_ONLY)
    by_key: dict[str, Api] = {}
    for api in apis_by_rowid(workspace, all_rowids(workspace)).values():
        by_key.setdefault(api.key, api)
    known = [
        (question.text, [by_key[key] for key in sorted(question.gold) if key in by_key])
        for question in test_only.questions
    ]
    return random.Random(0).sample([each for each in known if each[1]], QUERIES)


@pytest.mark.parametrize("by", ["categories", "toolkits"])
def test_oracle_when_it_searches_the_whole_catalogue_then_reaches_nearly_all_gold_apis(
    whole_catalogue: Workspace, shared_data: Path, figures: Figures, by: str
) -> None:
    found = reach(whole_catalogue, asked_of(whole_catalogue, shared_data), by)
    name = f"AnyTool, oracle of gold labels, {by}"
    figures.note(f"{name}: gold APIs of {found.queries} queries", found.gold)
    figures.note(f"{name}: reached", found.reached)
    figures.note(f"{name}: queries with all of them", found.complete)
    figures.note(f"{name}: agents for one query at most", found.agents)
    figures.note(f"{name}: questions for one query", found.questions / found.queries)
    assert found.reached >= 0.95 * found.gold
