"""How often the graph of tools has the gold successor among its first five, against a search alone.

Real gold paths, RestBench's over TMDB. Each path is left out of the graph that is asked about it.
"""

from itertools import pairwise
from pathlib import Path

import pytest
from fixtures.catalogues import add_apis
from fixtures.figures import Figures
from fixtures.query_sets import small_sets

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.runs.trajectories import gold_paths
from toolplanner_core.strategies.transitions.formula import Formula
from toolplanner_core.strategies.transitions.graph import END, ToolGraph
from toolplanner_core.workspace import Workspace

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow]
FIRST = 5


def known_successors(graph: ToolGraph, before: ApiId) -> list[ApiId]:
    edges = graph.successors(before, Formula(beta=1))
    return [edge.api for edge in edges if edge.api != END and edge.times][:FIRST]


def test_graph_when_gold_paths_are_left_out_then_graph_and_search_together_find_most_successors(
    shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    restbench = next(found for found in small_sets(shared_data) if found.name == "RestBench")
    with Workspace.create(tmp_path / "tmdb.toolplanner") as workspace:
        add_apis(workspace, restbench.apis or [])
        embed(workspace, "words", progress=Progress())
        found = gold_paths(workspace, shared_data / "restbench" / "tmdb_queries.json")
        paths = found.paths
        asked = [each for each in restbench.questions if not each.gold & found.unknown]
        assert len(paths) == len(asked) == 99, found.unknown
        search = HybridIndex(workspace).search
        graph = ToolGraph().with_trajectories(paths)
        by_graph: list[bool] = []
        by_words: list[bool] = []
        by_both: list[bool] = []
        for left_out, (question, path) in enumerate(zip(asked, paths, strict=True)):
            others = [path for place, path in enumerate(paths) if place != left_out]
            known = ToolGraph().with_trajectories(others)
            near = [scored.api.id for scored in search(question.text, FIRST)]
            for before, after in pairwise(path):
                after_it = known_successors(known, before)
                by_graph.append(after in after_it)
                by_words.append(after in near)
                both = dict.fromkeys([*after_it[:3], *near, *after_it])
                by_both.append(after in list(both)[:FIRST])
    figures.note("graph of 99 gold paths: APIs", len(graph.counts))
    figures.note("graph of 99 gold paths: edges", sum(len(row) for row in graph.counts.values()))
    shares = [sum(found) / len(found) for found in (by_graph, by_words, by_both)]
    for where, share in zip(
        ("the graph", "a search", "3 of the graph, 2 of a search"), shares, strict=True
    ):
        figures.note(f"gold successor among the first 5 of {where}", share)
    assert shares[0] >= 0.45
    assert shares[2] > max(shares[:2])
