"""Whatever is edited on a part of a real catalogue: what the edit does not name keeps its name."""

import random
import shutil
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest
from fixtures.real_apis import read_apis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.curated import edits, state_of
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import CuratedToolkit, add_curated_toolkits

_TOOLS, _SIZE, _EDITS = 40, 6, 6


@pytest.fixture(scope="module")
def part(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with APIs of forty tools of ToolBench, six of a category a toolkit, all named by
    rule."""
    folder = tmp_path_factory.mktemp("part")
    with zipfile.ZipFile(shared_data / "toolbench" / "toolenv.zip") as archive:
        tools = [name for name in archive.namelist() if name.endswith(".json")]
        for name in random.Random(5).sample(sorted(tools), _TOOLS):
            archive.extract(name, folder / "tools")
    path = folder / "part.toolplanner"
    with Workspace.create(path) as workspace:
        apis = read_apis(folder / "tools")
        import_apis(
            workspace, apis, source_name="toolbench", format_id="toolbench", location="a test",
            is_whole=True,
        )  # fmt: skip
        rowids = sorted(state_of(workspace).rowids)
        of_category: dict[str, list[int]] = defaultdict(list)
        for rowid, api in apis_by_rowid(workspace, rowids).items():
            of_category[api.category].append(rowid)
        add_curated_toolkits(
            workspace,
            [
                CuratedToolkit(
                    name=f"{category} {begin}",
                    description="",
                    members=rowids[begin : begin + _SIZE],
                )
                for category, rowids in of_category.items()
                for begin in range(0, len(rowids), _SIZE)
            ],
        )
        sql = "UPDATE toolkits SET name_author = 'rule'"
        workspace.writer.run(lambda db: db.execute(sql), durable=True)
    return path


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_names_when_anything_is_edited_then_only_what_the_edit_names_is_called_otherwise(
    part: Path, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(part, folder))
        with Workspace.open(path) as workspace:
            for _ in range(_EDITS):
                before = state_of(workspace)
                wanted = data.draw(edits(before))
                try:
                    history.do(workspace, wanted)
                except BadInput:
                    continue
                after = state_of(workspace)
                for toolkit, fields in before.toolkits.items():
                    if toolkit in after.toolkits and toolkit != named_by(wanted):
                        assert after.toolkits[toolkit].name == fields.name
                history.undo(workspace)
                assert state_of(workspace).toolkits == before.toolkits
                history.redo(workspace)


def named_by(edit: Edit) -> int | None:
    """The living toolkit that an edit gives a name."""
    match edit:
        case Rename():
            return edit.toolkit
        case Merge():
            return edit.into if edit.name else None
        case _:
            return None
