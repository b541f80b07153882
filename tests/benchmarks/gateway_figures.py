"""What the gateway takes over a large catalogue: the table of its design, on a workspace of yours.

    .venv/bin/python tests/benchmarks/gateway_figures.py --catalogue prepared.toolplanner

The client over stdio is a plain pipe, which takes none of the time. Times are medians and 99th
percentiles, with the processor time of the gateway beside them: what a busy machine adds is not in
that. Queries are StableToolBench's, with their APIs: each whole text is one need of `find_tools`.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gateway_load import PlainClient, memory_mb, processor_s
from fixtures.command_line import command_here
from fixtures.fresh_person import become_fresh_person
from fixtures.gateway_client import gateway_over_http
from fixtures.processes import python
from fixtures.query_sets import TEST_ONLY, Question, toolbench_sets

from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.marks import Exclude, Include
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.guard import gateway_token
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

STARTS, SEARCHES, CALLS, EDITS, SESSIONS = 5, 300, 300, 10, 100
DEPTH = 8
MADE_UP = "--allow-made-up"
MONEY = {"from": "USD", "to": "EUR", "amount": 250}
CALL = {"name": "ExchangeHub_Convert_currency", "arguments": MONEY}


class Pipe:
    """A client of 2025 at the other end of a gateway over stdio."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process, self._number = process, 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self.ask("initialize", **hello, clientInfo={"name": "figures", "version": "1"})
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while (answer := self.hear()).get("id") != self._number:
            pass
        return answer["result"]

    def tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The result of a tool."""
        return self.ask("tools/call", name=name, arguments=arguments)

    def hear(self) -> Any:
        """The next message."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()


@contextmanager
def piped(file: Path, *flags: str) -> Generator[Pipe]:
    command = ("-m", "toolplanner_core.cli", "serve", str(file), *flags)
    options = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": dict(os.environ)}
    with python(*command, **options) as process:
        yield Pipe(process)


def say(what: str, target: str, found: str) -> None:
    print(f"{what:48} {target:22} {found}", flush=True)


