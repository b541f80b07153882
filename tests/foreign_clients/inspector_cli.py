"""The protocol's Inspector on the command line, one process for each thing that is asked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from scene import Scene, asked

PACKAGE = "node_modules/@modelcontextprotocol/inspector/package.json"


def ask(scene: Scene, folder: Path, *method: str) -> Any:
    """What it prints for a method, given by its flags."""
    transport = ["--transport", "http", "--header", f"Authorization: Bearer {scene.token}"]
    server = [scene.command, *scene.arguments]
    where = server if scene.way == "stdio" else [scene.url, *transport]
    program = str(folder / "node_modules" / ".bin" / "mcp-inspector")
    done = subprocess.run(
        [program, "--cli", *where, *method], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr[-500:] or done.stdout[-500:])
    return json.loads(done.stdout)


def main() -> None:
    scene, folder = asked(), Path(sys.argv[2])
    call = ["--method", "tools/call", "--tool-name"]
    need = ["--tool-arg", f"need={scene.need}"]
    values = ["--tool-arg", f"name={scene.name}", f"arguments={json.dumps(scene.values)}"]
    listed = ask(scene, folder, "--method", "tools/list")
    found = ask(scene, folder, *call, "find_tools", *need)
    called = ask(scene, folder, *call, "call_tool", *values)
    assert not called.get("isError"), called
    seen = {
        "version": json.loads((folder / PACKAGE).read_text())["version"],
        "tools": [tool["name"] for tool in listed["tools"]],
        "found": found["content"][0]["text"],
        "answer": called["content"][0]["text"],
    }
    print(json.dumps(seen))


main()
