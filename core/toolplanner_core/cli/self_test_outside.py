"""What the self-test tries of the parts that reach outside: documents, servers, programs, keys.

Nothing here needs a network, and no keychain of the person is written to.
"""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

import toolplanner_core.cli
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.origin import Origin
from toolplanner_core.domain.program import HostCall
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.keys import KeyName, KeyStore, Where, system_ring
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.spec import ServerSpec
from toolplanner_core.sandbox.monty import run_program
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.words.wording import counted

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
    is_kept = keys.save(KeyName(origin), "value") is Where.SESSION
    if not is_kept or keys.find(origin, "any") != "value":
        raise ToolPlannerError("a key is not kept where there is no keychain")
    ring = system_ring()
    if ring is None:
        return "none is open: keys are kept until the program ends"
    return f"{type(ring).__module__}.{type(ring).__name__}"
