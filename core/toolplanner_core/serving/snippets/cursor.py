"""Cursor: servers of all projects, or of one.

Source: https://docs.cursor.com/context/model-context-protocol ("Configuration locations").
"""

from toolplanner_core.serving.client_config import (
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
    mcp_servers,
)


def write(command: GatewayCommand) -> str:
    """The object in `mcp.json`; names of server and tool have 60 letters together there."""
    return mcp_servers(command.server)


def write_address(address: GatewayAddress) -> str:
    """The object in the same file."""
    return mcp_servers({"url": address.url, "headers": address.headers("${env:NAME}")})


PLUGIN = ClientPlugin(
    id="cursor",
    title="Cursor",
    place="~/.cursor/mcp.json, or .cursor/mcp.json in the folder of the project",
    write=write,
    write_address=write_address,
)
