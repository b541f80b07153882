"""The gateway on the standard streams of this process: one client, one session.

From the first moment stdout belongs to the protocol alone: whatever else prints, here or in a
library or a child process, ends up on stderr.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from toolplanner_core.serving.faces.protocol import client_of, protocol_server
from toolplanner_core.serving.tools import ServedTools

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from toolplanner_core.runs.config.spec import RunSummary
    from toolplanner_core.serving.session import ServingSession


@contextmanager
def stdout_for_protocol() -> Generator[TextIOWrapper]:
    """The real stdout; until the block ends, all others that write to stdout write to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    wire = TextIOWrapper(os.fdopen(os.dup(kept), "wb"), encoding="utf-8", newline="\n")
    try:
        with redirect_stdout(sys.stderr):
            yield wire
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        with suppress(OSError):  # nobody reads it any more
            wire.close()


async def serve_stdio(
    tools: ServedTools, new_session: "Callable[[str], ServingSession]", wire: TextIOWrapper
) -> "RunSummary | None":
    """Serve the client at the other end until it closes its side; the run of its session."""
    import anyio
    from mcp.server.stdio import stdio_server

    sessions: list[ServingSession] = []

    async def session_of(context: "ServerRequestContext[Any, Any]") -> "ServingSession":
        if not sessions:
            sessions.append(new_session(client_of(context)))
        return sessions[0]

    server = protocol_server(tools, session_of)
    try:
        async with stdio_server(stdout=anyio.wrap_file(wire)) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        ended = [await session.close() for session in sessions]
    return ended[0] if ended else None
