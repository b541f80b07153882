"""`make clients`: foreign programs list, search and call through the gateway, over stdio and HTTP.

Each client is one file here and has an environment of its own in build/clients, installed from the
network at the first time; with `--catalogue FILE` a large workspace is served after the demo. The
model of the agents is scripted: it finds a tool, calls it, and answers. Writes foreign_clients.md
into benchmarks/results; ends with 1 if a client could not do its part.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.command_line import command_here
from fixtures.environments import python_with
from fixtures.fresh_person import become_fresh_person
from fixtures.gateway_client import RunningGateway, gateway_over_http, over_stdio, texts_of
from fixtures.scripted_endpoint import Says, Turn, scripted_endpoint

from toolplanner_core.serving.guard import gateway_token

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENVIRONMENTS = ROOT / "build" / "clients"
RESULTS = ROOT / "tests" / "benchmarks" / "results" / "foreign_clients.md"
NEED = "convert an amount of money to another currency"
NODE = ["node@22", "@modelcontextprotocol/inspector@2.12.0",
        "@modelcontextprotocol/conformance@0.1.16"]  # fmt: skip
LONGEST_S = 300.0


@dataclass(frozen=True)
class ForeignClient:
    """A client: its script, what is installed for it ([] = Node.js), and its ways."""

    script: str
    packages: tuple[str, ...] = ()
    ways: tuple[str, ...] = ("stdio", "http")

    @property
    def name(self) -> str:
        return self.script.replace("_", " ")

    def command(self) -> list[str]:
        """What starts it, installed if it is not yet."""
        script = str(HERE / f"{self.script}.py")
        if not self.packages:
            return [sys.executable, script]
        return [str(python_with(ENVIRONMENTS / self.script, self.packages)), script]


CLIENTS = [
    ForeignClient("official_sdk", ("mcp==1.30.0",)),
    ForeignClient("fastmcp_client", ("fastmcp",)),
    ForeignClient("openai_agent", ("openai-agents",)),
    ForeignClient(
        "langchain_agent", ("langchain", "langchain-openai", "langchain-mcp-adapters==0.3.2")
    ),
    ForeignClient("inspector_cli"),
    ForeignClient("conformance", ways=("http",)),
]


@dataclass(frozen=True)
class Served:
    """A workspace, how it is served, and the call that an agent makes of what it found."""

    title: str
    file: Path
    flags: tuple[str, ...]
    name: str
    values: dict[str, Any]


def node_folder() -> Path:
    """Where the programs for Node.js are, installed if they are not yet."""
    folder = ENVIRONMENTS / "node"
    if not (folder / "node_modules" / ".bin" / "node").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", *NODE], cwd=folder, check=True)
    return folder


def outcome(client: ForeignClient, served: Served, way: str, gateway: RunningGateway) -> list[str]:
    """A row: what the client is, and what it could do."""
    folder = node_folder()
    script = [
        Turn(calls=[("find_tools", {"need": NEED})]),
        Turn(calls=[("call_tool", {"name": served.name, "arguments": served.values})]),
        Says("Done."),
    ]
    with scripted_endpoint(*script) as endpoint:
        scene = {
            "way": way,
            "command": sys.executable,
            "arguments": [*_SERVE, str(served.file), *served.flags],
            "url": gateway.address,
            "token": gateway_token(),
            "endpoint": endpoint.url,
            "need": NEED,
            "name": served.name,
            "values": served.values,
        }
        search = os.pathsep.join([str(folder / "node_modules" / ".bin"), os.environ["PATH"]])
        done = subprocess.run(
            [*client.command(), json.dumps(scene), str(folder)],
            capture_output=True, text=True, timeout=LONGEST_S, check=False,
            env=os.environ | {"PATH": search},
        )  # fmt: skip
    first = [client.name, "", way, served.title]
    if done.returncode:
        print(done.stderr[-3_000:], file=sys.stderr)
        said = [line for line in done.stderr.splitlines() if "Error" in line] or ["nothing"]
        return [*first, "", "", "", said[-1][:120]]
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    first[1] = seen["version"]
    is_found, is_called = served.name in seen["found"], bool(seen["answer"])
    wrong = "" if is_found and is_called else "the tool was not found, or not called"
    return [*first, str(len(seen["tools"])), _yes(is_found), _yes(is_called), wrong]


_SERVE = ("-m", "toolplanner_core.cli", "serve")


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def workspaces(folder: Path, catalogue: Path | None) -> Iterator[Served]:
    """What is served, one after the other."""
    demo = folder / "demo.toolplanner"
    done = command_here("new", "--demo", demo)
    assert done.status == 0, done.err
    money = {"from": "USD", "to": "EUR", "amount": 250}
    yield Served("demo", demo, (), "ExchangeHub_Convert_currency", money)
    if catalogue is not None:
        copy = Path(shutil.copy(catalogue, folder / "catalogue.toolplanner"))
        flags = ("--allow-made-up",)
        yield Served("catalogue", copy, flags, *_first_found(copy, flags))


def _first_found(file: Path, flags: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """The first API that is found for the need, and values that its schema takes."""

    async def talk(client: Any) -> tuple[str, dict[str, Any]]:
        found = texts_of(await client.call_tool("find_tools", {"need": NEED}))[0]
        name = found.partition(" (")[0]
        described = json.loads(texts_of(await client.call_tool("describe_tool", {"name": name}))[0])
        schema = described["inputSchema"]
        kinds = {
            each: schema["properties"][each].get("type") for each in schema.get("required", ())
        }
        return name, {
            each: 1 if kind in ("number", "integer") else "1" for each, kind in kinds.items()
        }

    return over_stdio(file, talk, *flags)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--catalogue", type=Path, help="a prepared workspace with many APIs")
    options.add_argument("--only", help="the script of one client")
    given = options.parse_args()
    become_fresh_person()
    columns = ["client", "version", "way", "workspace", "listed", "found", "called", "failed"]
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for served in workspaces(Path(folder), given.catalogue):
            with gateway_over_http(served.file, *served.flags) as gateway:
                for client in CLIENTS:
                    for way in client.ways if given.only in (None, client.script) else ():
                        rows.append(outcome(client, served, way, gateway))
                        print(*rows[-1], sep=" | ", flush=True)
    lines = [columns, ["---"] * len(columns), *rows]
    RESULTS.parent.mkdir(exist_ok=True)
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    RESULTS.write_text(f"# Foreign clients at the gateway\n\n{table}\n", encoding="utf-8")
    sys.exit(any(row[-1] for row in rows))


if __name__ == "__main__":
    main()
