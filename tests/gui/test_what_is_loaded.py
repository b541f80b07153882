"""What the window loads to open a workspace that was open before: nothing that nobody looks at."""

import json
import subprocess
import sys
from pathlib import Path

OPEN = """
import json, sys
from PySide6.QtCore import QTimer
from toolplanner_gui import app
from toolplanner_gui.__main__ import main

class Watched(app.Program):
    def show(self):
        self.timer = QTimer()
        self.timer.timeout.connect(self.look)
        self.timer.start(20)
        self.quiet = 0
        super().show()

    def look(self):
        context = self.context
        is_there = context.catalogue.n_apis and self.window.is_idle and context.tasks.is_idle
        self.quiet = self.quiet + 1 if is_there else 0
        if self.quiet == 5:
            print(json.dumps(sorted(sys.modules)), flush=True)
            self.window.close()

app.Program = Watched
main()
"""
HEAVY = {
    "scipy", "sklearn", "onnxruntime", "torch", "openai", "mcp", "yaml", "jsonschema",
    "toolplanner_gui.forms.run_form", "pyqtgraph",
    "toolplanner_core.strategies.interface.scope", "toolplanner_core.strategies.toolkits.solver",
    "toolplanner_core.curation.questions.queue.queue", "toolplanner_core.curation.grouping.regions",
    "toolplanner_gui.panels.details.api_page", "toolplanner_gui.panels.details.toolkit_page",
}  # fmt: skip
SEEN = {"map_panel", "toolkits_panel", "details_panel"}
"""Panels of the first layout; the others are behind a tab, folded, or of another one."""


def loaded(path: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_workspace_when_opened_again_then_only_what_is_seen_is_loaded(demo: Path) -> None:
    assert "scipy" in loaded(demo), "the colours of the map are found at first"
    again = loaded(demo)
    assert again & HEAVY == set()
    panels = {n.rpartition(".")[2] for n in again if n.startswith("toolplanner_gui.panels.")}
    assert {n for n in panels if n.endswith("_panel")} == SEEN
    strategies = {n for n in again if n.startswith("toolplanner_core.strategies.")}
    assert "toolplanner_core.strategies.tool_planner" in strategies, "the usual one has its name"
    assert not {f"toolplanner_core.strategies.{n}" for n in ("react", "atc", "tptu")} & strategies
