"""Claude Desktop: servers that it starts with itself.

Source: https://modelcontextprotocol.io/docs/develop/connect-local-servers.
"""

from toolplanner_core.serving.client_config import ClientPlugin, GatewayCommand, mcp_servers


def write(command: GatewayCommand) -> str:
    """The object in the file that Settings > Developer > Edit Config opens."""
    return mcp_servers(command.server)


PLUGIN = ClientPlugin(
    id="claude-desktop",
    title="Claude Desktop",
    place="claude_desktop_config.json (Settings, Developer, Edit Config)",
    write=write,
    write_address=None,
)