def of(took_s: list[float], used_s: float) -> str:
    """Median, 99th percentile and processor time of each."""
    ms = sorted(each * 1_000 for each in took_s)
    last = ms[min(len(ms) - 1, len(ms) * 99 // 100)]
    each_ms = used_s / len(ms) * 1_000
    return f"p50 {statistics.median(ms):.1f}, p99 {last:.1f} ms, processor {each_ms:.1f} ms each"


def first_list(file: Path) -> None:
    took_s: list[float] = []
    used_s = 0.0
    for _ in range(STARTS):
        began = time.perf_counter()
        with piped(file, MADE_UP) as pipe:
            assert len(pipe.ask("tools/list")["tools"]) == 4
            took_s.append(time.perf_counter() - began)
            used_s += processor_s(pipe.process.pid)
    say("stdio to first list, search", "1.5 s", of(took_s, used_s))


def flat_table(workspace: Workspace) -> None:
    search = WorkspaceCatalogue(workspace)
    catalogue = ServedCatalogue(workspace, ServingProfile(allows_made_up=True), search)
    began, used = time.perf_counter(), time.process_time()
    count = len(catalogue.listed())
    took, used = time.perf_counter() - began, time.process_time() - used
    search.close()
    say(f"flat table of {count:,}", "6 s", f"{took:.1f} s, processor {used:.1f} s")


def searches(file: Path, questions: list[Question]) -> None:
    with piped(file, MADE_UP) as pipe:
        pipe.tool("find_tools", {"need": "convert money"})
        took_s: list[float] = []
        used_s = processor_s(pipe.process.pid)
        for question in questions[:SEARCHES]:
            began = time.perf_counter()
            pipe.tool("find_tools", {"need": question.text, "limit": DEPTH})
            took_s.append(time.perf_counter() - began)
        used_s = processor_s(pipe.process.pid) - used_s
        say("search over MCP, whole queries", "p50 25, p99 120 ms", of(took_s, used_s))
        size = f"{memory_mb(pipe.process.pid):.0f} MB"
        say("memory after the searches", "260 MB", size)


def recall(workspace: Workspace, questions: list[Question]) -> None:
    search = WorkspaceCatalogue(workspace)
    catalogue = ServedCatalogue(workspace, ServingProfile(allows_made_up=True), search)

    async def found() -> list[set[str]]:
        hits = [await catalogue.search(question.text, DEPTH) for question in questions]
        return [{each.api.key for each in row} for row in hits]

    rows = list(zip(questions, asyncio.run(found()), strict=True))
    search.close()
    share = statistics.mean(len(q.gold & keys) / len(q.gold) for q, keys in rows)
    any_of = statistics.mean(bool(q.gold & keys) for q, keys in rows)
    target = "recall .63, any .79"
    say(f"find_tools@{DEPTH}, {len(rows)} queries", target, f"recall {share:.3f}, any {any_of:.3f}")


def added_by_a_call(demo: Path) -> None:
    with piped(demo) as pipe:
        pipe.tool("find_tools", {"need": "convert money"})
        pipe.tool("call_tool", CALL)
        took_s: list[float] = []
        used_s = processor_s(pipe.process.pid)
        for _ in range(CALLS):
            began = time.perf_counter()
            pipe.tool("call_tool", CALL)
            took_s.append(time.perf_counter() - began)
        used_s = processor_s(pipe.process.pid) - used_s
        say("added by a call over stdio", "p50 4, p99 15 ms", of(took_s, used_s))


def edits(demo: Path) -> None:
    """From the edit of another process to the next call that is refused or served again, and to the
    notification."""
    with Workspace.open(demo) as workspace:
        apis = apis_by_rowid(workspace, all_rowids(workspace))
        row = next(row for row, api in apis.items() if api.tool == "FxLine")
        flags = ("--mode", "flat", "--toolkit", "Currency exchange")
        with piped(demo, *flags) as pipe:
            pipe.ask("tools/list")
            called_s: list[float] = []
            told_s: list[float] = []
            arguments = {"source": "USD", "target": "EUR", "quantity": 1}
            for number in range(EDITS):
                is_out = number % 2 == 0
                do(workspace, Exclude(rowids=(row,)) if is_out else Include(rowids=(row,)))
                began = time.perf_counter()
                reply = pipe.tool("FxLine_Exchange", arguments)
                assert reply["isError"] is is_out, reply
                called_s.append(time.perf_counter() - began)
                while pipe.hear().get("method") != "notifications/tools/list_changed":
                    pass
                told_s.append(time.perf_counter() - began)
            say("edit to changed call", "0.2 s", of(called_s, 0))
            say("edit to notification", "3 s", of(told_s, 0))


def sessions(file: Path) -> None:
    async def connect(gateway: Any) -> tuple[float, float]:
        token = gateway_token()
        clients = [PlainClient(gateway, token, number) for number in range(SESSIONS + 1)]
        await clients[0].begin()
        before = memory_mb(gateway.process.pid)
        for client in clients[1:]:
            await client.begin()
        after = memory_mb(gateway.process.pid)
        for client in clients:
            await client.end()
        return before, after

    with gateway_over_http(file, MADE_UP, "--requests-a-second", "100000") as gateway:
        before, after = asyncio.run(connect(gateway))
    say(f"memory, and {SESSIONS} sessions more", "+40 MB", f"{before:.0f} +{after - before:.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--catalogue", type=Path, required=True, help="a prepared workspace")
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="its queries")
    given = options.parse_args()
    data = given.data.resolve()
    become_fresh_person()
    [questions] = [each.questions for each in toolbench_sets(data) if each.name == TEST_ONLY]
    with tempfile.TemporaryDirectory() as folder:
        demo, file = Path(folder) / "demo.toolplanner", Path(folder) / "all.toolplanner"
        assert command_here("new", "--demo", demo).status == 0
        shutil.copy(given.catalogue, file)
        added_by_a_call(demo)
        edits(demo)
        first_list(file)
        searches(file, questions)
        sessions(file)
        with Workspace.open(file) as workspace:
            recall(workspace, questions)
            flat_table(workspace)


if __name__ == "__main__":
    main()
