"""Everyday queries that were written before any of them was run: none ends "solved" with an answer
to something else, and at least as many are answered rightly as when they were judged.

The offline planner over the demo world; one file for all, of which each run takes a copy.
"""

import asyncio
import json
import shutil
from pathlib import Path

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.workspace import Workspace

QUERIES: list[tuple[str, str]] = json.loads(
    (Path(__file__).parents[3] / "fixtures" / "held_out_queries.json").read_text("utf-8")
)["queries"]
RIGHT = 74
"""Of 176; the rest ends unsolved with a reason."""


def test_queries_when_run_then_right_or_unsolved_and_not_fewer_right(
    demo_file: Path, tmp_path: Path
) -> None:
    wrong: list[tuple[str, str]] = []
    n_right = 0
    for query, right in QUERIES:
        path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
        with Workspace.open(path) as workspace:
            done = asyncio.run(run(workspace, RunSpec(query=query)))
        path.unlink()
        if done.status is not Status.SOLVED:
            assert done.reason, query
        elif right and right in done.answer:
            n_right += 1
        else:
            wrong.append((query, done.answer))
    assert not wrong
    assert n_right >= RIGHT
