"""A program of your own: the protocol's official SDK for Python, from version 2 on.

Source: https://github.com/modelcontextprotocol/python-sdk, README.md ("Client").
"""

from toolplanner_core.serving.client_config import ClientPlugin, GatewayAddress, GatewayCommand


def write(command: GatewayCommand) -> str:
    """A whole program; it prints what it is given."""
    return f"""\
import asyncio
from mcp import Client, StdioServerParameters

server = StdioServerParameters(**{command.server!r})

async def main():
    async with Client(server) as agent:
        for tool in (await agent.list_tools()).tools:
            print(tool.name, "-", tool.description)
        # print(await agent.call_tool(NAME, ARGUMENTS))

asyncio.run(main())"""


def write_address(address: GatewayAddress) -> str:
    """The same for a gateway that a person has started."""
    return f"""\
import asyncio, os
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

headers = {{"Authorization": "Bearer " + os.environ[{address.variable!r}]}}

async def main():
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client({address.url!r}, http_client=http)) as agent:
            for tool in (await agent.list_tools()).tools:
                print(tool.name, "-", tool.description)
            # print(await agent.call_tool(NAME, ARGUMENTS))

asyncio.run(main())"""


PLUGIN = ClientPlugin(
    id="python",
    title="Python",
    place="a file of your own, such as agent.py, run where “mcp” is installed",
    write=write,
    write_address=write_address,
)
