"""The protocol's conformance suite, as the people who keep it publish it.

Its scenarios about tools, prompts and resources ask for a server that has theirs, such as
`test_simple_text`; a gateway has the tools of its workspace. Those of `ASKED` are about any server.
The suite sends no token: whoever adds it stands between.
"""

import asyncio
import contextlib
import json
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

from scene import Scene, asked

ASKED = [
    "server-initialize", "ping", "tools-list", "tools-call-error", "server-sse-polling",
    "server-sse-multiple-streams", "dns-rebinding-protection",
]  # fmt: skip
PACKAGE = "node_modules/@modelcontextprotocol/conformance/package.json"


async def with_token(scene: Scene, folder: Path) -> dict[str, str]:
    """What came of each scenario."""
    port = urlsplit(scene.url).port

    async def relay(client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        head = await client.readuntil(b"\r\n\r\n")
        ours = back.get_extra_info("sockname")[1]
        head = head.replace(f":{ours}".encode(), f":{port}".encode())
        head = re.sub(rb"(?im)^connection:.*\r\n", b"", head)
        token = f"Authorization: Bearer {scene.token}\r\nConnection: close\r\n\r\n".encode()
        answers, there = await asyncio.open_connection("127.0.0.1", port)
        there.write(head[:-2] + token)
        ways = [asyncio.ensure_future(_copy(*way)) for way in ((client, there), (answers, back))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        there.close()
        back.close()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    found: dict[str, str] = {}
    async with server:
        for scenario in ASKED:
            command = ["server", "--url", url, "--scenario", scenario]
            program = folder / "node_modules" / ".bin" / "conformance"
            process = await asyncio.create_subprocess_exec(
                program, *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            said, _ = await process.communicate()
            found[scenario] = "" if process.returncode == 0 else said.decode()[-600:]
    return found


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await source.read(65_536):
            target.write(piece)
            await target.drain()


def main() -> None:
    scene, folder = asked(), Path(sys.argv[2])
    outcomes = asyncio.run(with_token(scene, folder))
    failed = {scenario: said for scenario, said in outcomes.items() if said}
    if failed:
        sys.exit(json.dumps(failed, indent=1))
    package = json.loads((folder / PACKAGE).read_text())
    seen = {"version": package["version"], "tools": ASKED, "found": scene.name, "answer": "passed"}
    print(json.dumps(seen))


main()
