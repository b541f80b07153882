"""`toolplanner serve` beside a window that serves: its client is the window's, and is served on
whatever ends or begins. Clients are the SDK's, over real pipes."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from fixtures.gateway_client import over_stdio, texts_of
from fixtures.hub_process import hub_here, hub_process
from fixtures.mcp_world import until
from fixtures.notes_server import Notes, answered
from fixtures.processes import python

from toolplanner_core.domain.plan import Status
from toolplanner_core.jobs.process_identity import is_alive, this_process
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.serving.faces.stdio import reach_hub
from toolplanner_core.serving.hub import Hub, enter_hub, find_hub, leave_hub
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.tickets import tickets_folder, waiting_tickets
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import rows_with_status

CALL = {
    "name": "ExchangeHub_Convert_currency",
    "arguments": {"from": "USD", "to": "EUR", "amount": 250},
}
NEED = {"need": "convert an amount of money to another currency"}
WRITING = ("--mode", "flat", "--allow", "write")


@pytest.fixture
def slow_notes(notes: Notes) -> Generator[Notes]:
    """Whose server says nothing to who lists, until the test has ended."""
    may_answer = threading.Event()

    def slowly(handler: Any) -> None:
        if handler.command == "GET":
            may_answer.wait()
        answered(handler)

    notes.site.on("/notes", slowly)
    yield notes
    may_answer.set()


def is_listing(notes: Notes) -> bool:
    """Whether a call of the notes has come, and waits for its answer."""
    return any(each.method == "GET" for each in notes.site.asked)


def runs_of(workspace: Path) -> list[tuple[Status, int]]:
    """Of each run, the first one first: how it ended, and the calls in it."""
    with Workspace.open(workspace) as opened:
        mark_interrupted(opened)
        found = [(run.status, load_tree(opened, run.run).nodes) for run in list_runs(opened)]
    return [
        (status, sum(node.kind == "request" for node in nodes.values()))
        for status, nodes in reversed(found)
    ]


def process_of(workspace: Path) -> list[int]:
    """The processes of the runs that go on."""
    with Workspace.open(workspace) as opened:
        going = rows_with_status(opened, Status.RUNNING)
    return [int(row.process.split(":")[1]) for row in going]


async def convert(client: Any) -> None:
    """Call an API, and see that it answers."""
    [text, *_] = texts_of(await client.call_tool("call_tool", CALL))
    assert json.loads(text)["result"] == pytest.approx(218.91)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_client_when_a_window_begins_and_stops_to_serve_then_it_moves_and_notices_only_new_runs(
    demo: Path, era: str
) -> None:
    told: list[str] = []

    async def hear(message: Any) -> None:
        told.append(getattr(message, "method", ""))

    async def talk(client: Any) -> list[str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("find_tools", NEED)
        await convert(client)
        with hub_here(demo):
            while process_of(demo) != [os.getpid()]:
                await convert(client)
        await convert(client)
        assert process_of(demo) != [os.getpid()]
        return names

    names = over_stdio(demo, talk, "--mode", "search", era=era, message_handler=hear)
    assert names == ["find_tools", "describe_tool", "call_tool", "more"]
    assert [status for status, _ in runs_of(demo)] == [Status.SERVED] * 3
    assert ("notifications/tools/list_changed" in told) is (era == "legacy"), "it lists anew"
    assert find_hub(demo) is None


def test_window_when_it_is_killed_in_the_middle_of_a_call_then_the_agent_is_told_and_served_on(
    slow_notes: Notes,
) -> None:
    notes = slow_notes

    async def talk(client: Any) -> tuple[Any, Any]:
        ticket = (await client.call_tool("Notes_createNote", {"text": "a"})).meta
        assert len(waiting_tickets()) == 1
        broken = asyncio.ensure_future(client.call_tool("Notes_listNotes", {}))
        await until(lambda: is_listing(notes))
        window.kill()
        window.wait()
        told = await broken
        assert waiting_tickets() == [], "nobody waits any more"
        gone = await client.call_tool("more", ticket["toolplanner/served"])
        assert gone.is_error
        notes.site.on("/notes", answered)
        return told, await client.call_tool("Notes_listNotes", {})

    with hub_process(notes.file) as window:
        told, again = over_stdio(notes.file, talk, *WRITING)
    assert told.is_error
    assert "has ended in the middle of the call" in texts_of(told)[0]
    assert not again.is_error
    assert runs_of(notes.file) == [(Status.INTERRUPTED, 2), (Status.SERVED, 1)]
    assert [each.method for each in notes.site.asked] == ["GET", "GET"], "nothing is asked twice"


CLIENT = """
import json, subprocess, sys
command = [sys.executable, "-m", "toolplanner_core.cli", *sys.argv[1:]]
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
bridge = subprocess.Popen(command, text=True, **pipes)
who = {"protocolVersion": "2025-11-25", "capabilities": {}}
who |= {"clientInfo": {"name": "c", "version": "1"}}
calls = {"Notes_createNote": {"text": "a"}, "Notes_listNotes": {}}
for number, (method, params) in enumerate([("initialize", who), ("notifications/initialized", {}),
        *(("tools/call", {"name": name, "arguments": given}) for name, given in calls.items())]):
    said = {"jsonrpc": "2.0", "method": method, "params": params}
    said |= {} if method.startswith("n") else {"id": number}
    bridge.stdin.write(json.dumps(said) + chr(10))
