"""Recall of the hybrid search on six public query sets, against its parts; time of a search.

Recall@k of a query is the share of its gold APIs among the first k distinct API keys of the answer;
the figure is the mean over all queries with at least one gold API in the catalogue. Gold keys that
the catalogue lacks count as not found. APIs with the same key count once.

The fusion (`retrieval/hybrid.py`) and the order of the first (`retrieval/reranking.py`) were chosen
on all sets but StableToolBench's, which are for testing only; on none may the search be worse than
BM25, vectors or their sum, beyond chance. The whole catalogue
takes a minute with `words` and many with `minilm`: only with TOOLPLANNER_BENCH=1. Workspaces are
kept in the folder TOOLPLANNER_BENCH_CACHE, if set.
"""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.figures import Figures
from fixtures.catalogues import add_apis
from fixtures.query_sets import TEST_ONLY, QuerySet, small_sets, toolbench_sets
from numpy.typing import NDArray

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import AllScores, HybridIndex
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace

DEPTHS = (5, 10, 50)
FLOORS = {"words": (0.57, 0.665, 0.80), "minilm": (0.58, 0.68, 0.81)}
"""On StableToolBench's queries."""
DEEPEST = 60
"""Rows looked at; the first 50 distinct keys are among them."""
MANY = 1_000
"""APIs that only `words` embeds in a moment."""
SEARCH = "search"
NEW_S = 0.05
"""Target for a search over 45,284 APIs, in the median."""
FULL = os.environ.get("TOOLPLANNER_BENCH") == "1"
PARTS: dict[str, Callable[[AllScores], NDArray[np.float32]]] = {
    "sum": lambda scores: scores.total,
    "BM25": lambda scores: scores.bm25,
    "vectors": lambda scores: scores.total if scores.vectors is None else scores.vectors[0],
}

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow, pytest.mark.timeout(3600)]


class Measured(NamedTuple):
    """What searches found.

    Attributes:
        recalls: by part, (queries, depths).
        new_s: median of the processor seconds of a search for a text that nobody asked before.
        known_s: of the same search again.
    """

    recalls: dict[str, NDArray[np.float64]]
    new_s: float
    known_s: float


def measure(workspace: Workspace, queries: QuerySet) -> Measured:
    """Search for each question of the set that can be answered."""
    index = HybridIndex(workspace)
    key_of = dict(workspace.reader().execute("SELECT rowid, key FROM apis").fetchall())
    keys = [key_of[int(rowid)] for rowid in index.catalogue().rowids]
    known = set(keys)
    recalls: dict[str, list[list[float]]] = {SEARCH: [], **{part: [] for part in PARTS}}
    index.search("load everything first", 1)
    new_s: list[float] = []
    known_s: list[float] = []
    for text, gold in queries.questions:
        if not known & gold:
            continue
        began_s = time.process_time()
        answer = index.search(text, DEEPEST)
        new_s.append(time.process_time() - began_s)
        index.search(text, DEEPEST)
        known_s.append(time.process_time() - began_s - new_s[-1])
        scores = index.score_all(text)
        assert scores is not None
        ranked = {part: best_keys(of(scores), keys) for part, of in PARTS.items()}
        ranked[SEARCH] = list(dict.fromkeys(found.api.key for found in answer))
        for part, best in ranked.items():
            recalls[part].append([len(gold.intersection(best[:k])) / len(gold) for k in DEPTHS])
    found = {part: np.array(rows) for part, rows in recalls.items()}
    return Measured(found, statistics.median(new_s), statistics.median(known_s))


def best_keys(scores: NDArray[np.float32], keys: list[str]) -> list[str]:
    """Distinct keys of the best APIs, best first."""
    top = np.argsort(-scores, kind="stable")[:DEEPEST]
    return list(dict.fromkeys(keys[int(i)] for i in top))


def judge(name: str, measured: Measured, figures: Figures) -> None:
    """Note the recalls; fail if the search is worse than a part by more than chance can do."""
    fused = measured.recalls[SEARCH]
    parts = [rows for part, rows in measured.recalls.items() if part != SEARCH]
    best = np.max([rows.mean(axis=0) for rows in parts], axis=0)
    for column, depth in enumerate(DEPTHS):
        what = f"{name}: Recall@{depth}, its better part {best[column]:.3f}"
        figures.note(what, float(fused[:, column].mean()))
    for part, rows in measured.recalls.items():
        lost = rows - fused
        chance = 2 * lost.std(axis=0) / np.sqrt(len(lost))
        assert (lost.mean(axis=0) <= chance + 1e-9).all(), (name, part, lost.mean(axis=0), chance)


@pytest.fixture(params=["words", "minilm"])
def embedder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each embedder that is compared, where it can be found."""
    if request.param == "minilm":
        monkeypatch.setenv("TOOLPLANNER_MODELS", str(request.getfixturevalue("minilm")))
    return request.param


def test_search_when_asked_small_sets_then_not_worse_than_its_parts(
    embedder: str, shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    for queries in small_sets(shared_data):
        is_quick = len(queries.apis or ()) < MANY or embedder == "words"
        if is_quick or FULL:
            with Workspace.create(tmp_path / f"{queries.name}.toolplanner") as workspace:
                add_apis(workspace, queries.apis or [])
                embed(workspace, embedder, progress=Progress())
                judge(f"{queries.name}, {embedder}", measure(workspace, queries), figures)


@pytest.mark.skipif(not FULL, reason="takes minutes; set TOOLPLANNER_BENCH=1")
def test_search_when_asked_over_the_whole_catalogue_then_recall_and_time_hold(
    embedder: str, shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    folder = Path(os.environ.get("TOOLPLANNER_BENCH_CACHE", tmp_path))
    file = folder / f"recall-{embedder}.toolplanner"
    with Workspace.open(file) if file.exists() else Workspace.create(file) as workspace:
        archive = shared_data / "toolbench" / "toolenv.zip"
        import_source(workspace, archive, source_name="toolbench")
        embed(workspace, embedder, progress=Progress())
        for queries in toolbench_sets(shared_data):
            measured = measure(workspace, queries)
            judge(f"{queries.name}, {embedder}", measured, figures)
            figures.note(f"{queries.name}, {embedder}: a search again", measured.known_s, "s")
            what = f"{queries.name}, {embedder}: a search for a new text"
            assert figures.seconds(what, measured.new_s, NEW_S)
            if queries.name == TEST_ONLY:
                reached = measured.recalls[SEARCH].mean(axis=0)
                assert (reached >= FLOORS[embedder]).all(), reached
