"""What a run weighs on disk: a thousand questions that share a prefix of 100 KB.

Target: 5 MB (LangGraph's checkpoints of the same: 107 MB).
"""

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.log.stored_runs import load_records
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import NewRun, create_run

QUESTIONS = 1000
TARGET_MB = 5.0
ROOT = NodePath("")
WORDS = " ".join(
    f"toolkit {number} answers questions of kind {number * 7}" for number in range(2200)
)
PREFIX = [
    {"role": "system", "content": WORDS[:60_000]},
    {"role": "user", "content": WORDS[60_000:80_000]},
    {"role": "assistant", "content": WORDS[80_000:100_000]},
]


def question(number: int) -> tuple[ModelAsked, ModelReplied]:
    """A question of its own behind the shared prefix, and its answer."""
    text = f"Question {number}: which toolkit serves step {number % 17}, and with which city?"
    asked = ModelAsked(
        question="act", version=1, title="Choose", model="m", temperature=0.3,
        messages=[*PREFIX, {"role": "user", "content": text}],
        schema={"type": "object", "properties": {"toolkit": {"type": "integer"}}},
        fingerprint=f"{number:016x}", occurrence=1, repair=0, retry=0,
    )  # fmt: skip
    data = {"toolkit": number % 50, "why": f"it is about step {number % 17}"}
    replied = ModelReplied(
        text=str(data), data=data, input_tokens=25_000, output_tokens=20, elapsed_ms=1.0, raw={}
    )
    return asked, replied


def size_mb(path: Path) -> float:
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6


def test_log_when_a_thousand_questions_share_a_prefix_then_it_is_stored_once(
    workspace: Workspace, record_property: Any
) -> None:
    run: RunId = create_run(workspace, NewRun(
        query="q", strategy="s", model="m", provider="p", options={}, status="running",
        started_us=0, app_version="0", process="",
    ))  # fmt: skip
    before_mb = size_mb(workspace.path)

    async def write() -> None:
        log = RunLog(workspace, run, clock=Clock())
        started = RunStarted(
            query="q", strategy="s", model="m", model_label="m", provider="p", options={},
            limits={}, seed=0, toolkits_version=1, app_version="0",
        )  # fmt: skip
        log.append(started, path=ROOT)
        for number in range(1, QUESTIONS + 1):
            path = NodePath(f"act.{number}")
            for event in question(number):
                log.append(event, path=path)
            if number % 50 == 0:
                await log.commit()
        log.append(RunFinished(status="solved", answer="", reason=""), path=ROOT)
        await log.close()

    asyncio.run(write())
    with contextlib.closing(sqlite3.connect(workspace.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    grown_mb = size_mb(workspace.path) - before_mb
    record_property("storage_1000_questions_mb", round(grown_mb, 2))
    print(f"storage_1000_questions_mb: {grown_mb:.2f}, target {TARGET_MB}")
    kept = load_records(workspace, run, NodePath("act.777"))[0].event
    assert kept == question(777)[0], "nothing of it is lost"
    assert grown_mb <= TARGET_MB
