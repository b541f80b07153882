"""All catalogues and documents in one workspace: import, words, search, map, memory.

ToolBench's 45,284 entries, 1,726 model cards, 4,076 tools of Seal-Tools and every OpenAPI document.
Target (issue 11): a search within 50 ms of the processor. It takes many minutes: only with
TOOLPLANNER_BENCH=1.
"""

import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.figures import Figures
from fixtures.query_sets import small_sets

from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids

resource = pytest.importorskip("resource", reason="memory is measured where the system tells it")
pytestmark = [
    pytest.mark.benchmark_real,
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        os.environ.get("TOOLPLANNER_BENCH") != "1",
        reason="takes many minutes; set TOOLPLANNER_BENCH=1",
    ),
]

CARDS = ("huggingface_api.jsonl.gz", "tensorflowhub_api.jsonl.gz", "torchhub_api.jsonl")
LEAST = {"toolbench": 45_000, "apibench": 1_726, "functions": 4_076, "openapi": 800}
"""APIs of a format that come in at least; what does not is in the reports of the imports."""
SEARCHES = 100


def locations(data: Path, folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Format, name of the source, and place of each catalogue, unpacked where a person would."""
    yield "toolbench", "toolbench", data / "toolbench" / "toolenv.zip"
    packed = [("apibench", data / "apibench" / name) for name in CARDS]
    for format_id, path in [*packed, ("functions", data / "sealtools" / "tool.jsonl.gz")]:
        raw = path.read_bytes()
        plain = folder / path.name.removesuffix(".gz")
        plain.write_bytes(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        yield format_id, plain.stem, plain
    yield "openapi", "documents", data / "openapi" / "documents.zip"


def test_workspace_when_it_holds_everything_then_it_is_searched_and_drawn(
    workspace: Workspace, shared_data: Path, tmp_path: Path, figures: Figures
) -> None:
    came = dict.fromkeys(LEAST, 0)
    for format_id, name, place in locations(shared_data, tmp_path):
        began_s = time.process_time()
        report = import_source(workspace, place, format_id=format_id, source_name=name)
        cpu_s = time.process_time() - began_s
        figures.note(f"everything, import of {name} ({report.added:,} APIs)", cpu_s, "s")
        came[format_id] += report.added
    assert all(came[each] >= least for each, least in LEAST.items()), came
    count = len(all_rowids(workspace))
    assert count == sum(came.values())

    began_s = time.monotonic()
    stages: dict[str, float] = {}

    def hear(report: ProgressReport) -> None:
        stages.setdefault(report.stage, time.monotonic() - began_s)

    made = prepare(workspace, embedder="words", progress=Progress(hear))
    print("\n".join(f"  {at_s:6.1f} s {stage}" for stage, at_s in stages.items()))
    figures.note(f"everything, {count:,} APIs prepared with words", made.seconds, "s")

    index = HybridIndex(workspace)
    index.search("load everything first", 1)
    questions = [text for each in small_sets(shared_data) for text, _ in each.questions]
    chosen = questions[:: max(1, len(questions) // SEARCHES)]
    began_s = time.process_time()
    assert all(index.search(text, 60) for text in chosen)
    cpu_s = (time.process_time() - began_s) / len(chosen)
    assert figures.seconds("everything, a search", cpu_s, 0.05, margin=1.0)

    began_s = time.process_time()
    xy = read_catalogue(workspace).xy
    assert xy is not None
    assert len(xy) == count
    figures.note("everything, the map read", time.process_time() - began_s, "s")
    for who, whose in ((resource.RUSAGE_SELF, "memory"), (resource.RUSAGE_CHILDREN, "workers")):
        peak_mb = resource.getrusage(who).ru_maxrss / 1024
        figures.note(f"everything, {whose} at most", peak_mb, "MB")
    figures.note("everything, the file", workspace.path.stat().st_size / 2**20, "MB")
