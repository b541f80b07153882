"""`make peers`: this program and others of its kind on the same data, measured in turns, one table.

Each program has an environment of its own in build/peers, installed from the network at the first
time, and a script here; a figure is the median of several turns, between the least and the most.
Windows are real, on a screen of their own (Xvfb, software GL). Writes peers.md into
benchmarks/results, with versions and machine, and the pictures of the windows beside it. What is
asked of all is written in points.py, steps.py, vectors.py and events.py.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fixtures.environments import python_with

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ENVIRONMENTS = ROOT / "build" / "peers"
RESULTS = ROOT / "tests" / "benchmarks" / "results"
OURS = "ToolPlanner"
NEEDED = ("Xvfb", "xdotool", "import")
"""Programs of the system: the screen, whether a window is there, its picture."""
LONGEST_S = 2_400.0
_QUIET: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A program that is measured beside ours: what is installed, the first gives its version."""

    name: str
    packages: tuple[str, ...]

    @property
    def python(self) -> Path:
        return python_with(ENVIRONMENTS / self.name.replace(" ", "-"), self.packages)

    @property
    def version(self) -> str:
        code = f"import importlib.metadata as m; print(m.version({self.packages[0]!r}))"
        done = subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.strip()


NAPARI = Peer(name="napari", packages=("napari", "PyQt6"))
ORANGE = Peer(name="Orange", packages=("orange3", "PyQt6", "PyQt6-WebEngine"))
GLUE = Peer(name="glue", packages=("glue-qt", "PyQt6"))
ATLAS = Peer(name="Embedding Atlas", packages=("embedding-atlas",))
PHOENIX = Peer(name="Phoenix", packages=("arize-phoenix",))
LANGGRAPH = Peer(name="LangGraph", packages=("langgraph", "langgraph-checkpoint-sqlite"))
INSPECT = Peer(name="Inspect", packages=("inspect-ai", "openai"))
PEERS = (NAPARI, ORANGE, GLUE, ATLAS, PHOENIX, LANGGRAPH, INSPECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is measured of several programs.

    Attributes:
        scripts: of each program, by its name; what it is given is appended.
        arguments: after a folder of its own, where `has_folder`.
        turns: how often, at most.
    """

    title: str
    scripts: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    has_folder: bool = False
    turns: int = 3


_POINTS = {
    OURS: "points_in_toolplanner.py", "napari": "points_in_napari.py",
    "Orange": "points_in_orange.py", "glue": "points_in_glue.py",
}  # fmt: skip
COMPARISONS = {
    "start": Comparison(
        title="From the start to a window that can be worked in",
        scripts=dict.fromkeys((OURS, "napari", "Orange", "glue"), "window_start.py"),
        turns=5,
    ),
    "16k": Comparison(title="16,000 points", scripts=_POINTS, arguments=("16000",)),
    "45k": Comparison(title="45,284 points", scripts=_POINTS, arguments=("45284",)),
    "1m": Comparison(title="A million points", scripts=_POINTS, arguments=("1000000",), turns=1),
    "layout": Comparison(
        title="16,000 vectors of 384 numbers to a map (UMAP)",
        scripts={OURS: "layout_in_toolplanner.py", "Embedding Atlas": "layout_in_atlas.py"},
        arguments=("16000",),
        has_folder=True,
    ),
    "steps": Comparison(
        title="1,000 steps of a run, stored; 1,000 questions that share 100 KB, stored",
        scripts={
            OURS: "steps_in_toolplanner.py", "LangGraph": "steps_in_langgraph.py",
            "Inspect": "steps_in_inspect.py",
        },
        has_folder=True,
    ),
    "events": Comparison(
        title="Events seen by somebody else who asks",
        scripts={OURS: "events_in_toolplanner.py", "Phoenix": "events_in_phoenix.py"},
        has_folder=True,
        turns=1,
    ),
}  # fmt: skip
STARTED = {OURS: "toolplanner-gui", "napari": "napari", "Orange": "orange-canvas", "glue": "glue"}
"""The program of each that shows a window."""


def _python(name: str) -> Path:
    found = next((peer for peer in PEERS if peer.name == name), None)
    # Not resolved: a link's target would be the Python without the environment.
    return Path(sys.executable) if found is None else found.python


def _measure(name: str, comparison: Comparison) -> dict[str, float]:
    """The figures of one turn; an empty person and folder each time."""
    python, script = _python(name), HERE / comparison.scripts[name]
    picture = RESULTS / f"peers {script.stem} {' '.join(comparison.arguments)}.png"
    with tempfile.TemporaryDirectory(prefix="toolplanner-peers-") as home:
        folder = Path(home) / "work"
        folder.mkdir()
        arguments = [*([str(folder)] if comparison.has_folder else []), *comparison.arguments]
        if script.name == "window_start.py":
            arguments, python = [str(python.with_name(STARTED[name]))], Path(sys.executable)
        done = subprocess.run(
            [str(python), str(script), *arguments],
            env=os.environ | {
                "HOME": home, "QT_QPA_PLATFORM": "xcb", "PEERS_PICTURE": str(picture),
            },
            capture_output=True, text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{name}, {comparison.title}:\n{done.stderr[-3_000:]}")
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"  {name}: {figures}", flush=True)
    return figures


def compare(comparison: Comparison, turns: int) -> Iterator[str]:
    """The lines of its table."""
    print(comparison.title, flush=True)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in comparison.scripts}
    for _ in range(min(turns, comparison.turns)):
        for name, measured in found.items():
            measured.append(_measure(name, comparison))
    yield f"\n## {comparison.title}\n"
    yield f"| | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    for figure in found[OURS][0]:
        values = {name: [each[figure] for each in measured] for name, measured in found.items()}
        ours = statistics.median(values[OURS])
        yield f"| {figure} | {' | '.join(_cell(each, ours) for each in values.values())} |"


def _cell(values: Sequence[float], ours: float) -> str:
    """Median, how many times ours it is, the least and the most."""
    middle = statistics.median(values)
    times = f" (x {middle / ours:.2g})" if ours and middle != ours else ""
    spread = f" [{min(values):.3g} to {max(values):.3g}]" if len(values) > 1 else ""
    return f"{middle:.3g}{times}{spread}"


@contextmanager
def own_screen(number: int = 98) -> Generator[None]:
    """A screen of its own, for this program and those that it starts."""
    screen = ["Xvfb", f":{number}", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(screen, **_QUIET) as shown:
        os.environ["DISPLAY"] = f":{number}"
        try:
            look = ["xdotool", "getdisplaygeometry"]
            while subprocess.run(look, check=False, **_QUIET).returncode:
                assert shown.poll() is None, f"No screen :{number} could be made"
            yield
        finally:
            shown.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(COMPARISONS), default=list(COMPARISONS))
    parser.add_argument("--turns", type=int, default=5, help="At most so many of each.")
    chosen = parser.parse_args()
    if missing := [each for each in NEEDED if shutil.which(each) is None]:
        raise SystemExit(
            f"Install {', '.join(missing)}: windows are shown on a screen of their own"
        )
    used = {name for each in chosen.only for name in COMPARISONS[each].scripts}
    versions = [f"{OURS} {version('toolplanner')}"]
    versions += [f"{peer.name} {peer.version}" for peer in PEERS if peer.name in used]
    machine = f"{os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}"
    lines = ["# Beside the peers\n", f"{'; '.join(versions)}.\n", f"Machine: {machine}; load at the"
             f" begin {os.getloadavg()[0]:.1f}. Median (times ours) [least to most]."]  # fmt: skip
    with own_screen():
        for each in chosen.only:
            lines += compare(COMPARISONS[each], chosen.turns)
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / "peers.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
