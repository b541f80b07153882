"""A server's process and the messages to and from it, one per line.

No shell; a minimal environment; an empty working folder, or the one that its configuration names
and its person has consented to; a group of its own, which is killed as a whole within a second,
also when the program is killed (Linux: by the kernel; elsewhere servers see the end of their
input). Lines that are no messages are passed over, however many; a line that does not end is the
end of the connection, unless it is a whole message and no more comes: some servers end a message by
a carriage return, by nothing, or say its length before it.

It is written beside the SDK's `stdio_client`, which waits up to four seconds for a server that does
not end, reads a line into memory whatever its length, and leaves servers behind when this program
is killed. On Windows that one is used: there it holds its processes in a job object.

Source: MCP 2025-11-25, "Transports" and "Lifecycle: Shutdown"; design/security.md, "MCP servers".
"""

import asyncio
import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolplanner_core.jobs.temporary_folders import temporary_folder
from toolplanner_core.mcp_servers.messages import MessageReader, is_whole
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.mcp_servers.variables import expand_variables

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

LONGEST_LINE = 16_000_000
"""Bytes of one message; a server that writes more without ending a line is left."""
MOST_NOISE = 10_000
"""Lines in a row that are no messages; a server that writes more is left."""
_QUIET_S = 0.05
"""After so long without another byte, what came may be a message without an end of line."""
_PIECE = 65_536
ENDS_BY_ITSELF_S = 0.4
"""How long a server may take after its input has ended, and again after being asked to stop."""
_TOLD = 4_000
_PR_SET_PDEATHSIG = 1


class ServerNotStarted(Exception):
    """The program is not there, or the system refuses to start it."""