bridge.stdin.flush()
print(bridge.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.name != "posix", reason="other systems know no such signals")
@pytest.mark.parametrize("killed", ["client", "bridge"])
def test_client_or_its_bridge_when_killed_then_nothing_is_left_and_no_call_is_lost(
    slow_notes: Notes, killed: str
) -> None:
    notes = slow_notes

    async def gone(pid: int) -> None:
        await until(lambda: not Path(f"/proc/{pid}").exists() or _is_dead(pid))

    with hub_here(notes.file):
        command = ("-c", CLIENT, "serve", notes.file, *WRITING)
        with python(*command, stdin=subprocess.PIPE) as client:
            assert client.stdout is not None
            bridge = int(client.stdout.readline())
            asyncio.run(until(lambda: is_listing(notes) and waiting_tickets()))
            os.kill(client.pid if killed == "client" else bridge, signal.SIGKILL)
            asyncio.run(gone(bridge))
            asyncio.run(until(lambda: process_of(notes.file) == []))
        assert waiting_tickets() == []
    assert runs_of(notes.file) == [(Status.SERVED, 2)]
    assert [each.method for each in notes.site.asked] == ["GET"], "nobody allowed the other"


def _is_dead(pid: int) -> bool:
    """Whether a process has ended, and only nobody has asked how."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


BRIDGE = """
import sys
from toolplanner_core.cli.app import run_command_line
run_command_line(["serve", sys.argv[1]])
print(*sys.modules)
"""


def test_bridge_when_a_hub_serves_then_nothing_of_the_gateway_is_loaded(demo: Path) -> None:
    """An agent waits for it to start, and its memory is in the window already."""
    with hub_here(demo):
        done = subprocess.run(
            [sys.executable, "-c", BRIDGE, demo],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert done.stderr == "", "it serves nothing itself"
    ours = "toolplanner_core."
    heavy = {"mcp", "sklearn", f"{ours}serving.tools", f"{ours}runs.engine.runner", f"{ours}llm"}
    assert set(done.stdout.split()) & heavy == set()


def test_hub_when_asked_without_its_token_or_for_what_it_refuses_then_it_serves_nobody(
    demo: Path,
) -> None:
    with hub_here(demo):
        hub = find_hub(demo)
        assert hub is not None
        assert hub.token not in repr(hub)
        link = reach_hub(hub, ServingProfile())
        assert link is not None
        link.close()
        for token in ("", "x" * len(hub.token), hub.token[:-1], f"{hub.token} "):
            forged = Hub(process=hub.process, port=hub.port, token=token)
            assert reach_hub(forged, ServingProfile()) is None
        too_long = ServingProfile(mode=ServingMode.FLAT)
        assert reach_hub(hub, too_long) is None
    assert reach_hub(hub, ServingProfile()) is None, "it has gone"


def hub_file(workspace: Path) -> Path:
    """Where the hub of a workspace is found."""
    [path] = tickets_folder().with_name("gateway-hubs").glob(f"*-{workspace.stat().st_ino:x}.json")
    return path


def test_hub_when_there_are_two_then_the_first_is_found_until_it_leaves(demo: Path) -> None:
    first = enter_hub(demo, port=1)
    assert first is not None
    assert enter_hub(demo, port=2) is None
    linked = demo.with_name("link.toolplanner")
    linked.symlink_to(demo)
    assert find_hub(linked) == find_hub(demo) == first
    if os.name == "posix":
        assert stat.S_IMODE(hub_file(demo).stat().st_mode) == 0o600
    leave_hub(demo, Hub(process=first.process, port=2, token="of another"))
    assert find_hub(demo) == first
    leave_hub(demo, first)
    assert find_hub(demo) is None


@pytest.mark.parametrize("wrong", ["killed", "pid reused", "others may read it", "no JSON"])
def test_hub_when_its_file_is_not_that_of_a_living_one_then_it_is_removed(
    demo: Path, wrong: str
) -> None:
    hub = enter_hub(demo, port=1)
    assert hub is not None
    path = hub_file(demo)
    if wrong == "others may read it":
        path.chmod(0o640)
    elif wrong == "no JSON":
        path.write_text("{")
    else:
        kind, pid, *rest = this_process().split(":")
        pid, rest = ("99999999", rest) if wrong == "killed" else (pid, ["0", *rest[1:]])
        process = ":".join([kind, pid, *rest])
        assert not is_alive(process)
        path.write_text(json.dumps({"process": process, "port": hub.port, "token": hub.token}))
    assert find_hub(demo) is None
    assert not path.exists()
    again = enter_hub(demo, port=2)
    assert again is not None
    leave_hub(demo, again)
