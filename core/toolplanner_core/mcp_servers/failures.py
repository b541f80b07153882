"""What went wrong with a server, as an error class and a sentence; found out here once for all."""

from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.errors import NetworkRefused
from toolplanner_core.mcp_servers.stdio_transport import ServerNotStarted


class McpFailure(Exception):
    """A server cannot be started or reached, does not answer, or answers with an error.

    Attributes:
        error: its class.
        message: for people, without a full stop.
        is_forgotten: the server does not know the session any more; a new one may be begun.
    """

    def __init__(self, error: ErrorClass, message: str, *, is_forgotten: bool = False) -> None:
        self.error = error
        self.message = message
        self.is_forgotten = is_forgotten
        super().__init__(message)


def failure_of(raised: BaseException, last_words: str = "") -> McpFailure:
    """What an exception of the SDK, the system or the network means.

    Args:
        last_words: how the server's process ended and what it said.
    """
    import httpx2
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
    from pydantic import ValidationError

    while isinstance(raised, BaseExceptionGroup):
        raised = raised.exceptions[0]
    said = f" ({last_words})" if last_words else ""
    match raised:
        case McpFailure():
            return raised
        case ServerNotStarted():
            return McpFailure(ErrorClass.NETWORK, str(raised))
        # Servers say -32000 and -32001 of anything; by its words it is the SDK that speaks.
        case MCPError(code=code, message="Connection closed") if code == CONNECTION_CLOSED:
            return McpFailure(ErrorClass.NETWORK, f"the server has ended{said}")
        case MCPError(code=code, message=words) if code == CONNECTION_CLOSED and words.startswith(
            "SSE stream"
        ):
            return McpFailure(ErrorClass.NETWORK, words)
        case MCPError(code=code, message=words) if (
            code == REQUEST_TIMEOUT and words.startswith("Request ") and words.endswith("timed out")
        ):
            return McpFailure(ErrorClass.TIMEOUT, f"the server does not answer{said}")
        case MCPError(code=code, message=message):
            return _failure_of(code, message, raised.error.data)
        case TimeoutError() | httpx2.TimeoutException():
            return McpFailure(ErrorClass.TIMEOUT, f"the server does not answer{said}")
        case NetworkRefused():
            return McpFailure(ErrorClass.BLOCKED_BY_POLICY, raised.sentence.rstrip("."))
        case httpx2.HTTPError() | OSError():
            return McpFailure(ErrorClass.NETWORK, f"{raised or type(raised).__name__}{said}")
        case ValidationError():
            first = raised.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            message = f"what it says does not fit the protocol: {where}: {first['msg']}"
            return McpFailure(ErrorClass.BAD_PAYLOAD, message[:500])
        case RuntimeError():
            # RuntimeError: no version of the protocol is spoken by both.
            return McpFailure(ErrorClass.BAD_PAYLOAD, str(raised)[:500])
        case _:
            message = f"{type(raised).__name__}: {raised}{said}"
            return McpFailure(ErrorClass.SERVER_ERROR, message[:2_000])


FAILURE = "toolplanner/failure"
"""Key of a failure in the data of an error that a transport of ours has made."""
_SHOWN_DATA = 500
_CLASSES = frozenset(each.value for each in ErrorClass)


def failure_data(error: ErrorClass, *, is_forgotten: bool = False) -> dict[str, Any]:
    """Data of an error, from which `failure_of` makes a failure of this class."""
    return {FAILURE: [error.value, is_forgotten]}


def _failure_of(code: int, message: str, data: Any) -> McpFailure:
    """What an error says; its data where that is more words."""
    match data:
        case {"toolplanner/failure": [str() as error, bool() as is_forgotten]} if error in _CLASSES:
            return McpFailure(ErrorClass(error), message[:2_000], is_forgotten=is_forgotten)
        case str() if data.strip() and data not in message:
            message = f"{message}: {data[:_SHOWN_DATA]}"
        case {"message": str() as more} | {"details": str() as more} if more not in message:
            message = f"{message}: {more[:_SHOWN_DATA]}"
        case _:
            pass
    return McpFailure(_BY_CODE.get(code, ErrorClass.SERVER_ERROR), message[:2_000])


_BY_CODE = {
    -32700: ErrorClass.BAD_PAYLOAD,  # parse error
    -32602: ErrorClass.INVALID_PARAMETER,
    -32601: ErrorClass.NOT_FOUND,
    -32002: ErrorClass.NOT_FOUND,  # resource not found
}
"""Source: JSON-RPC 2.0, section 5.1; MCP 2025-11-25, "Resources: Error Handling"."""
