"""An agent of LangChain with the adapters for the protocol; its model is scripted."""

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from scene import asked, tell


async def main() -> None:
    scene = asked()
    server: dict[str, Any] = (
        {"transport": "stdio", "command": scene.command, "args": scene.arguments}
        if scene.way == "stdio"
        else {"transport": "streamable_http", "url": scene.url, "headers": scene.headers}
    )
    tools = await MultiServerMCPClient({"toolplanner": server}).get_tools()
    model = ChatOpenAI(model="scripted", base_url=scene.endpoint, api_key="none")
    done = await create_agent(model, tools).ainvoke({"messages": [("user", scene.need)]})
    found, called = [each for each in done["messages"] if each.type == "tool"]
    assert done["messages"][-1].content.startswith("Done"), done["messages"][-1]
    assert called.status != "error", called
    tell(
        "langchain-mcp-adapters",
        tools=[tool.name for tool in tools],
        found=str(found.content),
        answer=str(called.content),
    )


asyncio.run(main())
