"""Claude Code: servers of a project, which everybody who opens it is asked about.

Source: https://docs.claude.com/en/docs/claude-code/mcp ("Project scope").
"""

from toolplanner_core.serving.client_config import (
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
    mcp_servers,
)


def write(command: GatewayCommand) -> str:
    """The object in `.mcp.json`; its tools are called `mcp__toolplanner__NAME` there."""
    return mcp_servers(command.server)


def write_address(address: GatewayAddress) -> str:
    """The object in the same file; variables are put in when it is read."""
    headers = address.headers("${NAME}")
    return mcp_servers({"type": "http", "url": address.url, "headers": headers})


PLUGIN = ClientPlugin(
    id="claude-code",
    title="Claude Code",
    place=".mcp.json in the folder of the project",
    write=write,
    write_address=write_address,
)
