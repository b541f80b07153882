"""FastMCP's client, as its users write it: a configuration as of Claude, or an address."""

import asyncio
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from scene import asked, tell


async def main() -> None:
    scene = asked()
    server = {"command": scene.command, "args": scene.arguments}
    where: Any = (
        {"mcpServers": {"toolplanner": server}}
        if scene.way == "stdio"
        else StreamableHttpTransport(scene.url, headers=scene.headers)
    )
    async with Client(where) as client:
        listed = await client.list_tools()
        found = await client.call_tool("find_tools", scene.find)
        called = await client.call_tool("call_tool", scene.call)
        tell(
            "fastmcp",
            tools=[tool.name for tool in listed],
            found=found.content[0].text,
            answer=called.content[0].text,
        )


asyncio.run(main())
