"""MCP Inspector: look at the tools and call them by hand, in a browser.

Source: https://github.com/modelcontextprotocol/inspector, README.md.
"""

import shlex
import subprocess
import sys

from toolplanner_core.serving.client_config import ClientPlugin, GatewayAddress, GatewayCommand


def write(command: GatewayCommand) -> str:
    """A command for the shell of this system; it needs Node.js."""
    words = ["npx", "@modelcontextprotocol/inspector", command.program, *command.arguments]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def write_address(address: GatewayAddress) -> str:
    """A command likewise; the token is typed into its form, under Authentication."""
    return f"npx @modelcontextprotocol/inspector --transport http --server-url {address.url}"


PLUGIN = ClientPlugin(
    id="inspector",
    title="MCP Inspector",
    place="a terminal; it needs Node.js",
    write=write,
    write_address=write_address,
)
