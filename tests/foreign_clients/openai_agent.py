"""An agent of the OpenAI Agents SDK: its model, which is scripted, finds a tool, calls it, and says
what came of it. Strict schemas are on: it converts those of the gateway."""

import asyncio
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI
from scene import asked, tell


async def main() -> None:
    scene = asked()
    set_tracing_disabled(True)
    place: dict[str, Any] = (
        {"command": scene.command, "args": scene.arguments}
        if scene.way == "stdio"
        else {"url": scene.url, "headers": scene.headers}
    )
    kind: Any = MCPServerStdio if scene.way == "stdio" else MCPServerStreamableHttp
    server = kind(name="toolplanner", params=place, client_session_timeout_seconds=60)
    model = OpenAIChatCompletionsModel(
        model="scripted", openai_client=AsyncOpenAI(base_url=scene.endpoint, api_key="none")
    )
    async with server as tools:
        listed = await tools.list_tools()
        agent = Agent(
            name="Assistant",
            model=model,
            mcp_servers=[tools],
            mcp_config={"convert_schemas_to_strict": True},
        )
        done = await Runner.run(agent, scene.need)
        outputs = [each.output for each in done.new_items if each.type == "tool_call_output_item"]
        assert done.final_output.startswith("Done"), done.final_output
        tell(
            "openai-agents",
            tools=[tool.name for tool in listed],
            found=str(outputs[0]),
            answer=str(outputs[1]),
        )


asyncio.run(main())
