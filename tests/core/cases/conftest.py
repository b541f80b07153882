"""The demo, opened for tests that ask what edits do to the plans of its saved queries."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.workspace import Workspace


@pytest.fixture
def workspace(demo: Path) -> Iterator[Workspace]:
    with Workspace.open(demo) as opened:
        yield opened
