"""Runs as JSON lines, without loss: what another workspace can open as if it had run there.

A file holds one run after the other. Each begins with a header line and goes on with its events in
order, all texts in their places; the header names the model of each role, and what was said of the
answer::

    {"format": "toolplanner-run", "version": 1, "run": 7, "events": 42, "query": ..., "fork": null}
    {"seq": 1, "wall_us": ..., "mono_ns": 0, "type": "run.started", "path": "", ..., "body": {}}

`events` is their number, so a file that was cut off is noticed. A fork comes with its prefix, so
the file needs no parent. Events of a type that this program does not know are written as they are.
Read by `runs/importing/jsonl.py`.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.llm.model import EXAMPLE_WORDS, is_example
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.log.stored_runs import get_summary, iter_full_rows
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import StoredRow, last_seq
from toolplanner_core.workspace.runs import IMPORT_MARK, RunRow, get_run

FORMAT = "toolplanner-run"
VERSION = 1

AS_STORED = (
    "query", "strategy", "model", "provider", "status", "answer", "totals", "started_us",
    "ended_us",
)  # fmt: skip
"""What the header of a run holds as its row does."""


def export_jsonl(workspace: Workspace, runs: Iterable[RunId]) -> Iterator[str]:
    """The lines of a file, each with its line end; read from the workspace while they are taken.

    Events that a run gets after its header was made are left out, so the number in it holds.

    Raises:
        NotFound: no such run.
    """
    for run in runs:
        row = get_run(workspace, run)
        count = last_seq(workspace, run) or int(row.fork_seq or 0)
        yield _line(_header(row, count) | _told(get_summary(workspace, run)))
        for event in iter_full_rows(workspace, run, upto=count):
            yield _line(_event(event))


def _header(row: RunRow, count: int) -> dict[str, Any]:
    options = dict(row.options)
    mark = options.pop(IMPORT_MARK, None)
    fork: Any = mark.get("fork") if isinstance(mark, dict) else None  # pyright: ignore[reportUnknownMemberType]
    if row.parent_run is not None:
        fork = {"run": row.parent_run, "seq": row.fork_seq}
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": row.id,
        "fork": fork,
        "events": count,
        **({"label": EXAMPLE_WORDS} if is_example(row.model) else {}),
        "options": options,
        **{name: getattr(row, name) for name in AS_STORED},
    }


def _told(summary: RunSummary) -> dict[str, Any]:
    """What a row does not hold: verdicts are given later, and roles have defaults."""
    return {"models": dict(summary.models), "verdicts": list(summary.verdicts)}


def _event(row: StoredRow) -> dict[str, Any]:
    data = row._asdict()
    del data["run"]
    return {**data, "body": data.pop("event")}


def _line(data: dict[str, Any]) -> str:
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if not line.isascii():
        try:
            line.encode()
        except UnicodeEncodeError:  # half of a surrogate pair: only its escape can be written
            line = json.dumps(data, separators=(",", ":"))
    return f"{line}\n"
