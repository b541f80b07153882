"""umap-learn and pynndescent, whose functions numba compiles: once per machine, not per process.

numba keeps compiled code beside the library that it is of, which an installed program cannot write
to, and of most functions of the two it keeps nothing. Here all of it goes into the person's cache
folder. Of pynndescent, whose import alone compiles for 22 seconds, only those modules are compiled
that find neighbours in large catalogues, and only where that is done. Without that, each process
spends 34 seconds of a core before the first point moves; with it 11 once per machine, and 3 from
then on; neighbours 47 once per machine, then 2 (numba 0.68.1, umap-learn 0.5.12, pynndescent
0.7.0).

Only worker processes import the two: the window never does.
"""

import logging
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from platformdirs import user_cache_path

from toolplanner_core.errors import Cancelled, ToolPlannerError
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.temporary_folders import temporary_folder
from toolplanner_core.jobs.worker import run_in_worker

logger = logging.getLogger(__name__)

_VARIABLE = "NUMBA_CACHE_DIR"
COMPILED_LIBRARIES = ("numba", "umap-learn", "pynndescent")
"""Distributions by whose versions compiled code is told apart."""
COMPILING = "Compiling once for this machine"
LOADING = "Loading umap-learn"
LOADING_PYNNDESCENT = "Loading pynndescent"
_SEARCH_MODULES = ("utils", "distances", "kernels", "hybrid_forest")
"""Of pynndescent: what `clustering/neighbour_descent.py` calls, and what that imports, first what
others import."""
_LOOK_S = 0.05
"""How often whoever waits looks for a cancel."""


def compiled_code_folder() -> Path:
    """Where compiled code is kept: what `NUMBA_CACHE_DIR` says, else in the person's cache.

    May be removed at any time: it is made again. numba itself tells code of another processor,
    version of numba or source file apart.
    """
    chosen = os.environ.get(_VARIABLE)
    return Path(chosen) if chosen else user_cache_path("toolplanner") / "compiled"


@contextmanager
def compiled_ahead(
    to_compile: Sequence[Callable[..., None]],
) -> Generator[Callable[[Progress], None]]:
    """While the block runs, another process compiles what its end needs.

    On a machine where that was done once, nothing is started. When the block is left the process is
    gone, finished or not: what it had compiled is kept.

    Args:
        to_compile: one after the other; each at the top level of a module, and gets the keyword
            `report`.

    Yields:
        What waits until all is compiled; raises `Cancelled` if the job that waits is cancelled.
    """
    missing = [compile_all for compile_all in to_compile if not _mark(compile_all).exists()]
    if not missing:
        yield Progress.check
        return
    own = Progress()
    thread = threading.Thread(
        target=_compile, args=(missing, own), daemon=True, name="compiling ahead"
    )

    def wait(progress: Progress) -> None:
        while thread.is_alive():
            progress.report(COMPILING, 0, None)
            thread.join(_LOOK_S)

    thread.start()
    try:
        yield wait
    finally:
        own.cancel()
        thread.join()


def _compile(missing: Sequence[Callable[..., None]], progress: Progress) -> None:
    try:
        for compile_all in missing:
            run_in_worker(compile_all, progress=progress, what="compiling")
            mark = _mark(compile_all)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
    except Cancelled:
        pass
    except (ToolPlannerError, OSError) as error:
        # Whoever needs the code compiles it then, and says what is wrong.
        logger.info("Nothing was compiled ahead: %s", error)


def _mark(compile_all: Callable[..., None]) -> Path:
    """The file that says that it was done, for these versions."""
    versions = "-".join(version(name) for name in COMPILED_LIBRARIES)
    return (
        compiled_code_folder() / f"{compile_all.__module__}.{compile_all.__name__}-{versions}.done"
    )


def umap_learn(report: Report) -> Any:
    """The package `umap`, its compiled functions kept for the next process.

    Args:
        report: told that it is loaded, which takes seconds.
    """
    if "umap" not in sys.modules:
        report(LOADING, 0, None)
    _choose_folder()
    with warnings.catch_warnings():
        # It says that tensorflow is missing, for a class that nobody asks for.
        warnings.simplefilter("ignore")
        _import_uncompiled("pynndescent")
        import umap
        import umap.layouts
        import umap.umap_
        import umap.utils
    for module in (umap.umap_, umap.layouts, umap.utils):
        _keep_compiled(module)
    return umap


def pynndescent_library(report: Report) -> Any:
    """The package `pynndescent` with those modules compiled that its search stands on, and what is
    compiled of them kept for the next process.

    The others stay as umap-learn has them: compiling what all of them name costs 18 seconds more.
    umap-learn may be loaded before or after in the same process.

    Args:
        report: told that it is loaded, which takes seconds.
    """
    names = [f"pynndescent.{name}" for name in _SEARCH_MODULES]
    if not _is_compiled(sys.modules.get(names[0])):
        report(LOADING_PYNNDESCENT, 0, None)
    _choose_folder()
    _import_uncompiled("pynndescent")
    if not _is_compiled(sys.modules[names[0]]):
        for name in names:
            del sys.modules[name]
    for name in names:
        _keep_compiled(import_module(name))
    return sys.modules["pynndescent"]


def _import_uncompiled(name: str) -> None:
    """Import a library whose functions nobody calls, and compile none of them.

    umap-learn imports pynndescent to look for neighbours, which it is given here. Its functions
    name their types, so that importing it compiles them. Where it is loaded already, it stays.
    """
    if name in sys.modules:
        return
    from numba.core import config

    # numba makes these names when it reads the environment.
    before = getattr(config, "DISABLE_JIT")  # noqa: B009
    setattr(config, "DISABLE_JIT", 1)  # noqa: B010
    try:
        import_module(name)
    finally:
        setattr(config, "DISABLE_JIT", before)  # noqa: B010


def _is_compiled(module: ModuleType | None) -> bool:
    from numba.core.registry import CPUDispatcher

    functions = () if module is None else vars(module).values()
    return any(isinstance(function, CPUDispatcher) for function in functions)


def _choose_folder() -> None:
    """Tell numba where to keep compiled code, before it is imported."""
    folder = compiled_code_folder()
    if not _is_writable(folder):
        # numba would refuse to compile at all: compiled for this process alone, then.
        folder = Path(_folder_of_process().name)
    os.environ[_VARIABLE] = str(folder)
    if "numba" in sys.modules:
        from numba.core import config

        # numba makes these names when it reads the environment.
        setattr(config, "CACHE_DIR", str(folder))  # noqa: B010


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


@cache
def _folder_of_process() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes with this process."""
    return temporary_folder("toolplanner-compiled-")


def _keep_compiled(module: ModuleType) -> None:
    """Keep what is compiled of a module's functions from now on."""
    from numba.core.caching import NullCache
    from numba.core.registry import CPUDispatcher

    for value in vars(module).values():
        if isinstance(value, CPUDispatcher) and isinstance(vars(value).get("_cache"), NullCache):
            value.enable_caching()
