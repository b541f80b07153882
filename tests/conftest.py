"""Fixtures of all tests: a fresh person, fresh workspaces, the real data beside the project."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fixtures.fresh_person import become_fresh_person
from fixtures.leftovers import Leftovers
from fixtures.real_home import RealHome
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from toolplanner_core.workspace import Workspace

REAL_HOME = RealHome()
HOME = become_fresh_person()
# The same examples on every machine and day, however busy it is; new ones in the full version.
settings.register_profile(
    "same",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default" if os.environ.get("TOOLPLANNER_BENCH") else "same")


def pytest_configure(config: pytest.Config) -> None:
    """Let a test fail itself that leaves something running, or looks into somebody's home."""
    config.pluginmanager.register(Leftovers())
    config.pluginmanager.register(REAL_HOME, "real_home")


def pytest_unconfigure() -> None:
    """Leave nothing of the fresh person behind."""
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def home() -> Path:
    """The folder that all of this session's person is in."""
    return HOME


@pytest.fixture
def workspace(tmp_path: Path) -> "Iterator[Workspace]":
    """An empty workspace in a folder of its own."""
    from toolplanner_core.workspace import Workspace

    with Workspace.create(tmp_path / "test.toolplanner") as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real catalogues; the test is skipped where it is not there."""
    folder = Path(
        os.environ.get("TOOLPLANNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
    )
    if not folder.is_dir():
        pytest.skip("needs the real catalogues of ../shared/data")
    return folder


@pytest.fixture(scope="session")
def whole_catalogue(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Workspace]":
    """ToolBench's 45,284 APIs with toolkits and regions: minutes, so for long measurements only.

    It is kept in the folder TOOLPLANNER_BENCH_CACHE, if set.
    """
    from toolplanner_core.curation.grouping.prepare import prepare
    from toolplanner_core.jobs.progress import Progress
    from toolplanner_core.sources.importing import import_source
    from toolplanner_core.workspace import Workspace

    kept = os.environ.get("TOOLPLANNER_BENCH_CACHE")
    file = (Path(kept) if kept else tmp_path_factory.mktemp("all")) / "prepared.toolplanner"
    if file.exists():
        with Workspace.open(file) as workspace:
            yield workspace
        return
    with Workspace.create(file) as workspace:
        archive = shared_data / "toolbench" / "toolenv.zip"
        import_source(workspace, archive, source_name="toolbench")
        prepare(workspace, embedder="words", progress=Progress())
        yield workspace


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder for `TOOLPLANNER_MODELS` where the trained embedder is; without it there is none.

    The test is skipped where the extra `sbert` is not installed.
    """
    from fixtures.minilm_cache import exported_minilm

    return exported_minilm()


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with vectors of lsa and a quick layout, made once: copy it before changing it.

    `toolplanner new --demo` takes ten seconds more, for a more beautiful map.
    """
    from toolplanner_core.curation.grouping.lay_out import lay_out
    from toolplanner_core.embedding.embed import embed
    from toolplanner_core.jobs.progress import Progress
    from toolplanner_core.providers.demo.filling import fill_demo_workspace
    from toolplanner_core.workspace import Workspace

    path = tmp_path_factory.mktemp("demo") / "demo.toolplanner"
    progress = Progress()
    with Workspace.create(path) as made:
        fill_demo_workspace(made, progress=progress)
        embed(made, "lsa", progress=progress)
        lay_out(made, method="pca", progress=progress)
    return path


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Path:
    """A copy of the demo workspace that a test may change."""
    return Path(shutil.copy(demo_file, tmp_path / "demo.toolplanner"))
