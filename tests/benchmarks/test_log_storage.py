"""What a run weighs on disk: a thousand questions that share a prefix of 100 KB.

Target: 5 MB (LangGraph's checkpoints of the same: 107 MB).
"""

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

from fixtures.logged_questions import empty_run, log_questions, question

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.log.stored_runs import load_records
from toolplanner_core.workspace import Workspace

QUESTIONS = 1000
TARGET_MB = 5.0


def size_mb(path: Path) -> float:
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6


def test_log_when_a_thousand_questions_share_a_prefix_then_it_is_stored_once(
    workspace: Workspace, record_property: Any
) -> None:
    run = empty_run(workspace)
    before_mb = size_mb(workspace.path)
    asyncio.run(log_questions(workspace, run, QUESTIONS))
    with contextlib.closing(sqlite3.connect(workspace.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    grown_mb = size_mb(workspace.path) - before_mb
    record_property("storage_1000_questions_mb", round(grown_mb, 2))
    print(f"storage_1000_questions_mb: {grown_mb:.2f}, target {TARGET_MB}")
    kept = load_records(workspace, run, NodePath("act.777"))[0].event
    assert kept == question(777)[0], "nothing of it is lost"
    assert grown_mb <= TARGET_MB
