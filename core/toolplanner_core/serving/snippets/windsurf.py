"""Windsurf: servers of Cascade.

Source: https://docs.windsurf.com/windsurf/cascade/mcp ("mcp_config.json").
"""

from toolplanner_core.serving.client_config import (
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
    mcp_servers,
)


def write(command: GatewayCommand) -> str:
    """The object in the file that its settings open; it takes 100 tools at most."""
    return mcp_servers(command.server)


def write_address(address: GatewayAddress) -> str:
    """The object in the same file."""
    return mcp_servers({"serverUrl": address.url, "headers": address.headers("${env:NAME}")})


PLUGIN = ClientPlugin(
    id="windsurf",
    title="Windsurf",
    place="~/.codeium/windsurf/mcp_config.json",
    write=write,
    write_address=write_address,
)
