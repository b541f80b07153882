"""The smallest server of the Model Context Protocol: one tool, which says again what it is told.

`toolplanner self-test --as-server` is one, so that the self-test and the test of installers need no
other program. It is not written with the SDK: what is tried is our side, against plain messages.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

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
