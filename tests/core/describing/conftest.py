"""A demo workspace whose toolkits a rule named."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.workspace import Workspace


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Iterator[Workspace]:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        # People wrote the texts of the demo's toolkits: here a rule did.
        rule = "name_author = 'rule', description_author = 'rule', pinned = 0"
        workspace.writer.run(lambda db: db.execute(f"UPDATE toolkits SET {rule}"), durable=True)
        yield workspace
