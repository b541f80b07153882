"""What `--print-config` prints is what each program reads, and starts the gateway."""

import ast
import json
import os
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.gateway_client import gateway_over_http

from toolplanner_core.serving.client_config import clients
from toolplanner_core.serving.guard import TOKEN_VARIABLE, gateway_token
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace


def of_json(text: str) -> list[str]:
    read = json.loads(text)
    [server] = (read.get("mcpServers") or read["servers"]).values()
    return [server["command"], *server["args"]]


def of_toml(text: str) -> list[str]:
    [server] = tomllib.loads(text)["mcp_servers"].values()
    return [server["command"], *server["args"]]


def of_python(text: str) -> list[str]:
    program = "async def f():\n" + "\n".join(f"    {line}" for line in text.splitlines())
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Dict) and "command" in (k.value for k in node.keys):  # type: ignore[union-attr]
            server = ast.literal_eval(node)
            return [server["command"], *server["args"]]
    raise AssertionError(text)


READERS: dict[str, Callable[[str], list[str]]] = {
    "codex": of_toml,
    "openai-agents": of_python,
    "langchain": of_python,
    "python": of_python,
    "inspector": lambda text: shlex.split(text)[2:],
}


def test_clients_when_listed_then_the_eleven_of_the_help_are_there() -> None:
    named = "".join(command_here("serve", "--help").out.split())
    assert len(list(clients)) == 11
    assert all(client.id in named for client in clients)


@pytest.mark.parametrize("client", [client.id for client in clients])
def test_config_when_printed_then_its_command_serves_this_workspace(
    demo: Path, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo.parent)
    done = command_here(
        "serve", demo.name, "--toolkit", "1", "--allow-made-up", "--print-config", client
    )
    assert done.status == 0, done.err
    assert clients.get(client).place in done.err
    command = READERS.get(client, of_json)(done.out)
    assert Path(command[0]).is_absolute()
    assert Path(command[0]).exists()
    flags: list[Any] = ["serve", str(demo), "--toolkit", "1", "--allow-made-up"]
    assert command[-len(flags) :] == flags


def test_config_when_its_command_is_started_then_it_lists_the_tools(demo: Path) -> None:
    done = command_here("serve", demo, "--mode", "search", "--print-config", "claude-code")
    command = [*of_json(done.out), "--dry-list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert json.loads(listed.stdout)[0]["name"] == "find_tools"


@pytest.mark.parametrize("asked", [("--print-config", "claude-code"), ("--dry-list",)])
def test_config_when_the_gateway_would_not_start_then_it_says_so_beside_it(
    workspace: Workspace, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    """Whoever pastes it would else only read in the agent's program that a server has ended."""
    source = tmp_path / "functions.json"
    schema = {"type": "object", "properties": {}}
    source.write_text(json.dumps([{"name": "greet", "description": "Hi.", "parameters": schema}]))
    import_source(workspace, source)
    done = command_here("serve", workspace.path, *asked)
    assert done.status == 0
    assert json.loads(done.out)
    assert "It will not start yet" in done.err
    assert "--allow-made-up" in done.err
    allowed = command_here("serve", workspace.path, "--allow-made-up", *asked)
    assert "will not start" not in allowed.err


def run_program(folder: Path, text: str, **variables: str) -> str:
    """What a program of a person prints, as it was pasted."""
    file = folder / "agent.py"
    file.write_text(text, encoding="utf-8")
    environment = os.environ | variables
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_program_in_python_when_pasted_and_run_then_it_lists_the_tools(
    demo: Path, tmp_path: Path
) -> None:
    """As it is, over standard streams and by the address of a gateway."""
    flags = ("--mode", "search")
    started = command_here("serve", demo, *flags, "--print-config", "python")
    assert len(started.out.splitlines()) <= 12
    assert run_program(tmp_path, started.out).startswith("find_tools - ")
    with gateway_over_http(demo, *flags) as gateway:
        asked = command_here("serve", demo, "--http", str(gateway.port), "--print-config", "python")
        said = run_program(tmp_path, asked.out, **{TOKEN_VARIABLE: gateway_token()})
    assert said.startswith("find_tools - ")


WITH_HTTP = [client.id for client in clients if client.write_address is not None]
ADDRESS = "http://127.0.0.1:8765/mcp"


@pytest.mark.parametrize("client", WITH_HTTP)
def test_config_for_http_when_printed_then_it_has_the_address_and_no_token(
    demo: Path, client: str
) -> None:
    token = gateway_token()
    done = command_here("serve", demo, "--http", "8765", "--print-config", client)
    assert done.status == 0, done.err
    assert ADDRESS in done.out
    assert token not in done.out + done.err
    assert client == "inspector" or TOKEN_VARIABLE in done.out
    if client == "codex":
        assert tomllib.loads(done.out)["mcp_servers"]["toolplanner"]["url"] == ADDRESS
    elif client in ("openai-agents", "langchain", "python"):
        compile(f"async def f():\n{textwrap.indent(done.out, '    ')}", client, "exec")
    elif client != "inspector":
        read = json.loads(done.out)
        [server] = (read.get("mcpServers") or read["servers"]).values()
        assert server["headers"]["Authorization"].startswith("Bearer $")


def test_config_for_http_when_it_cannot_be_then_it_says_what_to_do(demo: Path) -> None:
    refused = command_here("serve", demo, "--http", "8765", "--print-config", "claude-desktop")
    assert (refused.status, refused.out) == (2, "")
    assert "Leave out --http" in refused.err
    refused = command_here("serve", demo, "--http", "0", "--print-config", "cursor")
    assert (refused.status, refused.out) == (2, "")
    assert "Name a port" in refused.err
