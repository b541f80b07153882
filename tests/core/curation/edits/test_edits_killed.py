"""kill -9 in the middle of edits: every acknowledged edit is there, and nothing is half done."""

import os
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from fixtures.processes import python

from tests.fixtures.curated import curated_workspace, state_of
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import path_to_root
from toolplanner_core.domain.ids import EditId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import parents, read_forward, read_head

_KILLS = 200 if os.environ.get("TOOLPLANNER_BENCH") else 20


def killed(path: Path, seed: int, dice: random.Random) -> list[str]:
    """Start the process, kill it after some edits at any moment, give the lines it wrote."""
    with python("-m", "fixtures.killed_curation", path, seed) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(dice.randint(1, 25))]
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=dice.uniform(0, 0.02))
        process.kill()
        rest, _ = process.communicate(timeout=120)
    # The last line can be cut off; the edit before it was acknowledged in any case.
    return [line for line in "".join([*lines, rest]).split("\n")[:-1] if line]


def assert_whole(workspace: Workspace, start: CuratedState) -> None:
    """Tables and history agree, and the file is sound."""
    with workspace.snapshot() as db:
        tables = CuratedState.read(db)
        line = path_to_root(parents(db), read_head(db))
        for edit in reversed(line):
            start.apply(read_forward(db, edit))
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchone() is None
    assert start.toolkits == tables.toolkits
    assert start.toolkit_of == tables.toolkit_of
    assert start.excluded == tables.excluded
    assert {m.toolkit for m in tables.toolkit_of.values()} <= tables.toolkits.keys()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
@pytest.mark.timeout(0 if _KILLS > 20 else 600)
def test_edits_when_the_process_is_killed_at_any_moment_then_no_acknowledged_one_is_lost(
    tmp_path: Path,
) -> None:
    dice = random.Random(20261121)
    acknowledged: set[EditId] = set()
    in_flight = 0
    with curated_workspace(tmp_path) as workspace:
        path = workspace.path
    for kill in range(_KILLS):
        lines = killed(path, kill, dice)
        said = [EditId(int(line.split()[1])) for line in lines]
        acknowledged |= {
            edit for line, edit in zip(lines, said, strict=True) if line.startswith("edit")
        }
        with Workspace.open(path) as workspace:
            with workspace.snapshot() as db:
                before, head = parents(db), read_head(db)
            assert acknowledged <= before.keys()
            # At most the one that was under way when it was killed came after the last word.
            is_next = before.get(head) == said[-1] or before.get(said[-1]) == head
            assert head == said[-1] or is_next
            in_flight += head != said[-1]
            with curated_workspace_start(tmp_path) as fresh:
                assert_whole(workspace, state_of(fresh))
    print(f"{_KILLS} kills, {len(acknowledged)} acknowledged edits, {in_flight} in flight stored")


def curated_workspace_start(folder: Path) -> Workspace:
    """The workspace before the first edit."""
    fresh = folder / "fresh"
    fresh.mkdir(exist_ok=True)
    return curated_workspace(fresh)
