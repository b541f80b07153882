"""What a worker of a Dask cluster does: keep a copy of the workspace, and run trials in it.

Tasks and results travel as JSON; the workspace travels once to each worker, known by its SHA-256.
A worker's copy is its journal, in the folder that Dask gives it, and goes with it. Keys never
travel: a worker takes them from its own keychain or environment.
"""

import base64
import hashlib
import json
import platform
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolplanner_core
from toolplanner_core.domain.experiment import TrialResult
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.trial_runs import TrialRunner, TrialTask

if TYPE_CHECKING:
    from distributed import Worker

_lock = threading.Lock()
"""One trial at a time; the one that waits has its thread already."""
_runners: dict[str, TrialRunner] = {}


def describe_worker() -> str:
    """What must be the same on all machines, for `TrialTask` and results to be."""
    return f"ToolPlanner {toolplanner_core.__version__}, Python {platform.python_version()}"


def sha256_of(workspace: bytes) -> str:
    """The name by which a worker knows a copy of a workspace."""
    return hashlib.sha256(workspace).hexdigest()


def has_workspace(name: str, *, dask_worker: "Worker") -> bool:
    """Whether this worker has the workspace of an experiment; Dask says which worker it is."""
    return _journal(name, dask_worker).exists()


def keep_workspace(name: str, workspace: bytes, *, dask_worker: "Worker") -> None:
    """Write this worker's copy, unless it is there; Dask says which worker it is.

    Dask calls this in the worker's loop, one after the other: it waits for no trial.

    Raises:
        ValueError: it came damaged.
    """
    path = _journal(name, dask_worker)
    if path.exists():
        return
    if sha256_of(workspace) != name:
        raise ValueError("the workspace came damaged")
    part = path.with_suffix(".part")
    part.write_bytes(workspace)
    part.replace(path)


def run_trial(name: str, task: str) -> str:
    """Run a trial, or finish it, or only pack it, in this worker's journal."""
    from distributed import get_worker

    with _lock:
        if name not in _runners:
            _runners[name] = TrialRunner(_journal(name, get_worker()))
        return result_to_json(_runners[name].run(task_from_json(task), Progress()))


def task_to_json(task: TrialTask) -> str:
    """A task as it travels."""
    return json.dumps(asdict(task), ensure_ascii=False)


def task_from_json(text: str) -> TrialTask:
    """A task that travelled."""
    return from_plain(TrialTask, json.loads(text))


def result_to_json(result: TrialResult) -> str:
    """A result as it travels, its run in base64."""
    plain = asdict(replace(result, packed=b""))
    del plain["packed"]
    run = base64.b64encode(result.packed).decode("ascii")
    return json.dumps({"result": plain, "packed": run}, ensure_ascii=False)


def result_from_json(text: str) -> TrialResult:
    """A result that travelled.

    Raises:
        ValueError: it is none.
    """
    data: dict[str, Any] = json.loads(text)
    packed = base64.b64decode(data["packed"], validate=True)
    return replace(from_plain(TrialResult, data["result"]), packed=packed)


def _journal(name: str, worker: "Worker") -> Path:
    return Path(worker.local_directory) / f"{name[:32]}{SUFFIX}"
