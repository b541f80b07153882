"""LangChain: tools for an agent of your own, by its adapters for the protocol.

Source: https://github.com/langchain-ai/langchain-mcp-adapters, README.md.
"""

from toolplanner_core.serving.client_config import (
    SERVER,
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
)


def write(command: GatewayCommand) -> str:
    """Lines of Python, to be put into an async function."""
    server = {**command.server, "transport": "stdio"}
    return f"""\
from langchain_mcp_adapters.client import MultiServerMCPClient

client = MultiServerMCPClient({ {SERVER: server}!r})
tools = await client.get_tools()"""


def write_address(address: GatewayAddress) -> str:
    """Lines of Python, to be put into an async function."""
    return f"""\
import os
from langchain_mcp_adapters.client import MultiServerMCPClient

headers = {{"Authorization": "Bearer " + os.environ[{address.variable!r}]}}
server = {{"transport": "streamable_http", "url": {address.url!r}, "headers": headers}}
client = MultiServerMCPClient({{ {SERVER!r}: server}})
tools = await client.get_tools()"""


PLUGIN = ClientPlugin(
    id="langchain",
    title="LangChain",
    place="your program, in an async function",
    write=write,
    write_address=write_address,
)
