"""How often the graph of tools has the gold successor among its first five, against a search alone
and both mixed, over all real trajectories there are.

Gold paths of RestBench and AutoTools, and the ways of recorded DFSDT trees. Each path is left out
of the graph that is asked about it.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks.figures import Figures
from fixtures.catalogues import add_apis
from fixtures.query_sets import made_api, small_sets

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.plan import Status
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.runs.graph.trajectories import gold_paths, trajectory_of
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.sources.importing import import_source
from toolplanner_core.strategies.techniques.tool_graph import END, Formula, ToolGraph
from toolplanner_core.workspace import Workspace

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow]
FIRST = 5
Search = Callable[[str, int], Sequence[Any]]


class Shares(NamedTuple):
    """How often the gold successor is among the first five."""

    graph: float
    search: float
    both: float


def known_successors(graph: ToolGraph, before: ApiId) -> list[ApiId]:
    edges = graph.successors(before, Formula(beta=1))
    return [edge.api for edge in edges if edge.api != END and edge.times][:FIRST]


def leave_one_out(ways: Sequence[tuple[str, list[ApiId]]], search: Search) -> Shares:
    """Ask about each way the graph of all others, a search by its query, and both mixed."""
    by_graph: list[bool] = []
    by_words: list[bool] = []
    by_both: list[bool] = []
    for left_out, (text, path) in enumerate(ways):
        others = [other for place, (_, other) in enumerate(ways) if place != left_out]
        known = ToolGraph().with_trajectories(others)
        near = [scored.api.id for scored in search(text, FIRST)]
        for before, after in pairwise(path):
            after_it = known_successors(known, before)
            by_graph.append(after in after_it)
            by_words.append(after in near)
            both = dict.fromkeys([*after_it[:3], *near, *after_it])
            by_both.append(after in list(both)[:FIRST])
    return Shares(*(sum(found) / max(len(found), 1) for found in (by_graph, by_words, by_both)))


def note(
    figures: Figures, name: str, ways: Sequence[tuple[str, list[ApiId]]], shares: Shares
) -> None:
    graph = ToolGraph().with_trajectories(path for _, path in ways)
    figures.note(f"graph of {name}: trajectories", graph.trajectories)
    figures.note(f"graph of {name}: APIs", len(graph.counts))
    figures.note(f"graph of {name}: edges", sum(len(row) for row in graph.counts.values()))
    for where, share in zip(
        ("the graph", "a search", "3 of the graph, 2 of a search"), shares, strict=True
    ):
        figures.note(f"{name}: gold successor among the first 5 of {where}", share)


def test_graph_when_gold_paths_are_left_out_then_graph_and_search_together_find_most_successors(
    shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    restbench = next(found for found in small_sets(shared_data) if found.name == "RestBench")
    with Workspace.create(tmp_path / "tmdb.toolplanner") as workspace:
        add_apis(workspace, restbench.apis or [])
        embed(workspace, "words", progress=Progress())
        found = gold_paths(workspace, shared_data / "restbench" / "tmdb_queries.json")
        asked = [each.text for each in restbench.questions if not each.gold & found.unknown]
        assert len(found.paths) == len(asked) == 99, found.unknown
        ways = list(zip(asked, found.paths, strict=True))
        shares = leave_one_out(ways, HybridIndex(workspace).search)
    note(figures, "RestBench", ways, shares)
    assert shares.graph >= 0.45
    assert shares.both > max(shares.graph, shares.search)


@pytest.mark.parametrize("file", ["tmdb_eval.json", "autotool_eval.json.gz"])
def test_graph_when_made_of_autotools_paths_then_both_together_are_not_worse_than_either(
    shared_data: Path, tmp_path: Path, figures: Figures, file: str
) -> None:
    folder = shared_data / "autotools"
    raw = (folder / file).read_bytes()
    rows = json.loads(gzip.decompress(raw) if file.endswith(".gz") else raw)
    with Workspace.create(tmp_path / "autotools.toolplanner") as workspace:
        add_apis(workspace, autotools_apis(folder))
        embed(workspace, "words", progress=Progress())
        ways: list[tuple[str, list[ApiId]]] = []
        for number, row in enumerate(rows):
            alone = tmp_path / f"{number}.json"
            alone.write_text(json.dumps([row]), encoding="utf-8")
            ways += [(row["query"], path) for path in gold_paths(workspace, alone).paths]
        shares = leave_one_out(ways, HybridIndex(workspace).search)
    note(figures, f"AutoTools {file.partition('_')[0]}", ways, shares)
    assert len(ways) >= 0.9 * len(rows)
    assert shares.both >= max(shares.graph, shares.search)


def test_graph_when_made_of_recorded_trees_then_says_how_little_fifteen_tell(
    shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    data = shared_data / "toolbench"
    with Workspace.create(tmp_path / "traces.toolplanner") as workspace:
        import_source(workspace, data / "toolenv.zip", source_name="toolbench")
        for name in ("dfsdt_traces.jsonl.gz", "stabletoolbench_examples.jsonl.gz"):
            import_runs(workspace, data / name)
        solved = [each for each in list_runs(workspace) if each.status is Status.SOLVED]
        found = [(each.query, trajectory_of(load_tree(workspace, each.run))) for each in solved]
        ways = [(query, path) for query, path in found if path]
        shares = leave_one_out(ways, HybridIndex(workspace).search)
    note(figures, "recorded trees", ways, shares)
    assert ways


def autotools_apis(folder: Path) -> list[Api]:
    """Its endpoints, each name once."""
    lines = gzip.decompress((folder / "endpoints.jsonl.gz").read_bytes()).decode().splitlines()
    rows = {row["name"]: row for row in map(json.loads, lines)}
    return [
        made_api(name, row["description"], tool=row["api_set"], name=name.replace("_", " "))
        for name, row in rows.items()
    ]
