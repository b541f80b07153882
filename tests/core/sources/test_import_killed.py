"""An import that is killed or runs out of disk in a process of its own: the workspace survives."""

import os
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from fixtures.processes import python

from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count

CHILD = """
import sys
from pathlib import Path
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.identity import make_api_id
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace

path, moment, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def stop_here(what):
    if what == moment:
        print("stopped", flush=True)
        sys.stdin.read()

def apis():
    for number in range(8_500):
        if number == 8_200:
            stop_here("reading")
        names = dict(category="C", tool="T", name=f"api {number}", method="GET", url="")
        yield Api(
            id=make_api_id(source="new", **names), source="new", key=f"C/T/{number}",
            description="word " * 40, tool_description="", parameters={"type": "object"},
            response_schema=None, risk=Risk.READ, doc_hash=str(number), **names,
        )

if limit:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
workspace = Workspace.open(path)
listener = lambda report: stop_here(report.stage)
try:
    import_apis(workspace, apis(), source_name="new", format_id="x", location="here",
                progress=Progress(listener))
except ToolPlannerError as error:
    print(type(error).__name__, error.sentence)
"""


def state(workspace: Workspace) -> list[tuple]:
    db = workspace.reader()
    return [
        db.execute(f"SELECT count(*) FROM {table}").fetchone()
        for table in ("apis", "apis_fts", "tools", "sources")
    ]


@pytest.fixture
def filled(tmp_path, tool) -> Path:
    """A closed workspace with something in it."""
    import json

    from toolplanner_core.sources.importing import import_source

    (tmp_path / "W").mkdir()
    (tmp_path / "W" / "a.json").write_text(json.dumps(tool()))
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        import_source(workspace, tmp_path / "W")
    return path


def start(path: Path, moment: str, limit: int = 0) -> AbstractContextManager[subprocess.Popen[str]]:
    return python("-c", CHILD, path, moment, limit, stdin=subprocess.PIPE)


@pytest.mark.parametrize("moment", ["reading", "Storing"])
def test_import_when_killed_then_the_old_catalogue_opens_without_leftovers(filled, moment):
    with start(filled, moment) as child:
        assert child.stdout.readline() == "stopped\n"
        with Workspace.open(filled) as beside:
            # The import still runs: what it has staged is not anybody's to clean.
            staged = beside.reader().execute("SELECT count(*) FROM import_staging").fetchone()[0]
            assert staged >= 4_000
            assert state(beside) == [(1,), (1,), (1,), (1,)]
        child.kill()
    with Workspace.open(filled) as workspace:
        assert state(workspace) == [(1,), (1,), (1,), (1,)]
        assert workspace.reader().execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert workspace.reader().execute("SELECT * FROM import_staging").fetchone() is None
        report = import_apis(workspace, [], source_name="n", format_id="x", location="here")
        assert report.added == 0


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes, which Windows has not")
@pytest.mark.parametrize("limit_bytes", [400_000, 3_000_000, 6_000_000])
def test_import_when_files_cannot_grow_then_it_says_so_and_changes_nothing(filled, limit_bytes):
    with start(filled, "never", limit_bytes) as child:
        said, _ = child.communicate(timeout=120)
    assert said.startswith("WorkspaceFull w.toolplanner: The disk is full"), said
    assert child.returncode == 0
    with Workspace.open(filled) as workspace:
        assert state(workspace) == [(1,), (1,), (1,), (1,)]
        assert workspace.reader().execute("SELECT * FROM import_staging").fetchone() is None
        assert api_count(workspace) == 1
