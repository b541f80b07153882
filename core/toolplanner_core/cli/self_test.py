"""`toolplanner self-test`: try each part for real in a throw-away folder and say what works here.

Packagers run it on a built program; people run it when something does not work.

The smallest server of the Model Context Protocol: one tool, which says again what it is told.

`toolplanner self-test --as-server` is one, so that the self-test and the test of installers need no
other program. It is not written with the SDK: what is tried is our side, against plain messages.

What the self-test tries of the parts that reach outside: documents, servers, programs, keys.

Nothing here needs a network, and no keychain of the person is written to.
"""

import asyncio
import importlib.util
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

import toolplanner_core.cli
from toolplanner_core.cases.case_runs import run_case
from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.operation import Origin
from toolplanner_core.domain.program import HostCall
from toolplanner_core.embedding.minilm import find_files, silent_onnxruntime
from toolplanner_core.embedding.torch_device import devices_in_worker
from toolplanner_core.errors import EmbedderUnavailable, ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.keys import KeyLocation, KeyName, KeyStore, system_keychain
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.resources import build_info, install_hint, resource_root
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.runs.demo.demo_workspace import make_demo_workspace
from toolplanner_core.runs.presentation.run_list import status_words
from toolplanner_core.sandbox.monty import run_program
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.toolkits import list_toolkits

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_TOOL: dict[str, Any] = {
    "name": "echo",
    "description": "Says a text again.",
    "inputSchema": _TEXT,
    "annotations": {"readOnlyHint": True},
}
_UNKNOWN_METHOD = -32601


def serve() -> None:
    """Answer the messages on standard input until it ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            said = {"jsonrpc": "2.0", "id": message["id"], **_answer(message)}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


def _answer(message: Mapping[str, Any]) -> dict[str, Any]:
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            result: dict[str, Any] = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "self-test", "version": "1"},
            }
        case "tools/list":
            result = {"tools": [_TOOL]}
        case "tools/call":
            text = params["arguments"]["text"]
            result = {"content": [{"type": "text", "text": text}]}
        case unknown:
            return {"error": {"code": _UNKNOWN_METHOD, "message": f"Unknown method: {unknown}"}}
    return {"result": result}


_DOCUMENT = """
openapi: 3.0.0
info: {title: Rates, version: "1"}
paths:
  /rates/{currency}:
    get:
      operationId: list_rates
      parameters: [{name: currency, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: The rates}}
"""
_PROGRAM = "total = 0\nfor n in range(4):\n    total += double(n=n)\nprint(total)\n"
_PRINTED = "12"


def openapi_document(folder: Path) -> str:
    """Read an OpenAPI document, in YAML."""
    path = folder / "rates.yaml"
    path.write_text(_DOCUMENT, encoding="utf-8")
    plugin = sources.get("openapi")
    read = plugin.read(Location.of(path), plugin.options(), source="rates")
    names = [record.name for record in read if isinstance(record, Api)]
    if names != ["list_rates"]:
        raise ToolPlannerError(f"what was found is not the one API that is there: {names}")
    return names[0]


def mcp_over_stdio() -> str:
    """Start a server, which is this program, ask for its tools and call one."""
    args, settings = ("self-test", "--as-server"), dict[str, str]()
    if not getattr(sys, "frozen", False):
        args = ("-m", toolplanner_core.cli.__name__, *args)
        settings["PYTHONPATH"] = str(Path(toolplanner_core.__file__).parents[1])
    spec = ServerSpec(name="self-test", command=sys.executable, args=args, settings=settings)

    async def converse() -> str:
        connection = Connection(spec, {})
        await connection.open()
        try:
            tools = await connection.listing(timeout_s=START_S)
            done = await connection.call("echo", {"text": "hello"}, timeout_s=START_S)
        finally:
            await connection.close()
        if "hello" not in str(done.content):
            raise ToolPlannerError(f"the tool answered {done.content}")
        return counted(len(tools.tools), "tool")

    try:
        return asyncio.run(converse())
    except McpFailure as failure:
        raise ToolPlannerError(str(failure)) from failure


def sandboxed_program() -> str:
    """Run a program that calls a function, as a model would write one."""

    async def answer(call: HostCall) -> int:
        return 2 * int(call.arguments["n"])

    end = asyncio.run(
        run_program(
            _PROGRAM, functions=("double",), answer=answer, now=datetime.now(UTC), seed="self-test"
        )
    )
    if not end.ok or end.printed.strip() != _PRINTED:
        raise ToolPlannerError(f"the program ended otherwise: {end}")
    return f"printed {_PRINTED}"


def keychain(folder: Path) -> str:
    """Keep a key without a keychain, and say which one this system has."""
    origin = Origin.of("https://self-test.invalid")
    keys = KeyStore(folder / "keys.json", ring=lambda: None, environment={})
    is_kept = keys.save(KeyName(origin), "value") is KeyLocation.SESSION
    if not is_kept or keys.find(origin, "any") != "value":
        raise ToolPlannerError("a key is not kept where there is no keychain")
    ring = system_keychain()
    if ring is None:
        return "none is open: keys are kept until the program ends"
    return f"{type(ring).__module__}.{type(ring).__name__}"


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
    built = build_info()
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
            _check("torch", _torch, is_needed=False),
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
        return f"{result.case}: {status_words(result.summary)}"


def _onnxruntime() -> str:
    import numpy as np

    onnxruntime = silent_onnxruntime()
    session = onnxruntime.InferenceSession(_IDENTITY, providers=["CPUExecutionProvider"])
    given = np.ones(3, dtype=np.float32)
    if not np.array_equal(session.run(None, {"x": given})[0], given):
        raise ToolPlannerError("onnxruntime computes wrongly")
    return str(onnxruntime.__version__)


def _torch() -> str:
    if importlib.util.find_spec("torch") is None:
        raise EmbedderUnavailable("torch is not installed", todo=install_hint("sbert"))
    device, version = run_in_worker(devices_in_worker, progress=Progress(), what="self-test")
    return f"{version}, computes on {device}"


def _weights() -> str:
    return str(find_files().model)
