"""`toolplanner self-test`: try each part for real in a throw-away folder and say what works here.

Packagers run it on a built program; people run it when something does not work.
"""

import asyncio
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.self_test_outside import (
    keychain,
    mcp_over_stdio,
    openapi_document,
    sandboxed_program,
)
from toolplanner_core.cli.self_test_server import serve
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.embedding.minilm_files import find_files
from toolplanner_core.embedding.minilm_session import silent_onnxruntime
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.resources import resource_root, what_is_built
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.runs.cases import run_case
from toolplanner_core.runs.demo_workspace import make_demo_workspace
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.toolkits import list_toolkits

_IDENTITY = bytes.fromhex(
    "08083a370a100a017812017922084964656e746974791201675a0f0a0178120a0a08080112040a020803620f0a0179"
    "120a0a08080112040a02080342040a00100d"
)
"""The smallest ONNX model: y = x, three numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One part that was tried. `is_needed` False: the program works without it."""

    name: str
    passed: bool
    detail: str
    seconds: float
    is_needed: bool = True


@click.command("self-test")
@click.option("--as-server", is_flag=True, hidden=True, help="Be the MCP server that is tried.")
@json_option
def self_test(as_server: bool, as_json: bool) -> int:
    """Try each part of the program on this machine; exit status 1 when one that is needed fails."""
    if as_server:
        serve()
        return 0
    built = what_is_built()
    checks = _all_checks()
    failed = [check for check in checks if check.is_needed and not check.passed]
    if as_json:
        print_json({"version": built.version, "build": asdict(built),
                    "python": sys.version.split()[0],
                    "system": platform.platform(), "passed": not failed,
                    "checks": [asdict(check) for check in checks]})  # fmt: skip
        return 1 if failed else 0
    print_line(f"ToolPlanner {built}, Python {sys.version.split()[0]}, {platform.platform()}")
    for check in checks:
        word = "ok" if check.passed else ("FAILED" if check.is_needed else "not here")
        print_line(f"  {word:<9}{check.name:<28}{check.seconds:6.2f} s  {check.detail}")
    print_line("All that is needed works." if not failed else f"{len(failed)} checks failed.")
    return 1 if failed else 0


def _all_checks() -> list[Check]:
    with tempfile.TemporaryDirectory(prefix="toolplanner-self-test-") as folder:
        path = Path(folder) / "demo.toolplanner"
        return [
            _check("resources", lambda: str(resource_root())),
            _check("demo workspace and layout", lambda: _demo(path)),
            _check("search", lambda: _search(path)),
            _check("a run with fallbacks", lambda: _case(path)),
            _check("onnxruntime", _onnxruntime),
            _check("an OpenAPI document", lambda: openapi_document(Path(folder))),
            _check("a server of tools", mcp_over_stdio),
            _check("a program in the sandbox", sandboxed_program),
            _check("keychain", lambda: keychain(Path(folder))),
            _check("weights of minilm", _weights, is_needed=False),
        ]


def _check(name: str, work: Callable[[], str], *, is_needed: bool = True) -> Check:
    began_s = time.monotonic()
    try:
        detail, passed = work(), True
    except (ToolPlannerError, OSError, ImportError) as error:
        detail, passed = str(error), False
    seconds = round(time.monotonic() - began_s, 3)
    return Check(name=name, passed=passed, detail=detail, seconds=seconds, is_needed=is_needed)


def _demo(path: Path) -> str:
    make_demo_workspace(path, progress=Progress())
    with Workspace.open(path) as workspace:
        return counted(len(list_toolkits(workspace)), "toolkit")


def _search(path: Path) -> str:
    with Workspace.open(path) as workspace:
        return HybridIndex(workspace).search("convert dollars to euros", 1)[0].api.title


def _case(path: Path) -> str:
    with Workspace.open(path) as workspace:
        result = asyncio.run(run_case(workspace, list_cases(workspace)[0]))
        if not result.passed:
            raise ToolPlannerError("; ".join(result.why))
        return f"{result.case}: {result.summary.status}"


def _onnxruntime() -> str:
    import numpy as np

    onnxruntime = silent_onnxruntime()
    session = onnxruntime.InferenceSession(_IDENTITY, providers=["CPUExecutionProvider"])
    given = np.ones(3, dtype=np.float32)
    if not np.array_equal(session.run(None, {"x": given})[0], given):
        raise ToolPlannerError("onnxruntime computes wrongly")
    return str(onnxruntime.__version__)


def _weights() -> str:
    return str(find_files().model)
