"""From import to the first map, and how fast the map is read (design/targets.md).

Most of it happens in worker processes that use all cores, so it is judged on the clock, beside what
else the machine does (`figures.py`).
"""

import os
import statistics
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from benchmarks.figures import Figures

from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace

pytestmark = [pytest.mark.benchmark_real, pytest.mark.slow, pytest.mark.timeout(1800)]

SOME, ALL = 16_000, 45_447
READ_S = 0.5
ROUNDS = 3
LONG = pytest.mark.skipif(
    os.environ.get("TOOLPLANNER_BENCH") != "1", reason="takes minutes; set TOOLPLANNER_BENCH=1"
)


@pytest.fixture
def trained(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the embedder of the test needs."""
    if request.node.callspec.params["embedder"] == "minilm":
        monkeypatch.setenv("TOOLPLANNER_MODELS", str(request.getfixturevalue("minilm")))
    yield


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize(
    ("embedder", "size", "target_s"),
    [
        ("words", SOME, 30.0),
        ("lsa", SOME, 30.0),
        pytest.param("minilm", SOME, 240.0, marks=LONG),
        pytest.param("words", ALL, 90.0, marks=LONG),
    ],
)
def test_prepare_when_apis_are_new_then_their_map_is_there_in_time(
    workspace: Workspace, shared_data: Path, figures: Figures, *,
    embedder: str, size: int, target_s: float,
) -> None:  # fmt: skip
    location = shared_data / "toolbench" / "toolenv.zip"
    plugin: Any = sources.get("toolbench")
    stages: dict[str, float] = {}

    def hear(report: ProgressReport) -> None:
        stages.setdefault(report.stage, time.monotonic() - began_s)

    with figures.crowd() as crowd:
        began_s = time.monotonic()
        records = plugin.read(Location.of(location), plugin.options(), source="toolbench")
        import_apis(
            workspace, islice(records, size), source_name="toolbench", format_id="toolbench",
            location="some",
        )  # fmt: skip
        prepare(workspace, embedder=embedder, progress=Progress(hear))
        took_s = time.monotonic() - began_s
    print("\n".join(f"  {at_s:6.1f} s {stage}" for stage, at_s in stages.items()))
    reads_s: list[float] = []
    for _ in range(ROUNDS):
        began_s = time.process_time()
        assert read_catalogue(workspace).xy is not None
        reads_s.append(time.process_time() - began_s)
    what = f"{size:,} APIs with {embedder}"
    rows = [
        figures.felt(f"{what}: import to first map", took_s, target_s, crowd),
        figures.seconds(f"{what}: map read, processor", statistics.median(reads_s), READ_S),
    ]
    assert all(rows)
