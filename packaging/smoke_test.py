"""Try an installed program as a person without Python would: the same for every installer.

    python packaging/smoke_test.py                             what is on the PATH
    python packaging/smoke_test.py --programs .venv/bin        a plain install
    python packaging/smoke_test.py --root ROOT --user anna     inside another root (as root)

Each step runs the program and looks at what it says and writes. Uses nothing but the standard
library, of Python 3.11 or newer; on Linux it starts an Xvfb of its own for the window.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from smoke_closing import close
from smoke_gateway import NEED, ask_over_http, ask_over_pipes
from smoke_place import Place
from smoke_samples import AS_SERVER, EXAMPLE_QUERY, FUNCTIONS, OPENAPI, QUERY
from smoke_screen import Screen, rows_of_picture

_FULL_PICTURE_ROWS = 100
"""An empty window has a handful of different rows of pixels, a full one hundreds."""
_CLOSED_WITHIN_S = 1.0
_OLD = (
    Path(__file__).resolve().parents[1] / "tests/fixtures/workspaces/before-node-kinds.toolplanner"
)
_OWN_FOLDERS = re.compile(
    r"(\.config|\.cache|\.local/(share|state))/toolplanner(/|$)|Library/[^/]+/toolplanner(/|$)|"
    r"AppData/(Local|Roaming)/toolplanner(/|$)|"
    # What libraries keep in the same folders, whatever program uses them.
    r"\.cache/(fontconfig|mesa_shader_cache\w*|qtshadercache[^/]*)(/|$)|\.config/QtProject\.conf",
    re.IGNORECASE,
)


class SmokeTest:
    """The steps in their order; each returns what it saw, or raises AssertionError."""

    def __init__(self, place: Place, screen: Screen, other: Place | None) -> None:
        self._place = place
        self._other = other
        self._screen = screen
        self._demo = place.work / "demo.toolplanner"
        self._own_run = 0
        self._own = place.work / "own.toolplanner"

    def steps(self) -> Iterator[Callable[[], str]]:
        """All of them."""
        yield from (self.version, self.self_test, self.plugins, self.new_demo)
        yield from (self.import_functions, self.import_openapi, self.import_servers)
        yield from (self.call_tool, self.prepare, self.clusterings, self.layout, self.search)
        yield from (self.run_with_fallback, self.replay, self.run_program, self.export)
        yield from (self.serve, self.serve_over_http, self.keys, self.older_workspace)
        if self._other is not None:
            yield self.other_program
        if self._screen.is_there:
            yield from (self.welcome, self.window_of_workspace, self.demo_window, self.close)
        yield self.nothing_elsewhere

    def version(self) -> str:
        said = self._say("--version")
        assert re.search(r"\d+\.\d+\.\d+", said), said
        return said.strip()

    def self_test(self) -> str:
        found = self._json("self-test")
        assert found["passed"], found
        return f"{len(found['checks'])} checks"

    def plugins(self) -> str:
        kinds = ("strategies", "models", "providers", "sources", "embedders", "clusterings")
        counts = {kind: len(self._json(kind, "list")) for kind in (*kinds, "layouts")}
        assert all(counts.values()), counts
        return ", ".join(f"{count} {kind}" for kind, count in counts.items())

    def new_demo(self) -> str:
        self._say("new", self._demo, "--demo")
        return f"{self._place.outside(self._demo).stat().st_size / 1e6:.1f} MB"

    def import_functions(self) -> str:
        self._say("new", self._own)
        return self._import("functions.json", FUNCTIONS)

    def import_openapi(self) -> str:
        return self._import("openapi.json", OPENAPI)

    def import_servers(self) -> str:
        server = {"command": self._place.command("toolplanner"), "args": AS_SERVER}
        return self._import("mcp.json", {"mcpServers": {"echo": server}}, "--yes-start")

    def call_tool(self) -> str:
        found = [api for api in self._json("apis", "list", self._own) if api["name"] == "echo"]
        said = self._say("call", self._own, found[0]["id"], json.dumps({"text": "hello there"}))
        assert "hello there" in said, said
        return said.strip().splitlines()[-1]

    def _import(self, name: str, content: object, *options: str) -> str:
        self._place.outside(self._place.work / name).write_text(json.dumps(content), "utf-8")
        before = len(self._json("apis", "list", self._own))
        self._say("import", self._own, self._place.work / name, *options)
        count = len(self._json("apis", "list", self._own)) - before
        assert count > 0, f"nothing was imported from {name}"
        return f"{count} APIs"

    def prepare(self) -> str:
        self._say("prepare", self._own)
        return f"{len(self._json('toolkits', 'list', self._own))} toolkits"

    def clusterings(self) -> str:
        copy = self._place.work / "clustered.toolplanner"
        self._say("copy", self._demo, copy)
        methods = [row["id"] for row in self._json("clusterings", "list")]
        for method in methods:
            self._say("cluster", copy, "--method", method)
        return ", ".join(methods)

    def layout(self) -> str:
        found = self._json("layout", self._demo, "--method", "umap", "--seed", 3)
        assert not found["reused"] and found["points"] > 100, found
        return f"{found['points']} APIs in {found['seconds']:.1f} s"

    def search(self) -> str:
        found = self._json("search", self._own, "how warm is it outside")
        assert "weather" in json.dumps(found[0]).lower(), found[0]
        return f"{len(found)} found"

    def run_with_fallback(self) -> str:
        found = self._json("run", self._demo, QUERY)
        assert found["status"] == "solved" and found["fallbacks"] > 0, found
        self._own_run = found["run"]
        return f"run {self._own_run} {found['status']} with {found['fallbacks']} fallback"

    def replay(self) -> str:
        return self._say("runs", "replay", self._demo, self._own_run).strip().splitlines()[-1]

    def run_program(self) -> str:
        """A program that scripted replies write runs in the sandbox, here and in its replay."""
        found = self._json(
            "run", self._demo, EXAMPLE_QUERY, "--strategy", "atc", "--model", "example"
        )
        assert found["status"] == "answered" and found["api_calls"] > 1, found
        tree = self._say("runs", "show", self._demo, found["run"])
        assert "Program 2" in tree and "line 3" in tree, tree
        self._say("runs", "replay", self._demo, found["run"])
        return f"{found['api_calls']} calls of 2 programs: {found['answer']}"

    def export(self) -> str:
        sizes: list[str] = []
        for kind in ("html", "jsonl"):
            out = self._place.work / f"run.{kind}"
            self._say(
                "runs", "export", self._demo, self._own_run, "--format", kind, "--output", out
            )
            size = self._place.outside(out).stat().st_size
            assert size > 1000, f"{out} is too short"
            sizes.append(f"{kind} {size:,} bytes")
        return ", ".join(sizes)

    def serve(self) -> str:
        found = ask_over_pipes(self._place, self._demo).splitlines()
        assert any("petrol" in line for line in found), found
        return f"{len(found)} lines for “{NEED}”"

    def serve_over_http(self) -> str:
        return ask_over_http(self._place, self._demo)

    def older_workspace(self) -> str:
        old = self._place.work / "old.toolplanner"
        shutil.copy(_OLD, self._place.outside(old))
        self._place.outside(old).chmod(0o666)
        return self._is_read(self._place, old)

    def other_program(self) -> str:
        """Each opens what the other has made."""
        assert self._other is not None
        mine, others = self._other.work / "mine.toolplanner", self._other.work / "other.toolplanner"
        shutil.copy(self._demo, mine)
        self._other.call("toolplanner", "new", others, "--demo")
        made = self._other.call("toolplanner", "run", others, QUERY, "--json")
        self._say("runs", "replay", others, json.loads(made)["run"])
        self._other.call("toolplanner", "runs", "replay", mine, self._own_run)
        theirs, ours = self._is_read(self._place, others), self._is_read(self._other, mine)
        return f"theirs: {theirs}; ours: {ours}"

    def _is_read(self, place: Place, path: Path) -> str:
        """Whether a program shows the runs of a workspace and finds its APIs."""
        runs = json.loads(place.call("toolplanner", "runs", "list", path, "--json"))
        place.call("toolplanner", "runs", "show", path, runs[0]["run"])
        found = json.loads(place.call("toolplanner", "search", path, "petrol", "--json"))
        assert found, f"{path} holds no APIs"
        return f"{len(runs)} runs"

    def keys(self) -> str:
        return f"{len(self._json('keys', 'list'))} keys"

    def welcome(self) -> str:
        return self._picture("welcome")

    def window_of_workspace(self) -> str:
        return self._picture("workspace", self._own)

    def demo_window(self) -> str:
        return self._picture("demo", "--demo")

    def _picture(self, name: str, *arguments: object) -> str:
        out = self._place.work / f"{name}.png"
        self._place.call("toolplanner-gui", *arguments, "--screenshot", out)
        rows = rows_of_picture(self._place.outside(out))
        assert rows >= _FULL_PICTURE_ROWS, f"the picture has {rows} different rows: it is empty"
        return f"{rows} different rows of pixels"

    def close(self) -> str:
        before_s = time.monotonic()
        window = self._place.start("toolplanner-gui", self._demo)
        try:
            self._screen.wait_for_rows(_FULL_PICTURE_ROWS)
            shown_s = time.monotonic() - before_s
            self._screen.wait_until_still()
            # A double click on the same file brings the window to the front and opens no second.
            self._place.call("toolplanner-gui", self._demo)
            assert window.poll() is None, "the window has gone"
            self._screen.keep(self._place.outside(self._place.work) / "screen.png")
            closed = close(window)
        finally:
            window.kill()
        assert closed.own_s <= _CLOSED_WITHIN_S, f"it took {closed}"
        return f"shown after {shown_s:.2f} s, closed after {closed}"

    def nothing_elsewhere(self) -> str:
        found = [name for name in self._place.new_files() if not _OWN_FOLDERS.match(name)]
        assert not found, f"written outside of the program's folders: {found[:20]}"
        return "only in the system's folders for it"

    def _say(self, *arguments: object) -> str:
        return self._place.call("toolplanner", *arguments)

    def _json(self, *arguments: object) -> Any:
        return json.loads(self._say(*arguments, "--json"))


def main() -> None:
    """Run the steps; exit status 1 if one failed."""
    parser = argparse.ArgumentParser(description="Try an installed program.")
    parser.add_argument("--programs", type=Path, help="the folder they are in; else the PATH's")
    parser.add_argument("--root", type=Path, help="run inside this root (needs to be root)")
    parser.add_argument("--user", help="who runs it inside --root")
    parser.add_argument("--other", type=Path, help="programs whose workspaces are exchanged")
    parser.add_argument("--no-network", action="store_true", help="take the network away (Linux)")
    parser.add_argument("--pictures", type=Path, help="copy the pictures here")
    arguments = parser.parse_args()
    place = Place(
        arguments.programs,
        root=arguments.root,
        user=arguments.user,
        is_offline=arguments.no_network,
    )
    other = arguments.other and Place(arguments.other, root=None, user=None, is_offline=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Screen(Path(folder), arguments.root) as screen:
        place.display = screen.name
        for step in SmokeTest(place, screen, other).steps():
            before_s = time.monotonic()
            try:
                word, detail = "ok", step()
            except (AssertionError, subprocess.TimeoutExpired) as error:
                word, detail, failed = "FAILED", str(error), failed + 1
            seconds = time.monotonic() - before_s
            name = step.__name__.replace("_", " ")
            sys.stdout.write(f"  {word:<8}{name:<22}{seconds:6.1f} s  {detail}\n")
            sys.stdout.flush()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
        for picture in place.outside(place.work).glob("*.png"):
            shutil.copy(picture, arguments.pictures)
    for each in filter(None, (place, other)):
        each.clear()
    sys.exit(f"{failed} steps failed." if failed else 0)


if __name__ == "__main__":
    main()
