"""Phoenix with its SQLite: spans sent over OTLP, seen over its API, and 50,000 read whole.

Arguments: a folder.
"""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
from events import CALLS, EVENTS, OPENED, say, seconds_until
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PAGE, BATCH = 1_000, 500


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def spans(first: int, number: int) -> bytes:
    """So many spans of one trace, as they are sent."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for place in range(first, first + number):
        span = scope.spans.add()
        span.trace_id, span.span_id = bytes(15) + b"\x01", (place + 1).to_bytes(8, "big")
        span.name = "call"
        span.start_time_unix_nano = time.time_ns()
        span.end_time_unix_nano = span.start_time_unix_nano + 1_000_000
        value = span.attributes.add()
        value.key, value.value.string_value = "output.value", f'{{"temperature": {place}}}'
    return request.SerializeToString()


class Phoenix:
    def __init__(self, address: str) -> None:
        self._http = httpx.Client(base_url=address, timeout=60)
        self.sent = 0

    def is_there(self) -> bool:
        try:
            return self._http.get("/healthz").status_code == 200
        except httpx.HTTPError:
            return False

    def send(self, number: int) -> None:
        for first in range(0, number, BATCH):
            body = spans(self.sent + first, min(BATCH, number - first))
            headers = {"Content-Type": "application/x-protobuf"}
            while (reply := self._http.post("/v1/traces", content=body, headers=headers)).is_error:
                assert reply.status_code in (429, 503), reply.text
                time.sleep(0.05)
        self.sent += number

    def count(self) -> int:
        query = "{ projects { edges { node { recordCount } } } }"
        reply = self._http.post("/graphql", json={"query": query}).json()
        return sum(edge["node"]["recordCount"] for edge in reply["data"]["projects"]["edges"])

    def read(self) -> int:
        """All spans, page by page; how many."""
        read, cursor = 0, None
        while True:
            at = {"limit": PAGE, **({"cursor": cursor} if cursor else {})}
            page = self._http.get("/v1/projects/default/spans", params=at).json()
            read, cursor = read + len(page["data"]), page["next_cursor"]
            if not cursor:
                return read


port = free_port()
environment = os.environ | {
    "PHOENIX_WORKING_DIR": sys.argv[1], "PHOENIX_PORT": str(port), "PHOENIX_HOST": "127.0.0.1",
    "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_TELEMETRY_ENABLED": "false",
}  # fmt: skip
with subprocess.Popen(
    [str(Path(sys.executable).with_name("phoenix")), "serve"],
    env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
) as server:  # fmt: skip
    try:
        phoenix = Phoenix(f"http://127.0.0.1:{port}")
        while not phoenix.is_there():
            assert server.poll() is None, "it ended"
            time.sleep(0.2)
        calls_s = list[float]()
        for _ in range(CALLS):
            began = time.perf_counter()
            phoenix.send(1)
            calls_s.append(seconds_until(phoenix.count, phoenix.sent, began))
        began = time.perf_counter()
        phoenix.send(EVENTS)
        events_s = seconds_until(phoenix.count, phoenix.sent, began)
        phoenix.send(OPENED - phoenix.sent)
        seconds_until(phoenix.count, OPENED, time.perf_counter())
        began = time.perf_counter()
        assert phoenix.read() == OPENED
        opened_s = time.perf_counter() - began
    finally:
        server.terminate()
say(calls_s, events_s, opened_s)