class StdioTransport:
    """One start of a server; a transport for the SDK's client.

    Args:
        secrets: values of `spec.secrets`, by name.
    """

    def __init__(self, spec: ServerSpec, secrets: Mapping[str, str]) -> None:
        self._spec = spec
        self._environment = environment_of(spec, secrets)
        self._process: asyncio.subprocess.Process | None = None
        self._complaints = b""
        self._noise = ""
        self._is_silent = False
        self._reader = MessageReader()
        self._streams: contextlib.AbstractAsyncContextManager[Any] | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or nothing will be heard of it any more."""
        has_ended = self._process is not None and self._process.returncode is not None
        return has_ended or self._is_silent

    @property
    def last_words(self) -> str:
        """How it ended and what it said last that was no message, for people."""
        ended = self._process.returncode if self._process else None
        parts = [] if ended is None else [f"exit code {ended}" if ended >= 0 else _signal(-ended)]
        said = self._complaints.decode("utf-8", "replace").strip().splitlines() or [self._noise]
        return ": ".join(filter(None, [*parts, said[-1].strip()[:300]]))

    async def __aenter__(self) -> "TransportStreams":
        """Start it.

        Raises:
            ServerNotStarted: it cannot be.
        """
        self._streams = self._started()
        return await self._streams.__aenter__()

    async def __aexit__(self, *raised: Any) -> bool | None:
        """End it with all that it has started."""
        assert self._streams is not None
        return await self._streams.__aexit__(*raised)

    @contextlib.asynccontextmanager
    async def _started(self) -> "AsyncGenerator[TransportStreams]":
        spec, environment = self._spec, self._environment
        program = _program_of(spec, environment.get("PATH"))
        with _folder_for(spec) as folder:
            try:
                if sys.platform == "win32":
                    from mcp import StdioServerParameters, stdio_client

                    with Path(os.devnull).open("w", encoding="utf-8") as unheard:  # noqa: ASYNC230
                        parameters = StdioServerParameters(
                            command=program, args=list(spec.args), env=environment, cwd=folder
                        )
                        async with stdio_client(parameters, unheard) as streams:
                            yield streams
                    return
                self._process = await asyncio.create_subprocess_exec(
                    program,
                    *spec.args,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    cwd=folder,
                    env=environment,
                    limit=LONGEST_LINE,
                    start_new_session=True,
                    preexec_fn=_dies_with_parent,
                )
            except (OSError, ValueError) as error:
                raise ServerNotStarted(f"it cannot be started: {error}") from error
            async with self._talking(self._process) as streams:
                yield streams

    @contextlib.asynccontextmanager
    async def _talking(
        self, process: asyncio.subprocess.Process
    ) -> "AsyncGenerator[TransportStreams]":
        import anyio
        from mcp.shared.message import SessionMessage

        incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.ensure_future(work)
            for work in (
                self._read(process, incoming),
                self._write(process, outgoing, incoming),
                self._listen(process),
            )
        ]
        try:
            yield read_stream, write_stream
            read_stream.close()
            write_stream.close()
            await _end(process)
        finally:
            # Also where this task is cancelled, when nothing may wait any more, and once more then.
            _kill_group(process)
            try:
                await _ended(process)
            finally:
                for task in tasks:
                    task.cancel()
                for stream in (incoming, read_stream, write_stream, outgoing):
                    stream.close()
                process._transport.close()  # type: ignore[attr-defined]  # pyright: ignore
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, process: asyncio.subprocess.Process, incoming: Any) -> None:
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        assert process.stdout is not None
        noisy_lines = 0
        try:
            async for line in _lines(process.stdout):
                messages = self._reader.read_line(line)
                if not messages:
                    self._noise = line[:_TOLD].decode("utf-8", "replace").strip() or self._noise
                    noisy_lines += 1
                    if noisy_lines > MOST_NOISE:
                        self._noise = f"it wrote {MOST_NOISE:,} lines that are no messages"
                        return
                    continue
                noisy_lines = 0
                for each in messages:
                    message = jsonrpc_message_adapter.validate_python(each, by_name=False)
                    await incoming.send(SessionMessage(message))
        except ValueError:
            self._noise = f"it wrote more than {LONGEST_LINE:,} bytes without ending a line"
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            pass
        finally:
            self._is_silent = True
            incoming.close()

    async def _write(
        self, process: asyncio.subprocess.Process, outgoing: Any, incoming: Any
    ) -> None:
        assert process.stdin is not None
        try:
            async for message in outgoing:
                sent = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
                self._reader.sent(sent)
                process.stdin.write(json.dumps(sent).encode() + b"\n")
                await process.stdin.drain()
        except OSError:
            incoming.close()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while piece := await process.stderr.read(65_536):
            self._complaints = (self._complaints + piece)[-_TOLD:]


async def _lines(stdout: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    """What is written, line by line, with the ends of the lines.

    Raises:
        ValueError: a line is longer than `LONGEST_LINE`.
    """
    rest = bytearray()
    is_over = False
    while not is_over:
        may_be_whole = rest.rstrip().endswith((b"}", b"]"))
        try:
            async with asyncio.timeout(_QUIET_S if may_be_whole else None):
                piece = await stdout.read(_PIECE)
        except TimeoutError:
            if is_whole(rest.decode("utf-8", "replace")):
                yield bytes(rest)
                rest.clear()
                continue
            piece = await stdout.read(_PIECE)
        is_over, searched = not piece, len(rest)
        rest += piece
        begin = 0
        while end := rest.find(b"\n", max(begin, searched)) + 1:
            yield bytes(rest[begin:end])
            begin = end
        del rest[:begin]
        if len(rest) > LONGEST_LINE:
            raise ValueError("a line does not end")
    if rest:
        yield bytes(rest)


def _program_of(spec: ServerSpec, path: str | None) -> str:
    command = spec.command
    if spec.folder:
        if not Path(spec.folder).is_dir():
            raise ServerNotStarted(f"there is no folder {spec.folder!r} on this machine")
        if Path(command).name != command:  # a path is seen from the folder
            command = str(Path(spec.folder) / command)
    program = shutil.which(command, path=path)
    if program is None:
        raise ServerNotStarted(f"there is no program {spec.command!r} on this machine")
    return program


def _folder_for(spec: ServerSpec) -> contextlib.AbstractContextManager[str]:
    if spec.folder:
        return contextlib.nullcontext(spec.folder)
    return temporary_folder("toolplanner-mcp-")


def environment_of(spec: ServerSpec, secrets: Mapping[str, str]) -> dict[str, str]:
    """All that a server sees of the environment: what every program needs, and what its
    configuration names; ``${NAME}`` and ``${env:NAME}`` there stand for our own variables."""
    from mcp.client.stdio import get_default_environment

    named = {**spec.settings, **secrets}
    return {**get_default_environment(), **{key: expand_variables(named[key]) for key in named}}


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask it to end: by the end of its input, then by a signal; the caller kills what is left."""
    assert sys.platform != "win32"  # there the SDK's own client starts and ends it
    if process.stdin is not None:
        process.stdin.close()
    if not await _ended(process):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> bool:
    # Not `process.wait`: it also waits for children that have inherited the pipes.
    for _ in range(40):
        if process.returncode is not None:
            return True
        await asyncio.sleep(ENDS_BY_ITSELF_S / 40)
    return False


def _kill_group(process: asyncio.subprocess.Process) -> None:
    assert sys.platform != "win32"
    # The group may outlive its leader.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _signal(number: int) -> str:
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"


def _parent_death_signal() -> Callable[[], None] | None:
    """What a child does before it becomes the server, so that the kernel ends it with us."""
    if sys.platform != "linux":
        return None
    # Looked up here: between fork and exec only what is there already may be used.
    prctl = ctypes.CDLL(None).prctl
    number = int(signal.SIGKILL)
    return lambda: prctl(_PR_SET_PDEATHSIG, number)


_dies_with_parent = _parent_death_signal()
