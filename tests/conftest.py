"""Fixtures of all tests: fresh workspaces and the real data beside the project."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.workspace import Workspace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """An empty workspace in a folder of its own."""
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
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared demo workspace, made once for all tests of a session: copy it before changing."""
    from toolplanner_core.demo.workspace import make_demo_workspace
    from toolplanner_core.jobs.progress import Progress

    path = tmp_path_factory.mktemp("demo") / "demo.toolplanner"
    make_demo_workspace(path, progress=Progress())
    return path
