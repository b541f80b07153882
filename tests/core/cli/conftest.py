"""What tests of the command line begin with."""

from pathlib import Path

import pytest
from fixtures.curated import curated_workspace
from fixtures.spoken_command import Speak, speak

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Speak:
    """Runs `toolplanner ARGUMENTS...` in this process."""
    return lambda *arguments: speak(capsys, *arguments)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A workspace with four toolkits."""
    workspace = curated_workspace(tmp_path)
    workspace.close()
    return workspace.path


@pytest.fixture
def ids(path: Path) -> dict[int, str]:
    """API id by row id."""
    with Workspace.open(path) as workspace:
        return {rowid: api.id for rowid, api in apis_by_rowid(workspace, range(1, 13)).items()}
