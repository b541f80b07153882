"""How long until the window is there, until the map of 16,000 APIs is, and what that takes.

Targets (design/targets.md): shown after 0.6 s warm and 1.2 s cold, the map after 1.0 s, 400 MB
without vectors. A program of its own is started each time, as a person does; "cold" means that
the files of Python and Qt were dropped from the system's cache. Limits are wide, for busy machines;
run with `-s` to read the figures.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fixtures.catalogues import add_apis, add_vectors, made_up_apis

from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.curated_toolkits import CuratedToolkit, add_curated_toolkits
from toolplanner_core.workspace.layouts import StoredLayout, put_layout

pytest.importorskip("PySide6")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PER_TOPIC = 4_000
"""Of four topics."""
ROUNDS = 3
SLACK = 8.0

START = """
import asyncio, json, sys, time
from pathlib import Path
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop
from toolplanner_gui.app import Program, StartOptions

began_s = float(sys.argv[1])
path = Path(sys.argv[2]) if len(sys.argv) > 2 else None
app = QApplication([])
loop = QEventLoop(app)
asyncio.set_event_loop(loop)
figures = {}

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and "shown_s" not in figures:
            figures["shown_s"] = time.monotonic() - began_s
        return False

async def main():
    program = Program(app, loop, StartOptions(workspace=path, screenshot=Path("unused.png")))
    painted = Painted()
    program.window.centralWidget().installEventFilter(painted)
    program.window.resize(1280, 800)
    program.show()
    context, window = program.context, program.window
    while "shown_s" not in figures:
        await asyncio.sleep(0.002)
    if path is not None:
        shown_s = time.monotonic()
        while not context.catalogue.n_apis or not window.is_idle or not context.tasks.is_idle:
            await asyncio.sleep(0.005)
        figures["map_s"] = time.monotonic() - shown_s
        status = Path("/proc/self/status")
        if status.exists():
            lines = dict(l.split(":", 1) for l in status.read_text().splitlines())
            figures["memory_mb"] = int(lines["VmRSS"].split()[0]) / 1024
            figures["most_memory_mb"] = int(lines["VmHWM"].split()[0]) / 1024
    context.tasks.cancel_all()
    await context.tasks.finish()
    context.close()

with loop:
    loop.run_until_complete(main())
print(json.dumps(figures))
"""


def start(tmp_path: Path, *workspace: Path) -> dict[str, float]:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", START, str(time.monotonic()), *map(str, workspace)],
        capture_output=True, text=True, timeout=240, env=env, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def drop_from_cache() -> None:
    """Let the system forget the files that a start reads; those in use elsewhere may stay."""
    folders = [Path(sys.prefix) / "lib", Path(__file__).parents[2] / "toolplanner_gui"]
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in (".so", ".pyc", ".py", ".6") and path.is_file():
                opened = os.open(path, os.O_RDONLY)
                try:
                    os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(opened)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """16,000 APIs in 1,600 toolkits, with a layout."""
    path = tmp_path_factory.mktemp("start") / "16k.toolplanner"
    with Workspace.create(path) as made:
        add_apis(made, made_up_apis(PER_TOPIC))
        add_vectors(made)
        rowids = all_rowids(made)
        toolkits = [
            CuratedToolkit(name=f"Toolkit {i}", description="", members=rowids[i : i + 10])
            for i in range(0, len(rowids), 10)
        ]
        add_curated_toolkits(made, toolkits)
        points = load_points(made)
        xy = np.random.default_rng(0).normal(size=(len(rowids), 2)).astype(np.float32)
        put_layout(
            made,
            StoredLayout(
                point_set=points.point_set.id, embedder="test", method="pca", options={}, xy=xy
            ),
        )
    return path


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="no way to empty the cache")
def test_window_when_started_then_shown_soon(tmp_path: Path, record_property) -> None:
    drop_from_cache()
    cold_s = start(tmp_path)["shown_s"]
    warm_s = min(start(tmp_path)["shown_s"] for _ in range(ROUNDS))
    print(f"window shown: {warm_s:.2f} s warm (0.6), {cold_s:.2f} s cold (1.2)")
    record_property("warm_s", round(warm_s, 2))
    record_property("cold_s", round(cold_s, 2))
    assert warm_s < 0.6 * SLACK
    assert cold_s < 1.2 * SLACK


def test_map_of_16000_apis_when_opened_then_there_soon_in_little_memory(
    tmp_path: Path, catalogue: Path, record_property
) -> None:
    found = [start(tmp_path, catalogue) for _ in range(ROUNDS)]
    map_s = min(one["map_s"] for one in found)
    print(f"interactive map of 16,000 APIs: {map_s:.2f} s after the window (1.0)")
    record_property("map_s", round(map_s, 2))
    assert map_s < 1.0 * SLACK
    if "memory_mb" in found[0]:
        memory_mb = max(one["memory_mb"] for one in found)
        print(f"memory without vectors: {memory_mb:.0f} MB (400)")
        record_property("memory_mb", round(memory_mb))
        assert memory_mb < 400
