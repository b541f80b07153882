"""Where the code that numba compiles is kept."""

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from toolplanner_core.clustering.neighbour_descent import compile_all as compile_neighbours
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.compiled_code import COMPILING, compiled_ahead, compiled_code_folder
from toolplanner_core.jobs.progress import Progress, Report

# What another process prints: the folder that numba was told, and whether it compiled.
_PROCESS = """
import sys
from toolplanner_core.jobs import compiled_code
compiled_code._choose_folder()
import types, {module}
compiled_code._keep_compiled({module})
{module}.double(2)
from numba.core import config
print(config.CACHE_DIR)
print(sum({module}.double.stats.cache_hits.values()))
"""

_IMPORT = """
from toolplanner_core.jobs.compiled_code import umap_learn
umap = umap_learn(lambda *_: None)
import pynndescent.distances
from numba.core import config
for function in (pynndescent.distances.euclidean, umap.layouts.rdist):
    print(type(function).__name__)
print(config.DISABLE_JIT)
"""

# What another process that needs both libraries prints: whether the last of the functions is
# compiled that each calls, and how many of the search are compiled anew.
_BOTH = """
import numpy as np
from toolplanner_core.clustering.neighbour_descent import neighbour_candidates
from toolplanner_core.jobs.compiled_code import pynndescent_library, umap_learn
silent = lambda *_: None
for load in ({order}):
    load(silent)
umap, pynndescent = umap_learn(silent), pynndescent_library(silent)
from numba.core import config
vectors = np.random.default_rng(0).normal(size=(3000, 128)).astype(np.float32)
neighbour_candidates(vectors, 15, report=silent)
print(type(umap.layouts.rdist).__name__, config.DISABLE_JIT)
modules = (pynndescent.utils, pynndescent.kernels, pynndescent.hybrid_forest)
functions = [value for module in modules for value in vars(module).values()]
stats = [function.stats for function in functions if hasattr(function, "stats")]
print(sum(sum(each.cache_hits.values()) for each in stats) > 5)
print(sum(sum(each.cache_misses.values()) for each in stats))
"""


def other_process(folder: Path, chosen: Path | None) -> tuple[Path, int]:
    """The folder of a process of its own that compiles one function, and what it had not to."""
    (folder / "doubling.py").write_text(
        "import numba\n\n\n@numba.njit()\ndef double(x):\n    return 2 * x\n"
    )
    environment = os.environ | {"PYTHONPATH": str(folder)}
    environment.pop("NUMBA_CACHE_DIR", None)
    if chosen is not None:
        environment["NUMBA_CACHE_DIR"] = str(chosen)
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS.format(module="doubling")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    place, hits = done.stdout.split("\n")[:2]
    return Path(place), int(hits)


def test_compiled_code_when_a_second_process_calls_then_it_compiles_nothing(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    assert other_process(tmp_path, kept) == (kept, 0)
    assert other_process(tmp_path, kept) == (kept, 1)


def test_umap_learn_when_imported_then_pynndescent_is_not_compiled_and_numba_still_compiles(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["function", "CPUDispatcher", "0"]


@pytest.mark.parametrize(
    "order", ["umap_learn, pynndescent_library", "pynndescent_library, umap_learn"]
)
def test_both_libraries_when_one_process_needs_them_then_the_search_is_compiled_once_for_all(
    order: str,
) -> None:
    compile_neighbours(lambda *_: None)
    done = subprocess.run(
        [sys.executable, "-c", _BOTH.format(order=order)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["CPUDispatcher", "0", "True", "0"]


def test_compiled_code_when_nothing_is_chosen_then_it_is_in_the_persons_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert compiled_code_folder() == user_cache_path("toolplanner") / "compiled"
    assert other_process(tmp_path, None)[0] == compiled_code_folder()


def test_compiled_code_when_its_folder_cannot_be_written_then_it_compiles_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    place, hits = other_process(tmp_path, tmp_path / "file" / "compiled")
    assert place != tmp_path / "file" / "compiled"
    assert hits == 0


def compile_at_once(report: Report) -> None:
    """Leave a trace of each call."""
    with (compiled_code_folder() / "calls").open("a") as file:
        file.write("x")


def compile_more(report: Report) -> None:
    """Leave a trace of each call, other than that of `compile_at_once`."""
    with (compiled_code_folder() / "calls").open("a") as file:
        file.write("y")


def compile_for_ever(report: Report) -> None:
    """Compile until killed."""
    (compiled_code_folder() / "begun").touch()
    threading.Event().wait()


def fail(report: Report) -> None:
    """As a compiler that finds no memory does."""
    raise MemoryError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_compiled_ahead_when_it_was_done_once_then_nothing_is_started_again(folder: Path) -> None:
    for _ in range(2):
        with compiled_ahead([compile_at_once, compile_more]) as wait:
            wait(Progress())
    assert (folder / "calls").read_text() == "xy"


def test_compiled_ahead_when_its_block_ends_or_fails_then_the_process_is_gone(folder: Path) -> None:
    with pytest.raises(ValueError, match="boom"), compiled_ahead([compile_for_ever]):
        while not (folder / "begun").exists():
            pass
        assert len(multiprocessing.active_children()) == 1
        raise ValueError("boom")
    assert not multiprocessing.active_children()
    assert not list(folder.glob("*.done"))


def test_compiled_ahead_when_whoever_waits_is_cancelled_then_the_wait_ends(folder: Path) -> None:
    stages: list[str] = []
    progress = Progress(lambda report: (stages.append(report.stage), progress.cancel()))
    with pytest.raises(Cancelled), compiled_ahead([compile_for_ever]) as wait:
        wait(progress)
    assert stages == [COMPILING]


def test_compiled_ahead_when_it_fails_then_the_block_goes_on(folder: Path) -> None:
    with compiled_ahead([fail]) as wait:
        wait(Progress())
    assert not list(folder.glob("*.done"))
