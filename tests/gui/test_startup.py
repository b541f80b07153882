"""What the window costs before it is on the screen, and the screenshot mode."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.ports import noting_ports, ports_noted
from fixtures.processes import python

from toolplanner_core.resources import build_info

HEAVY = (
    "torch", "sklearn", "scipy.cluster", "openai", "mcp", "onnxruntime",
    "transformers", "sentence_transformers", "pyqtgraph", "qtawesome",
)  # fmt: skip
NOT_YET = ("sqlite_utils", "numpy", "toolplanner_gui.open_workspace", "toolplanner_core.runs")
"""What only an open workspace needs."""

SHOW_THE_WINDOW = """
import asyncio, json, sys
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop
from toolplanner_gui.app import Program, StartOptions
app = QApplication([])
loop = QEventLoop(app)
with loop:
    program = Program(app, loop, StartOptions(screenshot=__import__("pathlib").Path("unused.png")))
    program.window.show()
    app.processEvents()
    assert program.window.isVisible()
    print(json.dumps(sorted(sys.modules)))
    program.context.close()
"""

PAINT_THE_WINDOW = """
import json, sys
from PySide6.QtCore import QEvent, QObject
from toolplanner_gui import app
from toolplanner_gui.__main__ import main

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not hasattr(self, "modules"):
            self.modules = json.dumps(sorted(sys.modules))
        return False

class Watched(app.Program):
    def show(self):
        self.painted = Painted()
        self.window.centralWidget().installEventFilter(self.painted)
        super().show()
        self._first_picture.shown.connect(self.end)

    def end(self):
        assert self.window.is_idle
        print(self.painted.modules)
        self.window.close()

app.Program = Watched
main()
"""
SOURCES_READ = """
import linecache
from toolplanner_gui import __main__ as program
program._leave = lambda status: print([name for name in linecache.cache if "toolplanner" in name])
program.main()
"""


def run(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | environment
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True, text=True, timeout=500, env=env, check=False,
    )  # fmt: skip


def test_window_when_shown_has_loaded_nothing_heavy() -> None:
    done = run(["-c", SHOW_THE_WINDOW])
    assert done.returncode == 0, done.stderr
    modules = set(json.loads(done.stdout))
    assert "toolplanner_gui.windows.main_window" in modules
    assert [m for m in (*HEAVY, *NOT_YET) if m in modules] == []


def test_window_when_first_painted_then_nothing_that_an_open_workspace_needs_is_loaded(
    tmp_path: Path,
) -> None:
    done = run(["-c", PAINT_THE_WINDOW], XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    modules = set(json.loads(done.stdout))
    assert [m for m in (*HEAVY, *NOT_YET) if m in modules] == []


def test_program_when_started_then_its_sources_stay_unread(tmp_path: Path) -> None:
    done = run(["-c", SOURCES_READ, "--screenshot", str(tmp_path / "window.png")])
    assert done.returncode == 0, done.stderr
    # The file that ends it is read itself.
    assert done.stdout.count(".py") <= 1


def test_importing_every_module_of_the_window_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import importlib, json, pkgutil, sys, toolplanner_gui\n"
        "for m in pkgutil.walk_packages(toolplanner_gui.__path__, 'toolplanner_gui.'):\n"
        "    if not m.name.endswith('__main__'):\n"
        "        importlib.import_module(m.name)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = run(["-c", code])
    assert done.returncode == 0, done.stderr
    assert [m for m in HEAVY if m in json.loads(done.stdout)] == []


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["curate", "debug"])
def test_screenshot_of_a_workspace_is_saved_and_the_program_ends(
    demo: Path, tmp_path: Path, layout: str
) -> None:
    picture = tmp_path / "window.png"
    done = run(
        [
            "-m", "toolplanner_gui", str(demo), "--layout", layout, "--theme", "dark",
            "--size", "1280x720", "--screenshot", str(picture),
        ],
        XDG_CONFIG_HOME=str(tmp_path / "config"),
        **noting_ports(tmp_path / "noted"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    from PySide6.QtGui import QImage

    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 720)
    colours = {image.pixel(x, y) for x in range(0, 1280, 7) for y in range(0, 720, 7)}
    assert len(colours) > 40
    assert ports_noted(tmp_path / "noted") == []
    # A picture leaves no trace in what the person's window remembers.
    assert not list((tmp_path / "config").rglob("*.conf"))


@pytest.mark.slow
def test_screenshot_of_a_file_that_is_no_workspace_says_why(tmp_path: Path) -> None:
    wrong = tmp_path / "text.toolplanner"
    wrong.write_text("not a database")
    picture = tmp_path / "window.png"
    done = run(["-m", "toolplanner_gui", str(wrong), "--screenshot", str(picture)])
    assert "not a ToolPlanner workspace" in done.stderr
    assert picture.exists()


def test_arguments_that_make_no_sense_end_with_2() -> None:
    assert run(["-m", "toolplanner_gui", "--size", "big"]).returncode == 2
    assert run(["-m", "toolplanner_gui", "x.toolplanner", "--demo"]).returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_while_nothing_happens_ends_the_program(demo: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from toolplanner_gui.windows.main_window import MainWindow\n"
        "finish = MainWindow.finish_start\n"
        "def told(self): finish(self); print('shown', flush=True)\n"
        "MainWindow.finish_start = told\n"
        "from toolplanner_gui.__main__ import main; sys.exit(main())"
    )
    env = os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}
    with python("-c", code, demo, env=env) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "shown\n"
        program.send_signal(signal.SIGINT)
        assert program.wait(120) == 0


def test_version_when_asked_then_it_is_that_of_the_command_line() -> None:
    done = run(["-m", "toolplanner_gui", "--version"])
    assert (done.returncode, done.stdout.strip()) == (0, f"ToolPlanner {build_info()}")
