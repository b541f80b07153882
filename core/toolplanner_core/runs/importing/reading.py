"""Import a file of runs: find its format, store each run that can be read, report what cannot.

Every run is one transaction, so stopping half-way leaves whole runs only. What is already in the
workspace is never changed.
"""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.importing.jsonl import is_header, read_jsonl
from toolplanner_core.runs.importing.lines import Line, read_lines
from toolplanner_core.runs.importing.recorded_tree import to_new_run
from toolplanner_core.runs.importing.stabletoolbench import read_answers
from toolplanner_core.runs.importing.toolbench import BadTrace, ToolNames, read_trace
from toolplanner_core.runs.searching.search import index_run
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import IMPORT_MARK, NewRun, add_runs

_FORMATS = "our own JSON lines, ToolBench's traces, StableToolBench's answers"


class RejectedRun(NamedTuple):
    """What could not be read: "file, line 7", and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunImportReport:
    """What an import did.

    Attributes:
        format: "toolplanner", "toolbench" or "stabletoolbench".
        runs: numbers of the new runs, in the order of the file.
        events: events of all of them.
        verdicts: remarks of judges that came with them.
    """

    format: str
    runs: list[RunId]
    events: int
    verdicts: int
    rejected: list[RejectedRun]


class _Read(NamedTuple):
    line: int
    name: str
    run: NewRun | None
    problem: str
    verdicts: int = 0


def import_runs(
    workspace: Workspace, path: Path, *, progress: Progress | None = None
) -> RunImportReport:
    """Add all runs of a file. Blocks.

    Raises:
        BadInput: the file cannot be read, or its first readable line is of none of the formats.
        WorkspaceError: the workspace cannot be written; runs stored before stay.
        Cancelled: runs stored before stay.
    """
    path = Path(path)
    lines = read_lines(path)
    format_name, lines = _recognise(path, lines)
    runs: list[RunId] = []
    rejected: list[RejectedRun] = []
    events = verdicts = 0
    for read in _read(workspace, format_name, lines):
        if progress is not None:
            progress.report("Importing runs", len(runs), unit="runs")
        if read.run is None:
            name = f" ({read.name})" if read.name else ""
            rejected.append(RejectedRun(f"{path.name}, line {read.line}{name}", read.problem))
            continue
        cast("dict[str, Any]", read.run.options[IMPORT_MARK])["from"] = path.name
        runs += add_runs(workspace, [read.run])
        index_run(workspace, runs[-1])
        events += len(read.run.events)
        verdicts += read.verdicts
    return RunImportReport(
        format=format_name, runs=runs, events=events, verdicts=verdicts, rejected=rejected
    )


def _recognise(path: Path, lines: Iterator[Line]) -> tuple[str, Iterator[Line]]:
    """The format by the first line that is a JSON object, and all lines again."""
    seen: list[Line] = []
    for line in lines:
        seen.append(line)
        if line.problem:
            continue
        if is_header(line.data):
            name = "toolplanner"
        elif "trace" in line.data:
            name = "toolbench"
        elif "json" in line.data:
            name = "stabletoolbench"
        else:
            break
        return name, itertools.chain(seen, lines)
    why = (
        f"line {seen[-1].number}: {seen[-1].problem or 'unknown fields'}" if seen else "it is empty"
    )
    raise BadInput(
        "This file holds no runs that can be read",
        where=str(path),
        why=f"{why[:1].upper()}{why[1:]}",
        todo=f"Known are {_FORMATS}",
    )


def _read(workspace: Workspace, format_name: str, lines: Iterator[Line]) -> Iterator[_Read]:
    names = ToolNames(workspace)
    now_us = time.time_ns() // 1000
    if format_name == "toolplanner":
        for read in read_jsonl(lines):
            yield _Read(read.line, "", read.run, read.problem)
    elif format_name == "toolbench":
        for line in lines:
            yield _trace(line, names, now_us)
    else:
        for answer in read_answers(list(lines), names):
            run = None if answer.run is None else to_new_run(answer.run, imported_us=now_us)
            yield _Read(answer.line, answer.where, run, answer.problem, answer.verdicts)


def _trace(line: Line, names: ToolNames, now_us: int) -> _Read:
    if line.problem:
        return _Read(line.number, "", None, line.problem)
    file, trace = line.data.get("file"), line.data.get("trace")
    if not isinstance(file, str) or not isinstance(trace, dict):
        return _Read(line.number, "", None, "it has no file name and trace")
    try:
        recorded = read_trace(cast("dict[str, Any]", trace), file, names)
    except BadTrace as error:
        return _Read(line.number, file, None, str(error))
    return _Read(line.number, file, to_new_run(recorded, imported_us=now_us), "")
