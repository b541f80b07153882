"""OpenAI Agents SDK: a server that an agent of your own is given.

Source: https://openai.github.io/openai-agents-python/mcp/ ("stdio MCP servers").
"""

from toolplanner_core.serving.client_config import (
    SERVER,
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
)


def write(command: GatewayCommand) -> str:
    """Lines of Python, to be put into an async function."""
    return f"""\
from agents import Agent
from agents.mcp import MCPServerStdio

params = {command.server!r}
async with MCPServerStdio(name={SERVER!r}, params=params) as tools:
    agent = Agent(name="Assistant", mcp_servers=[tools])"""


def write_address(address: GatewayAddress) -> str:
    """Lines of Python, to be put into an async function."""
    return f"""\
import os
from agents import Agent
from agents.mcp import MCPServerStreamableHttp

token = os.environ[{address.variable!r}]
params = {{"url": {address.url!r}, "headers": {{"Authorization": f"Bearer {{token}}"}}}}
async with MCPServerStreamableHttp(name={SERVER!r}, params=params) as tools:
    agent = Agent(name="Assistant", mcp_servers=[tools])"""


PLUGIN = ClientPlugin(
    id="openai-agents",
    title="OpenAI Agents SDK",
    place="your program, in an async function",
    write=write,
    write_address=write_address,
)
