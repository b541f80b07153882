"""VS Code: servers of a workspace, for its agent mode.

Source: https://code.visualstudio.com/docs/copilot/chat/mcp-servers ("Configuration format").
"""

from toolplanner_core.serving.client_config import (
    SERVER,
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
    json_text,
)


def write(command: GatewayCommand) -> str:
    """The object in `mcp.json`, which is not called as elsewhere."""
    return json_text({"servers": {SERVER: {"type": "stdio", **command.server}}})


def write_address(address: GatewayAddress) -> str:
    """The object in the same file; the token is asked for once and kept in its own keychain."""
    token = {
        "type": "promptString",
        "id": address.variable,
        "description": "Token of the gateway of ToolPlanner",
        "password": True,
    }
    headers = address.headers("${input:NAME}")
    server = {"type": "http", "url": address.url, "headers": headers}
    return json_text({"inputs": [token], "servers": {SERVER: server}})


PLUGIN = ClientPlugin(
    id="vscode",
    title="VS Code",
    place=".vscode/mcp.json in the folder of the project",
    write=write,
    write_address=write_address,
)
