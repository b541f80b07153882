"""Gemini CLI: servers among its other settings.

Source: https://github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md.
"""

from toolplanner_core.serving.client_config import (
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
    mcp_servers,
)


def write(command: GatewayCommand) -> str:
    """The object to be merged into what the file has already."""
    return mcp_servers(command.server)


def write_address(address: GatewayAddress) -> str:
    """The object to be merged likewise; `url` would be the older transport."""
    return mcp_servers({"httpUrl": address.url, "headers": address.headers("$NAME")})


PLUGIN = ClientPlugin(
    id="gemini",
    title="Gemini CLI",
    place="~/.gemini/settings.json, beside what stands there",
    write=write,
    write_address=write_address,
)
