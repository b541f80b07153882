"""One thing is changed in the world of a recorded run: the replay stops where it first matters.

The log is written to a file, one message, argument, result or reply in it is changed at a seeded
place, and the file is imported again. What is found must be the first question or call that the
change reaches, not a later one.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_run import (
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    bad,
    make_api,
    make_parts,
    ok,
)

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(3)] for i in range(1, 5)}
NAMES = [api.name for members in KITS.values() for api in members]
CHANGES = 100 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 15
Rows = list[dict[str, Any]]


def marked(row: dict[str, Any], mark: str) -> bool:
    return mark in json.dumps(row["body"])


def change_message(rows: Rows, chance: random.Random) -> tuple[int, str] | None:
    """Change what a question said; found at that question."""
    row = chance.choice([row for row in rows if row["type"] == "model.asked"])
    message = chance.choice(row["body"]["messages"])
    message["content"] += "\nCHANGED"
    return row["seq"], "CHANGED"


def change_argument(rows: Rows, chance: random.Random) -> tuple[int, str] | None:
    """Change what a call was sent with; found at that call."""
    calls = [row for row in rows if row["type"] == "call.sent"]
    if not calls:
        return None
    row = chance.choice(calls)
    row["body"]["arguments"]["q"] = "CHANGED"
    return row["seq"], "CHANGED"


def change_result(rows: Rows, chance: random.Random) -> tuple[int, str] | None:
    """Change what an API answered; found at the first question or call that holds it."""
    results = [row for row in rows if row["type"] == "call.returned"]
    if not results:
        return None
    row = chance.choice(results)
    mark = json.loads(row["body"]["body"])["mark"]
    readers = [
        other
        for other in rows
        if other["seq"] > row["seq"] and other["type"] in ("model.asked", "call.sent")
    ]
    first = next((other for other in readers if marked(other, mark)), None)
    row["body"]["body"] = row["body"]["body"].replace(mark, f"CHANGED-{mark}")
    return (first["seq"], mark) if first is not None else None


def change_reply(rows: Rows, chance: random.Random) -> tuple[int, str] | None:
    """Change the arguments that a model filled in; found at the call that uses them."""
    replies = [
        row
        for row in rows
        if row["type"] == "model.replied" and "fill_arguments" in row["path"].rpartition("/")[2]
    ]
    if not replies:
        return None
    row = chance.choice(replies)
    attempt = row["path"].rpartition("/")[0]
    row["body"]["data"] = {"arguments": {"q": "CHANGED"}, "missing": []}
    sent = (r for r in rows if r["type"] == "call.sent" and r["path"].startswith(f"{attempt}/"))
    first = next(sent, None)
    return (first["seq"], "CHANGED") if first is not None else None


def record(workspace: Workspace, chance: random.Random) -> RunId:
    """A run whose results all hold a text of their own."""

    def answer(arguments: Any) -> Any:
        return ok({"mark": f"mark-{chance.randrange(10**9)}"})

    plans = [
        [
            ("find", chance.randint(1, 4), [i] if i and chance.random() < 0.5 else [])
            for i in range(3)
        ]
        for _ in range(3)
    ]
    replies = {name: bad(500) if chance.random() < 0.3 else answer for name in NAMES}
    model = ScriptedModel(
        plans=plans, arguments={name: {"q": f"filled for {name}"} for name in NAMES}
    )
    parts = make_parts(KITS, model, ScriptedProvider(dict(replies)))
    return asyncio.run(run(workspace, RunSpec(query="q"), parts=parts)).run


@pytest.mark.parametrize("change", [change_message, change_argument, change_result, change_reply])
def test_replay_when_one_thing_is_changed_then_found_where_it_first_matters(
    workspace: Workspace,
    tmp_path: Path,
    change: Callable[[Rows, random.Random], tuple[int, str] | None],
) -> None:
    chance = random.Random(f"{change.__name__} 5")
    found = 0
    for number in range(3 * CHANGES):
        run_id = record(workspace, chance)
        header, *lines = export_jsonl(workspace, [run_id])
        rows = [json.loads(line) for line in lines]
        expected = change(rows, chance)
        if expected is None:
            continue
        file = tmp_path / f"{number}.jsonl"
        file.write_text(header + "".join(f"{json.dumps(row)}\n" for row in rows))
        report = import_runs(workspace, file)
        assert not report.rejected
        shown = replay(workspace, report.runs[0], api_of=api_finder(KITS))
        assert not shown.identical
        assert shown.divergence is not None
        seq, mark = expected
        assert shown.divergence.seq == seq, (number, shown.divergence)
        changed = [line for line in shown.divergence.diff.splitlines() if line[:1] in "+-"]
        assert any(mark in line for line in changed), shown.divergence.diff
        assert len(changed) <= 8, "only what differs is shown"
        found += 1
        if found == CHANGES:
            break
    print(f"{change.__name__}: {found} found")
    assert found == CHANGES
