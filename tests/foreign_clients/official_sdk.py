"""The official SDK of 1.x, which most clients are built with: `ClientSession` over both ways."""

import asyncio
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from scene import asked, tell


async def main() -> None:
    scene = asked()
    streams: Any = (
        stdio_client(StdioServerParameters(command=scene.command, args=scene.arguments))
        if scene.way == "stdio"
        else streamablehttp_client(scene.url, headers=scene.headers)
    )
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        listed = await session.list_tools()
        found = await session.call_tool("find_tools", scene.find)
        called = await session.call_tool("call_tool", scene.call)
        assert not called.isError, called
        tell(
            "mcp",
            tools=[tool.name for tool in listed.tools],
            found=found.content[0].text,
            answer=called.content[0].text,
        )


asyncio.run(main())
