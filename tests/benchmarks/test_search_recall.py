"""Recall of the hybrid search on StableToolBench's queries: the floor of strategies.md section 0.

Recall@k of a query is the share of its gold APIs among the first k distinct API keys of the answer;
the figure is the mean over all queries with at least one gold API in the catalogue. Gold keys that
the catalogue lacks count as not found. APIs with the same key count once.

The always-on version takes the tools of the candidates and 5,000 other APIs, with `lsa`. The whole
catalogue with `minilm` takes minutes and runs only with TOOLPLANNER_BENCH=1; it keeps its workspace
in the folder TOOLPLANNER_BENCH_CACHE, if set.
"""

import gzip
import json
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.sources.importing import import_source
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.search_index import full_text_scores

FLOORS = {5: 0.54, 10: 0.63, 50: 0.78}
FLOORS_OF_SUBSET = {5: 0.59, 10: 0.67}
OTHERS = 5_000
DEPTH = 60
"""Rows asked for; the first 50 distinct keys are among them."""

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow]


def stable_queries(data: Path) -> list[dict[str, Any]]:
    with gzip.open(data / "toolbench" / "queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [json.loads(line) for line in lines]
    return [query for query in queries if query["source"] == "stabletoolbench"]


def recall(
    workspace: Workspace, queries: list[dict[str, Any]], depths: list[int]
) -> tuple[dict[int, float], int, float]:
    """Recall by depth, number of queries that count, mean seconds per search."""
    index = HybridIndex(workspace)
    keys = {row[0] for row in workspace.reader().execute("SELECT key FROM apis")}
    key_of = dict(workspace.reader().execute("SELECT rowid, key FROM apis").fetchall())
    counted = [query for query in queries if keys.intersection(query["gold"])]
    sums = dict.fromkeys(depths, 0.0)
    index.score_all("load everything first")
    began_s = time.monotonic()
    for query in counted:
        gold = set(query["gold"])
        scores = index.score_all(query["query"])
        rowids = [] if scores is None else scores.catalogue.rowids[scores.best(DEPTH)].tolist()
        found = dict.fromkeys(key_of[rowid] for rowid in rowids)
        ranked = list(found)
        for depth in depths:
            sums[depth] += len(gold.intersection(ranked[:depth])) / len(gold)
    spent_s = (time.monotonic() - began_s) / len(counted)
    return {depth: sums[depth] / len(counted) for depth in depths}, len(counted), spent_s


def subset_of_catalogue(data: Path, queries: list[dict[str, Any]], target: Path) -> None:
    """A zip with the tools of all candidates and every n-th of the others."""
    wanted = {key.rpartition("/")[0] for q in queries for key in (*q["candidates"], *q["gold"])}
    others = 0
    with (
        zipfile.ZipFile(data / "toolbench" / "toolenv.zip") as source,
        zipfile.ZipFile(target, "w") as out,
    ):
        names = [name for name in source.namelist() if name.endswith(".json")]
        for position, name in enumerate(names):
            category, file = name.split("/")[-2:]
            is_wanted = f"{category}/{file.removesuffix('.json')}" in wanted
            if not is_wanted and (position % 5 or others >= OTHERS):
                continue
            raw = source.read(name)
            if not is_wanted:
                others += raw.count(b'"method"')
            out.writestr(name, raw)


def test_search_when_asked_real_queries_on_a_subset_then_recall_holds(
    workspace: Workspace, shared_data: Path, tmp_path: Path
) -> None:
    queries = stable_queries(shared_data)
    subset_of_catalogue(shared_data, queries, tmp_path / "toolenv.zip")
    import_source(workspace, tmp_path / "toolenv.zip", source_name="toolbench")
    embed(workspace, "lsa", progress=Progress())
    figures, n, spent_s = recall(workspace, queries[::4], list(FLOORS_OF_SUBSET))
    print(f"recall on the subset, {n} queries: {figures}, {spent_s * 1000:.0f} ms each")
    for depth, floor in FLOORS_OF_SUBSET.items():
        assert figures[depth] >= floor, figures


@pytest.mark.timeout(3600)
@pytest.mark.skipif(
    os.environ.get("TOOLPLANNER_BENCH") != "1", reason="takes minutes; set TOOLPLANNER_BENCH=1"
)
def test_search_when_asked_all_queries_on_the_whole_catalogue_then_recall_holds(
    shared_data: Path, tmp_path: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(minilm))
    folder = Path(os.environ.get("TOOLPLANNER_BENCH_CACHE", tmp_path))
    file = folder / "recall.toolplanner"
    with Workspace.open(file) if file.exists() else Workspace.create(file) as workspace:
        archive = shared_data / "toolbench" / "toolenv.zip"
        import_source(workspace, archive, source_name="toolbench")
        report = embed(workspace, "minilm", progress=Progress())
        queries = stable_queries(shared_data)
        figures, n, spent_s = recall(workspace, queries, list(FLOORS))
        print(f"recall on {n} queries: {figures}, {spent_s * 1000:.0f} ms each; {report}")
        for depth, floor in FLOORS.items():
            assert figures[depth] >= floor, figures
        words = [search_terms(query["query"])[:4] for query in queries[:100]]
        began_s = time.monotonic()
        for terms in words:
            full_text_scores(workspace, terms)
        each_ms = (time.monotonic() - began_s) / len(words) * 1000
        print(f"full text, four words: {each_ms:.1f} ms")
        assert each_ms < 50
