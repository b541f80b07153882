"""How long the import of the whole ToolBench catalogue takes, and in how much memory.

Target: all 45,284 entries in at most 15 s on 2 quiet cores (design/targets.md). A timing is judged
against a reference measured in the same run: parsing the same JSON with the standard library.
"""

import json
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.figures import Figures

from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace

ENTRIES = 45_284
_MOST_REFERENCES = 27
"""15 s on a quiet machine are about so many times the reference; measured: 23 to 25."""
resource = pytest.importorskip("resource", reason="memory is measured where the system tells it")


def parse_seconds(location: Path) -> float:
    """The reference: unpack and parse every file, twice, and nothing else."""
    began = time.process_time()
    for _ in range(2):
        with zipfile.ZipFile(location) as archive:
            for info in archive.infolist():
                json.loads(archive.read(info))
    return (time.process_time() - began) / 2


class _Import(NamedTuple):
    report: ImportReport
    cpu_s: float
    wall_s: float
    reference_s: float


def timed_import(workspace: Workspace, location: Path) -> _Import:
    """An import, and the reference before and after it, so that both meet the same load."""
    before_s = parse_seconds(location)
    began_cpu_s, began_s = time.process_time(), time.monotonic()
    report = import_source(workspace, location)
    cpu_s, wall_s = time.process_time() - began_cpu_s, time.monotonic() - began_s
    return _Import(report, cpu_s, wall_s, (before_s + parse_seconds(location)) / 2)


@pytest.mark.slow
@pytest.mark.benchmark_real
def test_import_when_the_whole_catalogue_then_it_is_fast_and_a_second_one_faster(
    tmp_path: Path, shared_data: Path, figures: Figures
):
    location = shared_data / "toolbench" / "toolenv.zip"
    # Up to three times: what others do in the memory of the machine slows the import more than the
    # reference. One that is too slow by itself is too slow each time.
    for attempt in range(3):
        with Workspace.create(tmp_path / f"{attempt}.toolplanner") as workspace:
            with figures.crowd() as crowd:
                first = timed_import(workspace, location)
            began_cpu_s = time.process_time()
            again = import_source(workspace, location)
            again_cpu_s = time.process_time() - began_cpu_s
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"import {first.wall_s:.1f} s ({first.cpu_s:.1f} s of CPU), again {again_cpu_s:.1f} s"
            f" of CPU, parsing alone {first.reference_s:.2f} s, peak {peak_mb:.0f} MB",
            file=sys.stderr,
        )
        if first.cpu_s < _MOST_REFERENCES * first.reference_s:
            break
    assert first.report.added + len(first.report.rejected) == ENTRIES
    assert again.unchanged + len(again.rejected) == ENTRIES
    assert (again.added, again.updated) == (0, 0)
    assert first.cpu_s < _MOST_REFERENCES * first.reference_s
    assert again_cpu_s < first.cpu_s * 0.6
    assert figures.felt("45,284 entries imported", first.wall_s, 15.0, crowd)
